import { isIP } from "node:net";
import { connect } from "node:tls";
import type { Finding } from "../../clients/check.ts";

/** Days before its end from which on a certificate is to be renewed. */
const renewal = 21;
const day = 24 * 60 * 60 * 1000;

/**
 * How long the certificate of an https URL is valid; nothing for other URLs. Whether it is trusted is not looked at: the
 * service's own requests tell.
 *
 * @param now milliseconds since 1970
 * @param timeout milliseconds
 */
export async function certificateFindings(url: string, now: number, timeout: number): Promise<readonly Finding[]> {
  const { protocol, hostname, port, host } = new URL(url);
  if (protocol !== "https:") return [];
  const check = "certificate";
  const end = await endOfCertificate(hostname.replace(/^\[|\]$/g, ""), Number(port || 443), timeout);
  if (end === undefined) return [{ check, result: "unknown", says: `no direct connection to ${host}` }];
  const days = Math.floor((end - now) / day);
  const on = new Date(end).toISOString().slice(0, 10);
  const says = days < 0 ? `ended on ${on}` : `valid for ${days} days, until ${on}`;
  return [
    days < renewal
      ? { check, result: "wrong", says, hint: "Have the certificate renewed." }
      : { check, result: "ok", says },
  ];
}

/** When the certificate of a server ends, in milliseconds since 1970; undefined where there is no connection. */
function endOfCertificate(host: string, port: number, timeout: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    // Nothing is sent, so nothing needs to be trusted; a certificate that is not is looked at all the same.
    const socket = connect({
      host,
      port,
      timeout,
      rejectUnauthorized: false,
      servername: isIP(host) === 0 ? host : "",
    });
    const settle = (end: number | undefined) => {
      socket.destroy();
      resolve(end);
    };
    socket.once("secureConnect", () => settle(Date.parse(socket.getPeerCertificate().valid_to)));
    socket.once("timeout", () => settle(undefined));
    socket.once("error", () => settle(undefined));
  });
}
