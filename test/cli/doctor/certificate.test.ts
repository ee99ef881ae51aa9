import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { Socket } from "node:net";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { certificateFindings } from "../../../src/engine/doctor/certificate.ts";
import type { Examined } from "../../../src/engine/doctor/examine.ts";
import { openDesk } from "../../support/commands.ts";
import { workspaceFolder } from "../workspace-folder.ts";

const { path: folder, remove } = workspaceFolder([]);
afterAll(remove);

describe("a certificate", () => {
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const day = 24 * 60 * 60 * 1000;

  async function serveTls(changed = (pem: string) => pem): Promise<string> {
    const request = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 90 -subj /CN=localhost";
    execFileSync("openssl", [...request.split(" "), "-keyout", key, "-out", cert], { stdio: "ignore" });
    const shown = changed(readFileSync(cert, "utf8"));
    const server = createServer({ key: readFileSync(key), cert: shown }).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      server.close();
    });
    const address = server.address();
    return `https://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  }

  test("is in order, due for renewal or about to expire, depending on the days left", async () => {
    const url = await serveTls();
    const now = Date.now();
    const found = (days: number) => certificateFindings(url, now + days * day, 120_000);
    expect(await found(0)).toMatchObject([
      { result: "ok", says: expect.stringMatching(/^valid for (89|90) days, until /) },
    ]);
    expect(await found(80)).toMatchObject([{ result: "wrong", hint: "Renew the certificate." }]);
    const [last] = await found(88.5);
    expect(last?.says).toMatch(/^valid for 1 day, until /);
    expect(await found(91)).toMatchObject([{ result: "wrong", says: expect.stringMatching(/^expired on /) }]);
  });

  test("is wrong if it does not say when it expires", async () => {
    const url = await serveTls((pem) => {
      const bytes = Buffer.from(pem.replace(/-----[^-]+-----/g, ""), "base64").toString("latin1");
      const spoilt = bytes.replace(/(\d{12}Z.*?)\d(?=\d{11}Z)/s, "$1X");
      const text = Buffer.from(spoilt, "latin1").toString("base64");
      return `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`;
    });
    const says = "has no readable time of expiry";
    expect(await certificateFindings(url, Date.now(), 120_000)).toMatchObject([{ result: "wrong", says }]);
  });

  test("is in order only for a service that is reached: one that is not trusted is not also valid", async () => {
    const url = await serveTls();
    await using desk = await openDesk("", { settings: `  locked: { type: gerrit, url: "${url}" }\n` });
    const env = { SETPOINT_LOCKED_USERNAME: "u", SETPOINT_LOCKED_PASSWORD: "p" };
    const findings = async (bound: string) => {
      const { out } = await desk.run(["doctor", "--json"], { ...env, SETPOINT_LOCKED_URL: bound });
      const { services }: { services: readonly Examined[] } = JSON.parse(out);
      return services.find(({ name }) => name === "locked")?.findings.map(({ check, code }) => [check, code]);
    };
    expect(await findings(url)).toEqual([["reachable", "SP3106"]]);
    expect(await findings("https://elsewhere.example")).toEqual([
      ["account", "SP3002"],
      ["certificate", undefined],
    ]);
  });

  test.each([
    ["https://wiki.example/path", { host: "wiki.example", port: 443, servername: "wiki.example" }],
    ["https://wiki.example:8443", { host: "wiki.example", port: 8443, servername: "wiki.example" }],
    ["https://127.0.0.1", { host: "127.0.0.1", port: 443, servername: "" }],
    ["https://[::1]:8443", { host: "::1", port: 8443, servername: "" }],
  ])("is the one that the server shows for the host and the port of %s", async (url, asked) => {
    const connecting = vi.spyOn(Socket.prototype, "connect").mockImplementation(function (this: Socket) {
      queueMicrotask(() => this.emit("timeout"));
      return this;
    });
    onTestFinished(() => connecting.mockRestore());
    expect(await certificateFindings(url, 0, 120_000)).toMatchObject([{ result: "unknown" }]);
    expect(connecting.mock.calls.map(([to]) => to)).toMatchObject([asked]);
  });

  test("is unknown without a connection, and not reported without TLS", async () => {
    expect(await certificateFindings("https://127.0.0.1:1", 0, 120_000)).toMatchObject([{ result: "unknown" }]);
    expect(await certificateFindings("http://127.0.0.1:1", 0, 120_000)).toEqual([]);
  });
});
