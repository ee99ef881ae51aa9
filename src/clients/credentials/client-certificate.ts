import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { ProblemError } from "../../core/problem.ts";
import { type Service, variableOf } from "../../core/service.ts";
import { reasonOf } from "../../core/text/reason.ts";
import { bind, type Environment } from "./credentials.ts";

/** A certificate with its private key, both PEM. */
export interface ClientCertificate {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/**
 * Returns the certificate to show to a server that asks for one (mutual TLS), from the files that `SETPOINT_<SERVICE>_CLIENT_CERT`
 * and `_CLIENT_KEY` name; undefined if neither is set. Like credentials, it is bound to `SETPOINT_<SERVICE>_URL`.
 *
 * Throws `ProblemError`: SP3001 if one of the two is missing, cannot be read or does not match the other, SP3002 if the
 * service's URL is not the bound one.
 */
export function clientCertificate(service: Service, env: Environment): ClientCertificate | undefined {
  const [certName, keyName] = [variableOf(service, "CLIENT_CERT"), variableOf(service, "CLIENT_KEY")];
  const [certFile, keyFile] = [env[certName], env[keyName]];
  if (!certFile && !keyFile) return undefined;
  const refuse = (message: string, hint: string) =>
    new ProblemError({ code: "SP3001", service: service.name, message, hint });
  if (!certFile || !keyFile) {
    const [set, missing] = certFile ? [certName, keyName] : [keyName, certName];
    throw refuse(`${set} is set, but ${missing} is not.`, `Set ${missing} to a PEM file.`);
  }
  bind(service, env[variableOf(service, "URL")]);
  const read = (file: string, name: string) => {
    try {
      return readFileSync(file);
    } catch (error) {
      throw refuse(`${file} cannot be read: ${reasonOf(error)}.`, `Set ${name} to a PEM file.`);
    }
  };
  const pair = { cert: read(certFile, certName), key: read(keyFile, keyName) };
  try {
    createSecureContext(pair);
  } catch {
    throw refuse(
      `${certFile} and ${keyFile} are not a certificate and its private key.`,
      "Both must be PEM files: the certificate first in its file, with any intermediate ones after it, and the key without a passphrase.",
    );
  }
  return pair;
}
