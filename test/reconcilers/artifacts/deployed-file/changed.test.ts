import { Hash } from "node:crypto";
import { appendFileSync, readFileSync, statSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { openLab } from "../../../support/lab.ts";
import { artifactsWorld, stored } from "../../../support/worlds/artifacts-fixture.ts";
import { diskWith, file, itemsOf, outcomesOf, planWhere, site, siteOf } from "./disk.ts";

describe("DeployedFile", () => {
  test("computes one SHA-256 of a file for the plan and none to send it", async () => {
    await using lab = await openLab({ world: artifactsWorld({}) });
    const manifests = { now: file(), folder: diskWith({ "a.jar": "hashed once" }) };
    const { sha256 } = stored("hashed once").file;
    using digests = vi.spyOn(Hash.prototype, "digest");
    const computed = () => digests.mock.results.filter(({ value }) => value === sha256).length;
    await lab.plan(manifests);
    expect(computed()).toBe(1);
    await lab.apply(manifests);
    // One for another plan, and one by the service.
    expect(computed()).toBe(3);
  });

  test("trusts a service that reports only the SHA-1, and reads the file a second time only for that", async () => {
    const [live, other] = [stored("live").file, stored("other").file];
    expect(await planWhere({ sha256: live.sha256, sha1: live.sha1 }, ["live"])).toMatchObject({
      plan: { changes: [] },
      readings: 1,
    });
    expect(await planWhere({ sha1: live.sha1 }, ["live"])).toMatchObject({ plan: { changes: [] }, readings: 2 });
    expect(await planWhere({ sha1: other.sha1 }, ["live"])).toMatchObject({
      plan: {
        changes: [{ fields: [{ live: `sha1:${other.sha1}`, desired: `sha256:${live.sha256}` }] }],
      },
      readings: 2,
    });
  });

  test("is unknown if the file changes before its SHA-1 is computed, or if no checksum is reported", async () => {
    const { sha1 } = stored("as it is!").file;
    expect((await planWhere({ sha1 }, ["as it was", "as it is!"])).plan).toMatchObject({
      changes: [],
      unknown: [
        { address: "artifacts/DeployedFile/libs/app/a.jar", problem: { code: "SP1017", service: "artifacts" } },
      ],
    });
    expect((await planWhere({}, ["live"])).plan).toMatchObject({ unknown: [{ problem: { code: "SP3104" } }] });
  });

  test.each([
    ["another content", (path: string) => writeFileSync(path, "evil")],
    [
      "other bytes, with the size and the times that it had",
      (path: string) => {
        const { atime, mtime } = statSync(path);
        writeFileSync(path, readFileSync(path).reverse());
        utimesSync(path, atime, mtime);
      },
    ],
    ["more at its end", (path: string) => appendFileSync(path, "!")],
    ["nothing in it", (path: string) => writeFileSync(path, "")],
    [
      "a link to another file",
      (path: string) => {
        unlinkSync(path);
        symlinkSync("/etc/hostname", path);
      },
    ],
  ])("a file that has %s since the plan is not stored, and the change is stale", async (_what, change) => {
    for (const [now, name, content] of [
      [file(), "a.jar", "new"],
      [site(), "site.tgz", siteOf({ a: "1" })],
    ] as const) {
      await using lab = await openLab({ world: artifactsWorld({}) });
      const folder = diskWith({ [name]: content });
      const report = await lab.apply({ now, folder }, () => change(join(folder, name)));
      expect(report.outcomes).toMatchObject([{ result: "stale", problem: { code: "SP4003" } }]);
      expect(itemsOf(lab)).toEqual({});
    }
  });

  test("a large file that changes is not stored either, since its last part is never sent", async () => {
    await using lab = await openLab({ world: artifactsWorld({}) });
    const folder = diskWith({ "a.jar": Buffer.alloc(3_000_000, 1) });
    const report = await lab.apply({ now: file(), folder }, () =>
      // Only its last byte changes.
      writeFileSync(join(folder, "a.jar"), Buffer.alloc(3_000_000, 1).fill(2, 2_999_999)),
    );
    expect(outcomesOf(report)).toEqual(["stale"]);
    expect(itemsOf(lab)).toEqual({});
  });
});
