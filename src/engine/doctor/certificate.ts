import { isIP } from "node:net";
import { connect } from "node:tls";
import type { CheckResult } from "../../clients/check.ts";
import { counted } from "../../core/text/words.ts";

/** Days before its expiry from which a certificate should be renewed. */
const renewal = 21;
const day = 24 * 60 * 60 * 1000;

/**
 * Returns a finding on how long the certificate of an https URL is valid; empty for other URLs. Trust is not checked here: the
 * service's own requests do that.
 *
 * @param now milliseconds since 1970
 * @param timeout milliseconds
 */
export async function certificateFindings(url: string, now: number, timeout: number): Promise<readonly CheckResult[]> {
  const { protocol, hostname, port, host } = new URL(url);
  if (protocol !== "https:") return [];
  const check = "certificate";
  const end = await endOfCertificate(hostname.replace(/^\[|\]$/g, ""), Number(port || 443), timeout);
  if (end === undefined) return [{ check, result: "unknown", says: `no direct connection to ${host}` }];
  const days = Math.floor((end - now) / day);
  const on = () => new Date(end).toISOString().slice(0, 10);
  const says = Number.isNaN(days)
    ? "has no readable time of expiry"
    : days < 0
      ? `expired on ${on()}`
      : `valid for ${counted(days, "day")}, until ${on()}`;
  return [
    days >= renewal ? { check, result: "ok", says } : { check, result: "wrong", says, hint: "Renew the certificate." },
  ];
}

/** Returns when the certificate of a server expires, in milliseconds since 1970; undefined if there is no connection. */
function endOfCertificate(host: string, port: number, timeout: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    // Nothing is sent, so an untrusted certificate can be examined too.
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
