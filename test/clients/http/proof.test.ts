import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { ciService } from "../../../src/clients/ci/service.ts";
import { provingReads } from "../../../src/clients/http/proof.ts";
import { wikiService } from "../../../src/clients/wiki/service.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import { serviceOf } from "../fixtures.ts";

const missing = new ProblemError({ code: "SP3005", message: "It is missing." });
const late = new ProblemError({ code: "SP3101", message: "Nobody answered.", operation: "getVersion" });
const version = { version: "2.479" };

/** Reads of a service that gives these answers. A problem is returned instead of thrown. */
function reads(role: "ci" | "wiki", answers: Readonly<Record<string, unknown>>) {
  const sent: string[] = [];
  const send = async (operation: string) => {
    sent.push(operation);
    const answer = await answers[operation];
    if (answer instanceof ProblemError) throw answer;
    return answer;
  };
  const proving = provingReads(send, serviceOf(role), role === "ci" ? ciService : wikiService);
  const read = (operation: string) =>
    proving(operation, {}).catch((error: unknown) => (error instanceof ProblemError ? error.problems[0] : error));
  return { sent, read };
}

const nothings = [undefined, "", [], {}, { tags: [] }];

describe("a service", () => {
  test.each([...nothings, missing])(
    "that proves itself is believed, and asked for the proof once: %j",
    async (nothing) => {
      const { sent, read } = reads("ci", { getJob: nothing, getVersion: version });
      const expected = nothing === missing ? missing.problems[0] : nothing;
      for (const _time of [1, 2]) expect(await read("getJob")).toEqual(expected);
      expect(sent).toEqual(["getJob", "getVersion", "getJob"]);
    },
  );

  test.each([...nothings, late])(
    "whose proof is %j is not believed, whether it says that something is missing or nothing",
    async (proof) => {
      const { read } = reads("ci", { getJob: missing, getBuildXml: "", getVersion: proof });
      const why = proof === late ? "getVersion failed: Nobody answered." : "failed: The service sent an empty answer.";
      for (const [operation, said] of [
        ["getJob", "It is missing."],
        ["getBuildXml", "The service sent an empty answer."],
      ] as const)
        expect(await read(operation)).toMatchObject({
          code: "SP3103",
          message: expect.stringMatching(new RegExp(`^${said} That does not prove absence: .* ${why}$`)),
        });
    },
  );

  test("is proven by what another read brings, which is waited for each time", async () => {
    const listed = Promise.withResolvers<unknown>();
    const never = new Promise(() => {});
    const answers = { getLatestStableCore: "2.479", getJob: missing, listPlugins: listed.promise, getBuildXml: never };
    const { sent, read } = reads("ci", answers);
    expect(await read("getLatestStableCore")).toBe("2.479");
    const all = ["getJob", "listPlugins", "getBuildXml"].map(read);
    await setImmediate();
    listed.resolve([1]);
    expect(await Promise.all(all.slice(0, 2))).toMatchObject([{ code: "SP3005" }, [1]]);
    expect(await read("getJob")).toMatchObject({ code: "SP3005" });
    expect(sent).not.toContain("getVersion");
  });

  test("proves itself once no read is under way, whatever begins meanwhile", async () => {
    const listed = Promise.withResolvers<unknown>();
    const { sent, read } = reads("ci", { getJob: missing, listPlugins: listed.promise, getVersion: version });
    const both = ["getJob", "listPlugins"].map(read);
    await setImmediate();
    const later = read("getJob");
    listed.resolve([]);
    expect(await Promise.all([...both, later])).toMatchObject([{ code: "SP3005" }, [], { code: "SP3005" }]);
    expect(sent).toEqual(["getJob", "listPlugins", "getJob", "getVersion"]);
  });

  test("is not proven by what comes from another root", async () => {
    const { read } = reads("ci", { getLatestStableCore: "2.479", getJob: missing, getVersion: late });
    expect(await Promise.all([read("getLatestStableCore"), read("getJob")])).toMatchObject([
      "2.479",
      { code: "SP3103" },
    ]);
  });

  test("is not believed that one of several things is missing either", async () => {
    const several = new ProblemError(...missing.problems, ...late.problems);
    const { read } = reads("ci", { getJob: several, getVersion: late });
    expect(await read("getJob")).toMatchObject({ code: "SP3103" });
  });

  test("needs no proof for any other problem", async () => {
    const { sent, read } = reads("ci", { getJob: late });
    expect(await read("getJob")).toMatchObject({ code: "SP3101" });
    expect(sent).toEqual(["getJob"]);
  });
});

describe("a service that answers anyone", () => {
  test.each([
    ["known", "SP3005"],
    ["anonymous", "SP3003"],
  ])("is believed only if it knows the account: %s", async (type, code) => {
    const never = new Promise(() => {});
    const { sent, read } = reads("wiki", {
      getPage: missing,
      getCurrentUser: { type },
      getServerManifest: version,
      other: never,
    });
    // Neither what it told anyone before, nor a read under way, matters.
    expect(await read("getServerManifest")).toEqual(version);
    void read("other");
    expect(await read("getPage")).toMatchObject({ code, message: expect.stringMatching(/^It is missing\./) });
    expect(sent).toEqual(["getServerManifest", "other", "getPage", "getCurrentUser"]);
  });
});
