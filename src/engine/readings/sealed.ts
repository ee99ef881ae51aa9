import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";

/** Begins every sealed text; another form has another number. */
const mark = Buffer.from("setpoint readings 1\n");
const [saltLength, tagLength, nonceLength] = [32, 16, 12];
/** Bytes that a text may have. */
const longest = 2 ** 28;

/** A name that says nothing about the secret it is derived from, and is another one for each. */
export function nameFor(secret: string): string {
  return derived(secret, "", "name", 12).toString("hex");
}

/**
 * A text that only who knows the secret can read or make. It is compressed, and its key is its own, so that one nonce is
 * enough for all.
 */
export function seal(text: string, secret: string): Buffer {
  const salt = randomBytes(saltLength);
  const cipher = createCipheriv("aes-256-gcm", keyOf(secret, salt), Buffer.alloc(nonceLength)).setAAD(mark);
  const content = cipher.update(deflateRawSync(text, { level: 1 }));
  return Buffer.concat([mark, salt, content, cipher.final(), cipher.getAuthTag()]);
}

/** The text that was sealed with this secret; undefined for anything else, also for a part of it. */
export function unseal(sealed: Buffer, secret: string): string | undefined {
  const start = mark.length + saltLength;
  if (sealed.length < start + tagLength || !sealed.subarray(0, mark.length).equals(mark)) return undefined;
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
