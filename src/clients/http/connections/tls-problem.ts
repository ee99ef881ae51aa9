import type { Problem } from "../../../core/problem.ts";
import { member } from "../../../core/text/json.ts";
import { messageOf } from "../../../core/text/reason.ts";
import { shortened } from "../../../core/text/words.ts";

/** OpenSSL's names for a certificate chain that is not trusted, and for a refused client; Node's for a wrong host name. */
const names =
  /CERT|ALERT_(UNKNOWN_CA|HANDSHAKE_FAILURE)$|^UNABLE_TO_|^CRL_|^(INVALID_CA|INVALID_PURPOSE|HOSTNAME_MISMATCH|PATH_LENGTH_EXCEEDED|UNSPECIFIED)$/;

/** OpenSSL's names for a version, a key or a cipher of TLS that one side no longer accepts. */
const outdated = /PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL|LEGACY|TOO_SMALL|NO_SHARED|INSUFFICIENT_SECURITY/;

/** What to do if a server, or a proxy in front of it, wants a client certificate that it can accept. */
export const clientCertificateHint =
  "Set SETPOINT_<SERVICE>_CLIENT_CERT and SETPOINT_<SERVICE>_CLIENT_KEY to PEM files that the server accepts.";

/** What to do if one side speaks TLS and the other one does not. */
export const schemeHint =
  "Check the service's url, or that of the proxy: https: is for a port with TLS, and http: for one without.";

/** What a server says by an alert of TLS, which is always about the client. */
const refusals = [
  [/_REQUIRED$/, "requires a client certificate"],
  // Also the answer of TLS 1.2 to a client without a certificate.
  [/HANDSHAKE_FAILURE$/, "refused the TLS handshake: it may require a client certificate"],
  [/ALERT/, "does not accept the client certificate"],
] as const;

/** The problem of a connection that TLS ended, with its error; undefined if something else did. */
export function tlsProblem(origin: string, code: string, error: unknown): Problem | undefined {
  // What a server without TLS answers is read as the beginning of a record.
  if (/^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|RECORD_LAYER_FAILURE)$/.test(code))
    return { code: "SP3102", message: `${origin} does not speak TLS (${code}).`, hint: schemeHint };
  if (/^ERR_SSL_/.test(code) && outdated.test(code))
    return {
      code: "SP3102",
      message: `${origin} speaks no TLS that this machine accepts (${code}).`,
      hint: "Update the server, or the proxy in front of it: TLS 1.2 or later, with current keys and ciphers.",
    };
  const hint = tlsHint(code);
  if (hint === undefined) return undefined;
  const refusal = refusals.find(([name]) => name.test(code))?.[1];
  const what =
    refusal === undefined ? `The certificate of ${origin} is ${whyRefused(error, code)}` : `${origin} ${refusal}`;
  return { code: "SP3106", message: `${what} (${code}).`, hint };
}

/** Node's error about a wrong host name has the certificate, and one without a name has OpenSSL's words. */
function whyRefused(error: unknown, code: string): string {
  if (code === "UNSPECIFIED") return `not trusted: ${messageOf(error)}`;
  const names = member(member(error, "cert"), "subjectaltname");
  return typeof names === "string" ? `for ${shortened(names, 200)}` : "not trusted";
}

/** Returns what to do about a certificate, the server's or the client's, that a code is about; undefined for any other code. */
export function tlsHint(code: string): string | undefined {
  if (!names.test(code)) return undefined;
  if (code.includes("ALERT")) return clientCertificateHint;
  if (/EXPIRED|NOT_YET/.test(code)) return "Renew the certificate, or correct this machine's clock.";
  if (/ALTNAME|HOSTNAME/.test(code)) return "The certificate is for another host: correct the URL or the certificate.";
  if (code === "UNSPECIFIED")
    return "Have it made again, by an authority that signs with SHA-256 or better, for a key of 2048 bits or more.";
  return "Set SETPOINT_CA_FILE or NODE_EXTRA_CA_CERTS to a PEM file with your company's certificate authority. Alternatively, the server may be leaving out an intermediate certificate.";
}
