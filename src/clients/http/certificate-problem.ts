import type { Problem } from "../../core/problem.ts";

/** OpenSSL's names for a certificate chain that is not trusted, and Node's for a wrong host name. */
const names = /CERT|^UNABLE_TO_|^CRL_|^(INVALID_CA|INVALID_PURPOSE|HOSTNAME_MISMATCH|PATH_LENGTH_EXCEEDED)$/;

/** The problem of a connection that ended with an error about certificates; undefined if it is about something else. */
export function certificateProblem(origin: string, code: string): Problem | undefined {
  if (!names.test(code)) return undefined;
  // An alert comes from the other side: it is our certificate that is missing.
  const what = code.includes("ALERT")
    ? `${origin} asks for a certificate`
    : `The certificate of ${origin} is not trusted`;
  return { code: "SP3106", message: `${what} (${code}).`, hint: hintFor(code) };
}

function hintFor(code: string): string {
  if (code.includes("ALERT")) return "setpoint has no client certificate: use an address that does not require one.";
  if (/EXPIRED|NOT_YET/.test(code)) return "Renew the certificate, or correct this machine's clock.";
  if (/ALTNAME|HOSTNAME/.test(code))
    return "The certificate is for another host: correct the service's url or the certificate.";
  return "Set SETPOINT_CA_FILE or NODE_EXTRA_CA_CERTS to a PEM file with your company's certificate authority. Alternatively, the server may be leaving out an intermediate certificate.";
}
