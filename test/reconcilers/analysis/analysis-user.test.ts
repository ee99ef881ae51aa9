import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { openConnection } from "../../../src/clients/connect.ts";
import { secretResolver } from "../../../src/clients/credentials/credentials.ts";
import type { Call } from "../../../src/core/call.ts";
import type { Metadata } from "../../../src/core/resource.ts";
import { analysisUser } from "../../../src/reconcilers/analysis/analysis-user.ts";
import { userLimit } from "../../../src/reconcilers/analysis/shared/lists.ts";
import { type Lab, openLab, problemsOf } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";
import { listLive, readerWith } from "./live.ts";

function user(name: string, spec: Readonly<Record<string, unknown>> = {}, metadata: Partial<Metadata> = {}): string {
  return document("AnalysisUser", { name, ...spec }, metadata);
}

function namesIn({ sandbox }: Lab) {
  return sandbox.state().analysis.users.map(({ name }) => name);
}

function results(report: Awaited<ReturnType<Lab["apply"]>>) {
  return report.outcomes.map(({ result }) => result);
}

/** The form that a call sends, received by a server that accepts anything. */
async function formOf({ operation, args }: Call, env: Readonly<Record<string, string>>): Promise<URLSearchParams> {
  const forms: string[] = [];
  const server = createServer(async (request, response) => {
    forms.push(await text(request));
    response.writeHead(200, { "content-type": "application/json" }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const connection = openConnection(
    {
      name: "analysis",
      role: "analysis",
      type: "klocwork",
      url: `http://127.0.0.1:${portOf(server.address())}`,
      wire: "product",
      limits: { concurrency: 1, timeout: 120_000, attempts: 1 },
    },
    { mode: "write", credentials: { is: "none" }, resolveSecret: secretResolver(env), env },
  );
  await connection.call(operation, args);
  await connection.close();
  await new Promise((resolve) => server.close(resolve));
  return new URLSearchParams(forms.join("&"));
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === "object" && address !== null ? address.port : 0;
}

describe("AnalysisUser", () => {
  test("a user of a directory is deleted by a person", async () => {
    await using lab = await openLab();
    lab.sandbox.change(({ analysis }) => {
      for (const one of analysis.users) one.readonly = true;
    });
    expect((await lab.plan(user("jdoe"))).inSync).toHaveLength(1);
    const { changes, calls } = await lab.plan({ now: "", base: user("jdoe") });
    expect(changes).toMatchObject([{ action: "check", instruction: expect.stringContaining("read-only") }]);
    expect(calls).toEqual([]);
  });

  test("creates a user: one read, one write, one read to verify", async () => {
    await using lab = await openLab();
    const report = await lab.apply(user("akim"));
    expect(report.outcomes).toEqual([{ address: "analysis/AnalysisUser/akim", result: "applied" }]);
    expect(report.plan.changes).toMatchObject([{ action: "create", risks: ["widens-access"] }]);
    expect(lab.asked()).toEqual(["users", "createUser", "users"]);
    expect(namesIn(lab)).toContain("akim");
  });

  test("budget: twenty users are one read, one write each, and one read to verify", async () => {
    await using lab = await openLab();
    const users = Array.from({ length: 20 }, (_, n) => user(`user${n}`)).join("");
    expect(results(await lab.apply(users))).toEqual(Array(20).fill("applied"));
    expect(lab.asked()).toEqual(["users", ...Array(20).fill("createUser"), "users"]);
    expect((await lab.plan(users)).inSync).toHaveLength(20);
    expect(lab.asked()).toEqual(["users"]);
  });

  test("has nothing to update: the password is only used for creation", async () => {
    await using lab = await openLab();
    const now = user("jdoe", { password: "${env:NEW}" });
    expect((await lab.plan({ now, base: user("jdoe", { password: "${env:OLD}" }) })).changes).toEqual([]);
    expect((await lab.plan(user("jdoe", { password: "${env:NEW}" }, { ignore: ["password"] }))).changes).toEqual([]);
  });

  test("deletes a user that is declared absent", async () => {
    await using lab = await openLab();
    const report = await lab.apply(user("jdoe", {}, { state: "absent" }));
    expect(report.plan.changes).toMatchObject([{ action: "delete", risks: ["irreversible", "narrows-access"] }]);
    expect(lab.asked()).toEqual(["users", "deleteUser", "users"]);
    expect(namesIn(lab)).not.toContain("jdoe");
  });

  test("deletes what is removed from the manifests if there is a base, and keeps it otherwise", async () => {
    await using lab = await openLab();
    expect((await lab.plan("")).changes).toEqual([]);
    expect(results(await lab.apply({ now: "", base: user("jdoe") }))).toEqual(["applied"]);
    expect(namesIn(lab)).not.toContain("jdoe");
  });

  test("reports which side changed: a user that was declared before was deleted on the service", async () => {
    await using lab = await openLab();
    const verdicts = async (base: string) =>
      (await lab.plan({ now: user("akim"), base })).changes.map(({ verdict }) => verdict);
    expect(await verdicts("")).toEqual(["pending"]);
    expect(await verdicts(user("akim"))).toEqual(["drift"]);
    const revived = await lab.plan({
      now: user("jdoe", {}, { state: "absent" }),
      base: user("jdoe", {}, { state: "absent" }),
    });
    expect(revived.changes).toMatchObject([{ action: "delete", verdict: "drift" }]);
  });

  test("is unknown, not absent, if it is missing from a list that reached its limit", async () => {
    const found = async (length: number) => {
      const read = readerWith({ users: async () => Array.from({ length }, () => ({ name: "jdoe" })) });
      return analysisUser.observe(read, "users", [{ name: "jdoe" }, { name: "akim" }], new Date(0));
    };
    const cut = await found(userLimit);
    expect(cut.get("jdoe")?.is).toBe("present");
    expect(cut.get("akim")).toMatchObject({ is: "unknown", problem: { code: "SP3104" } });
    expect((await found(userLimit - 1)).get("akim")?.is).toBe("absent");
  });

  test("an empty list cannot be complete, since the account that reads it is a user", async () => {
    const read = readerWith({ users: async () => [] });
    for (const asking of [analysisUser.list?.(read), analysisUser.observe(read, "users", [{ name: "a" }], new Date(0))])
      expect(await problemsOf(asking ?? Promise.resolve())).toMatchObject([{ code: "SP3104" }]);
  });

  test("lists every user with one read; importing then planning gives an empty plan", async () => {
    await using lab = await openLab();
    const { specs, manifest, asked } = await listLive(lab, "AnalysisUser");
    expect(specs).toEqual(["admin", "auditor", "jdoe", "mlind"].map((name) => ({ name })));
    expect(asked).toEqual(["users"]);
    expect(await lab.plan(manifest)).toMatchObject({ changes: [], unknown: [] });
  });

  test("a list that reached its limit is not treated as complete", async () => {
    const users = Array.from({ length: userLimit }, () => ({ name: "jdoe" }));
    const list = analysisUser.list?.(readerWith({ users: async () => users })) ?? Promise.resolve();
    expect(await problemsOf(list)).toMatchObject([{ code: "SP3104" }]);
  });

  test("reads all users, even if there are more than the service lists by default", async () => {
    await using lab = await openLab();
    lab.sandbox.change(({ analysis }) => {
      analysis.users.unshift(...Array.from({ length: 1100 }, (_, n) => ({ name: `user${n}`, readonly: false })));
    });
    expect((await lab.plan(user("mlind"))).inSync).toEqual(["analysis/AnalysisUser/mlind"]);
  });

  test("a service that rejects the credentials makes its users unknown", async () => {
    await using lab = await openLab({ as: { username: "admin", secret: "wrong" } });
    const plan = await lab.plan(user("akim"));
    expect(plan.unknown.map(({ problem }) => problem.code)).toEqual(["SP3003"]);
    expect(plan.calls).toEqual([]);
  });

  test("an account without write access gets a failed outcome that names the missing permission", async () => {
    await using lab = await openLab({ as: { username: "jdoe", secret: "jdoe-secret" } });
    const report = await lab.apply(user("akim"));
    expect(report.outcomes).toMatchObject([{ result: "failed", problem: { code: "SP3004" } }]);
  });

  test("accepts names with special characters", async () => {
    await using lab = await openLab();
    const name = `+ü,\\"';/&=% x`;
    expect(results(await lab.apply(user(name)))).toEqual(["applied"]);
    expect(namesIn(lab)).toContain(name);
    expect(results(await lab.apply(user(name, {}, { state: "absent" })))).toEqual(["applied"]);
  });
});

describe("the password of an AnalysisUser", () => {
  const env = { AKIM_PASSWORD: "p4ss & wörd" };
  const manifest = user("akim", { password: "${env:AKIM_PASSWORD}" });

  test("is a reference wherever it is shown or kept, and plain text only at the service", async () => {
    await using lab = await openLab({ env });
    const report = await lab.apply(manifest);
    expect(results(report)).toEqual(["applied"]);
    const [call] = report.plan.calls;
    expect(call?.args).toEqual({ name: "akim", password: "${env:AKIM_PASSWORD}" });
    const kept = JSON.stringify([report, lab.journal, lab.sandbox.requests(), lab.sandbox.state()]);
    expect(kept).toContain("${env:AKIM_PASSWORD}");
    expect(kept).not.toContain("p4ss");
    const form = await formOf({ operation: "createUser", carries: [], args: call?.args ?? {} }, env);
    expect(Object.fromEntries(form)).toEqual({ action: "create_user", name: "akim", password: "p4ss & wörd" });
  });

  test("fails only the user if it is missing, before anything is sent for it", async () => {
    await using lab = await openLab();
    const report = await lab.apply(manifest + user("bwu"));
    expect(report.outcomes).toMatchObject([
      { address: "analysis/AnalysisUser/akim", result: "failed", problem: { code: "SP1015" } },
      { address: "analysis/AnalysisUser/bwu", result: "applied" },
    ]);
    expect(lab.asked()).toEqual(["users", "createUser", "users"]);
    expect(namesIn(lab)).not.toContain("akim");
  });

  test("in plain text is an error whose message does not repeat it", async () => {
    await using lab = await openLab();
    const problems = await problemsOf(lab.plan(user("akim", { password: "p4ssword" })));
    expect(problems).toContainEqual(expect.objectContaining({ code: "SP1015" }));
    expect(JSON.stringify(problems)).not.toContain("p4ss");
  });
});
