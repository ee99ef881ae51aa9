import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";

/** The start of every sealed text, which is authenticated too. Another format has another number. */
const mark = Buffer.from("setpoint readings 1\n");
const [saltLength, tagLength, nonceLength] = [32, 16, 12];
/** The largest text, in bytes. */
const longest = 2 ** 28;

/** Returns a name derived from a secret. It is different for each secret and reveals nothing about it. */
export function nameFor(secret: string): string {
  return derived(secret, "", "name", 12).toString("hex");
}

/**
 * Seals a text so that only someone who knows the secret can read or make it. The text is compressed. Each text has a key of its
 * own, so a constant nonce is safe.
 */
export function seal(text: string, secret: string): Buffer {
  const salt = randomBytes(saltLength);
  const cipher = createCipheriv("aes-256-gcm", keyOf(secret, salt), Buffer.alloc(nonceLength)).setAAD(mark);
  const content = cipher.update(deflateRawSync(text, { level: 1 }));
  return Buffer.concat([mark, salt, content, cipher.final(), cipher.getAuthTag()]);
}

/** Returns the text that was sealed with this secret; undefined for anything else, including a truncated one. */
export function unseal(sealed: Buffer, secret: string): string | undefined {
  const start = mark.length + saltLength;
  const salt = sealed.subarray(mark.length, start);
  try {
    const decipher = createDecipheriv("aes-256-gcm", keyOf(secret, salt), Buffer.alloc(nonceLength), {
      authTagLength: tagLength,
    });
    decipher.setAAD(mark).setAuthTag(sealed.subarray(-tagLength));
    const content = decipher.update(sealed.subarray(start, -tagLength));
    decipher.final();
    return inflateRawSync(content, { maxOutputLength: longest }).toString("utf8");
  } catch {
    return undefined;
  }
}

function keyOf(secret: string, salt: Buffer): Buffer {
  return derived(secret, salt, "key", 32);
}

function derived(secret: string, salt: Buffer | string, use: string, length: number): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, salt, `setpoint readings ${use}`, length));
}
