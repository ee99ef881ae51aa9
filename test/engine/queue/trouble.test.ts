import { expect, test } from "vitest";
import { troubled, troubleOf, unfitness } from "../../../src/engine/queue/trouble.ts";

const fit = {
  redis_version: "7.0.15",
  redis_mode: "standalone",
  role: "master",
  maxmemory_policy: "noeviction",
  cluster_enabled: "0",
};

/** Valkey 8.0.1 uses other field values than Redis. */
const valkey = { redis_version: "7.2.4", server_name: "valkey", server_mode: "cluster", redis_mode: "" };

function info(said: Readonly<Record<string, string>>): string {
  return `# Server\r\n${Object.entries({ ...fit, ...said })
    .map((entry) => entry.join(":"))
    .join("\r\n")}\r\n`;
}

test("whether a server can hold a queue is decided by its INFO", () => {
  const fitting = [
    {},
    { redis_version: "6.2.0" },
    { redis_version: "10.0.1" },
    { ...valkey, server_mode: "standalone" },
  ];
  for (const said of fitting) expect(unfitness(info(said))).toBeUndefined();
  expect(unfitness("# Server of somebody else")).toBeUndefined();
  expect(unfitness(info({ redis_version: "6.0.16" }))).toBe("it is Redis 6.0.16, and 6.2 is needed");
  expect(unfitness(info({ redis_version: "5.0.14" }))).toBe("it is Redis 5.0.14, and 6.2 is needed");
  expect(unfitness(info({ redis_mode: "cluster", cluster_enabled: "1" }))).toBe("it is a cluster");
  expect(unfitness(info({ ...valkey, cluster_enabled: "1" }))).toBe("it is a cluster");
  expect(unfitness(info({ role: "slave" }))).toBe("it is a replica");
  expect(unfitness(info({ redis_mode: "sentinel", sentinel_masters: "1" }))).toBe("it is a Sentinel");
  expect(unfitness(info({ maxmemory_policy: "volatile-lru" }))).toContain("volatile-lru");
});

test.each([
  ["WRONGPASS invalid username-password pair or user is disabled.", "cannot be used (WRONGPASS)", "Set SETPOINT_QUEUE"],
  ["NOPERM this user has no permissions to run the 'eval' command", "cannot be used (NOPERM)", "Give the user"],
  [
    "OOM command not allowed when used memory > 'maxmemory'. script: 1",
    "cannot be used (OOM)",
    "Redis has run out of memory",
  ],
  ["READONLY You can't write against a read only replica.", "cannot be used (READONLY)", "A queue needs one server"],
  ["UNBLOCKED force unblock from blocking operation", "cannot be used (UNBLOCKED)", "A queue needs one server"],
  ["DENIED Redis is running in protected mode", "cannot be used (DENIED)", "Check the URL: redi"],
  ["MOVED 3999 127.0.0.1:6381", "cannot be used (MOVED)", "A queue needs one server"],
  ["ERR DB index is out of range", "cannot be used (it has no such database)", "Check the URL"],
  [
    "Socket timeout. Expecting data, but didn't receive any in 15000ms.",
    "does not answer (silent for 15 s)",
    "Check the URL: redi",
  ],
  ["Connection is closed.", "does not answer (no connection)", "Check the URL: redi"],
])("an error of Redis is recognized by its first word and comes with a hint: %s", (said, message, hint) => {
  const problem = troubled("redis://q", troubleOf(new Error(said)));
  expect(problem).toEqual({
    code: "SP5008",
    message: `The queue at redis://q ${message}.`,
    hint: expect.stringMatching(RegExp(`^${hint}`)),
  });
});

test("a server that hangs up is reported with its possible reasons", () => {
  const hintOf = (code: string) => troubled("rediss://q", troubleOf(Object.assign(new Error("write"), { code }))).hint;
  for (const code of ["EPIPE", "ECONNRESET", "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED"])
    expect(hintOf(code)).toContain("protected-mode, maxclients and tls-auth-clients");
});

test("a connection error is reported by its code, without what was sent", () => {
  const error = Object.assign(new Error("connect to redis://me:pa55@q"), { code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" });
  const { message, hint } = troubled("redis://q", troubleOf(error));
  expect(message).toBe("The queue at redis://q does not answer (UNABLE_TO_VERIFY_LEAF_SIGNATURE).");
  expect(hint).toContain("SETPOINT_CA_FILE");
});

test.each([
  ["CERT_HAS_EXPIRED", "Renew the certificate"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "for another host"],
  ["UNSPECIFIED", "2048 bits"],
])("a certificate of Redis gets the hint that one of a service gets: %s", (code, hint) => {
  expect(troubled("rediss://q", troubleOf(Object.assign(new Error("x"), { code }))).hint).toContain(hint);
});
