import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Creates a certificate for the loopback address, or another name of the server, and a file with which to trust it. */
export function loopbackCertificate(name = "IP:127.0.0.1", key = "ec -pkeyopt ec_paramgen_curve:P-256") {
  const folder = mkdtempSync(join(tmpdir(), "setpoint-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [keyFile, certFile] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const request = `req -x509 -newkey ${key} -nodes -days 2 -subj /CN=localhost`;
  const names = ["-addext", `subjectAltName=${name}`, "-keyout", keyFile, "-out", certFile];
  execFileSync("openssl", [...request.split(" "), ...names], { stdio: "ignore" });
  return {
    key: readFileSync(keyFile),
    cert: readFileSync(certFile),
    files: { keyFile, certFile },
    env: { SETPOINT_CA_FILE: certFile },
  };
}
