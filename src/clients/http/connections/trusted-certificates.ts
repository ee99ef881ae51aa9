import { readFileSync } from "node:fs";
import { getCACertificates } from "node:tls";
import { ProblemError } from "../../../core/problem.ts";
import { reasonOf } from "../../../core/text/reason.ts";

/**
 * Returns the certificates that Node trusts, including NODE_EXTRA_CA_CERTS, and those of one more PEM file. Throws
 * `ProblemError` SP3106 if the file cannot be read or has none.
 */
export function trustedCertificates(file: string): string[] {
  try {
    const certificates = readFileSync(file, "utf8");
    // Node would ignore such a file.
    if (!/BEGIN (\w+ )?CERTIFICATE-----[^-]+-----END/.test(certificates)) throw new Error("it has none in PEM");
    return [...getCACertificates("default"), certificates];
  } catch (error) {
    throw new ProblemError({
      code: "SP3106",
      message: `The certificates in ${file} cannot be read: ${reasonOf(error)}.`,
      hint: "Set SETPOINT_CA_FILE to a PEM file with the certificates of your company's authority.",
    });
  }
}
