import { copyFileSync, existsSync, readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Reading } from "../../../src/clients/http/memory.ts";
import type { Service } from "../../../src/core/service.ts";
import { diskReadings } from "../../../src/engine/readings/readings.ts";
import { seal, unseal } from "../../../src/engine/readings/sealed.ts";
import { anyCharacter } from "../../support/any-character.ts";
import { temporaryFolder } from "../../support/commands.ts";

const limits = { concurrency: 1, timeout: 1, attempts: 1 };
const service: Service = {
  name: "hosting",
  role: "hosting",
  type: "github",
  url: "https://hosting.example",
  wire: "product",
  limits,
};

function reading(body: string): Reading {
  return { etag: `"${body}"`, type: "application/json", link: undefined, body };
}

describe("the files of readings", () => {
  test("keep the readings of two concurrent runs", async () => {
    await using folder = await temporaryFolder();
    const env = { XDG_CACHE_HOME: folder.path };
    const account = { service, asked: { authorization: "Bearer one" } };
    const [first, second] = [diskReadings(env), diskReadings(env)];
    const [one, two] = [first.of(account), second.of(account)];
    for (const store of [one, two]) expect(store.get("/a")).toBeUndefined();
    one.set("/a", reading("a"));
    two.set("/b", reading("b"));
    first.save();
    second.save();
    const after = diskReadings(env).of(account);
    expect([after.get("/a"), after.get("/b")]).toEqual([reading("a"), reading("b")]);
    expect(
      diskReadings(env)
        .of({ service, asked: { authorization: "Bearer two" } })
        .get("/a"),
    ).toBeUndefined();
    const elsewhere = { ...service, url: "https://elsewhere.example" };
    expect(
      diskReadings(env)
        .of({ ...account, service: elsewhere })
        .get("/a"),
    ).toBeUndefined();
    const older = { ...account, asked: { ...account.asked, "x-github-api-version": "1" } };
    expect(diskReadings(env).of(older).get("/a")).toBeUndefined();
  });

  test("cannot be used under another account's name, since the key differs", async () => {
    await using folder = await temporaryFolder();
    const kept = join(folder.path, "setpoint/readings");
    const open = (token: string) => diskReadings({ XDG_CACHE_HOME: folder.path }).of({ service, asked: { token } });
    const files = ["one", "two"].map((token) => {
      const before = new Set(existsSync(kept) ? readdirSync(kept) : []);
      const readings = diskReadings({ XDG_CACHE_HOME: folder.path });
      readings.of({ service, asked: { token } }).set("/a", reading(token));
      readings.save();
      return join(kept, readdirSync(kept).find((name) => !before.has(name)) ?? "");
    });
    expect(["one", "two"].map((token) => open(token).get("/a")?.body)).toEqual(["one", "two"]);
    const [first = "", second = ""] = files;
    copyFileSync(first, second);
    expect(open("two").get("/a")).toBeUndefined();
  });

  test("lose the least recently used readings first, and the least recently used accounts", async () => {
    await using folder = await temporaryFolder();
    const env = { XDG_CACHE_HOME: folder.path };
    const dropped: (readonly [string, number])[] = [];
    const open = () => diskReadings(env, { characters: 25, files: 2 }, (...one) => dropped.push(one));
    const account = { service, asked: {} };
    const readings = open();
    const store = readings.of(account);
    // Each reading takes ten characters.
    for (const name of ["a", "b", "c"]) store.set(`/${name}`, reading(name.repeat(3)));
    store.get("/a");
    readings.save();
    expect(dropped).toEqual([[service.name, 1]]);
    const after = open().of(account);
    expect(["/a", "/b", "/c"].map((path) => after.get(path)?.body)).toEqual(["aaa", undefined, "ccc"]);
    const kept = join(folder.path, "setpoint/readings");
    const [oldest = ""] = readdirSync(kept);
    utimesSync(join(kept, oldest), 1, 1);
    for (const token of ["one", "two"]) {
      const other = open();
      other.of({ service, asked: { token } }).set("/a", reading("a"));
      other.save();
    }
    expect(readdirSync(kept)).toHaveLength(2);
    expect(readdirSync(kept)).not.toContain(oldest);
  });

  test("return any text with its secret and with no other", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.string(), fc.string(), (text, secret, other) => {
        const sealed = seal(text, secret);
        expect(unseal(sealed, secret)).toBe(Buffer.from(text).toString());
        if (other !== secret) expect(unseal(sealed, other)).toBeUndefined();
      }),
      { numRuns: 50 },
    );
  });
});
