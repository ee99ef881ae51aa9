import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { openLeaseRef } from "../../../src/engine/locks/lease-ref.ts";
import type { Repository } from "../../../src/manifests/sources/repository.ts";
import { problemsOf } from "../../support/lab.ts";
import { virtualClock } from "../../support/virtual-clock.ts";
import { foreign, leaseText, ref, start } from "./leases.ts";

describe("the ref of a lease", () => {
  const id = "a".repeat(40);

  /** A repository whose remote has the ref, and that describes its commit in these ways, one after the other. */
  const described = (...found: string[]) => committed(leaseText(), ...found);

  function committed(message: string, ...found: string[]): Pick<Repository, "run"> {
    const answers: Readonly<Record<string, () => string>> = {
      "ls-remote": () => `${id}\t${ref}\n`,
      "--batch-check": () => `${id} ${found.shift()}`,
      commit: () => `tree 0\n\n${message}`,
    };
    return { run: async ([name = "", what = ""]) => Buffer.from((answers[name] ?? answers[what])?.() ?? "") };
  }

  test.each([
    ["commit 4096", "lease"],
    ["commit 4097", "strange"],
    ["tag 200", "strange"],
    ["blob 200", "strange"],
  ])("is read only from a small commit: in a %s is something %s", async (found, is) => {
    const place = await openLeaseRef(described(found), ref, virtualClock(start));
    expect(await place.look()).toMatchObject({ is, id });
  });

  test.each([
    ["another subject", leaseText().replace("setpoint lease", "Fix \u001b[2J the build ##vso[task.complete]")],
    ["a subject alone", "setpoint lease\n\n"],
    ["a holder that paints a terminal", leaseText({ holder: "\u001b[2Jadmin" })],
    ["a holder that runners obey", leaseText({ holder: "##vso[task.complete result=Succeeded]" })],
    ["a holder that is read backwards", leaseText({ holder: "a\u202eb" })],
    ["a run of several lines", leaseText({ run: "r\n::set-env name=A::b" })],
    ["no moment", leaseText({ expires: "tomorrow" })],
    ["another field", leaseText({ more: "::set-env" })],
  ])("has no lease if its commit, of someone else, has %s", async (_what, message) => {
    const look = async (text: string) =>
      (await openLeaseRef(committed(text, "commit 200"), ref, virtualClock(start))).look();
    expect(await look(message)).toEqual({ is: "strange", id });
    expect(await look(leaseText())).toEqual({ is: "lease", id, lease: foreign });
  });

  test("is looked for again if its ref moves meanwhile, but not forever", async () => {
    const look = async (...found: string[]) =>
      (await openLeaseRef(described(...found), ref, virtualClock(start))).look();
    const gone = ["missing", "missing", "missing", "missing"];
    expect(await look(...gone, "commit 200")).toMatchObject({ is: "lease", id });
    expect(await problemsOf(look(...gone, "missing"))).toMatchObject([{ code: "SP5002" }]);
  });

  test("is not waited for if the remote does not answer", async () => {
    const run: Repository["run"] = async ([name], { signal = new AbortController().signal } = {}) => {
      if (name === "config") return Buffer.alloc(0);
      await once(signal, "abort");
      throw new Error("ended");
    };
    const place = await openLeaseRef({ run }, ref, { wait: async () => {} });
    expect(await problemsOf(place.look())).toMatchObject([
      { code: "SP5002", message: "The remote origin did not answer within 20 seconds." },
    ]);
  });
});
