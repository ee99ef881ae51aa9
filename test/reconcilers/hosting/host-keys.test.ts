import { describe, expect, test } from "vitest";
import { hostKeys } from "../../../src/reconcilers/hosting/host-keys.ts";
import { type Lab, openLab, problemsOf } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";
import { imported, readerOn } from "../../support/read-lists.ts";

const [first, second, third] = ["ssh-ed25519 AAAAfirst+/==", "ecdsa-sha2-nistp256 AAAAsecond", "ssh-rsa AAAAthird="];

function keys(named: readonly string[], exclusive?: boolean): string {
  return document("HostKeys", { keys: named, ...(exclusive === undefined ? {} : { exclusive }) });
}

async function labWith(...presented: readonly string[]): Promise<Lab> {
  const lab = await openLab();
  lab.sandbox.change(({ hosting }) => {
    hosting.sshKeys = [...presented];
  });
  return lab;
}

describe("HostKeys", () => {
  test("keys that the service presents are in sync, in any order and with any comment: one read", async () => {
    await using lab = await labWith(first, second, third);
    const plan = await lab.plan(keys([`${third} of the archive`, first]));
    expect([plan.changes, plan.inSync]).toEqual([[], ["hosting/HostKeys/ssh"]]);
    expect(lab.asked()).toEqual(["getMeta"]);
  });

  test("a key that it does not present needs a person", async () => {
    await using lab = await labWith(first);
    const report = await lab.apply(keys([first, second]));
    expect(report.plan.changes).toMatchObject([
      {
        action: "check",
        fields: [{ path: ["keys"], live: [first], desired: [second, first] }],
        instruction: expect.stringContaining("operator"),
      },
    ]);
    expect(report.outcomes).toEqual([]);
    expect(lab.asked()).toEqual(["getMeta"]);
  });

  test("a key that no manifest names is a difference only if the keys are exclusive", async () => {
    await using lab = await labWith(first, second);
    expect((await lab.plan(keys([first]))).changes).toEqual([]);
    expect((await lab.plan(keys([first], true))).changes).toMatchObject([
      { action: "check", fields: [{ live: [second, first], desired: [first] }] },
    ]);
    expect((await lab.plan(keys([second, first], true))).changes).toEqual([]);
  });

  test("a service that reports no keys is unknown", async () => {
    await using lab = await labWith();
    expect((await lab.plan(keys([first]))).unknown.map(({ problem }) => problem.code)).toEqual(["SP3103"]);
  });

  test("an import is in sync", async () => {
    await using lab = await labWith(first, second);
    const specs = await hostKeys.list?.(readerOn(lab, "hosting"));
    expect(lab.asked()).toEqual(["getMeta"]);
    const plan = await lab.plan(imported(hostKeys, specs));
    expect([plan.changes, plan.inSync.length]).toEqual([[], 1]);
  });

  test.each(["github.com ssh-ed25519 AAAA", "ssh-ed25519", "SHA256:abc"])("%j is not a key", async (key) => {
    await using lab = await openLab();
    expect(await problemsOf(lab.plan(keys([key])))).toMatchObject([{ code: "SP1002" }]);
  });
});
