import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

const curve = "ec -pkeyopt ec_paramgen_curve:P-256";

/** The texts of certificates and their keys, by request: making one takes as long as most tests with one. */
const made = new Map<string, { readonly key: Buffer; readonly cert: Buffer }>();

/** Returns a certificate for the loopback address, or another name of the server, and a file with which to trust it. */
export function loopbackCertificate(name = "IP:127.0.0.1", kind = curve) {
  const folder = mkdtempSync(join(tmpdir(), "setpoint-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [keyFile, certFile] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const request = `req -x509 -newkey ${kind} -nodes -days 2 -subj /CN=localhost -addext subjectAltName=${name}`;
  const { key, cert } = made.get(request) ?? create(request, keyFile, certFile);
  made.set(request, { key, cert });
  writeFileSync(keyFile, key);
  writeFileSync(certFile, cert);
  return { key, cert, files: { keyFile, certFile }, env: { SETPOINT_CA_FILE: certFile } };
}

function create(request: string, keyFile: string, certFile: string) {
  const files = ["-keyout", keyFile, "-out", certFile];
  execFileSync("openssl", [...request.split(" "), ...files], { stdio: "ignore" });
  return { key: readFileSync(keyFile), cert: readFileSync(certFile) };
}
