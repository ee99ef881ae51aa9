import { describe, expect, test } from "vitest";
import { artifactsSandbox, file, post, send } from "./artifacts.ts";

describe("builds", () => {
  const retain = async (body: unknown) => {
    const sandbox = await artifactsSandbox();
    sandbox.change(({ artifacts }) => {
      const days = ["01", "02", "03", "04"];
      artifacts.builds.b = Object.fromEntries(
        days.map((day, index) => [
          `${index + 1}`,
          { started: `2026-05-${day}T00:00:00.000Z`, properties: {}, artifacts: [], statuses: [] },
        ]),
      );
    });
    const answer = await post(sandbox, "/api/build/retention/b?async=false", body);
    return [answer.status, Object.keys(sandbox.state().artifacts.builds.b ?? {})];
  };

  test.each([
    [{ count: 2 }, ["3", "4"]],
    [{ count: "2", minimumBuildDate: null }, ["3", "4"]],
    [{ count: 1, buildNumbersNotToBeDiscarded: [1] }, ["1", "4"]],
    [{ count: 2, buildNumbersNotToBeDiscarded: ["4"] }, ["2", "3", "4"]],
    [{ minimumBuildDate: Date.UTC(2026, 4, 3) }, ["3", "4"]],
    [{ minimumBuildDate: "2026-05-04T00:00:00.000+0000" }, ["4"]],
    [{}, ["1", "2", "3", "4"]],
  ])("retention by %j keeps %j", async (body, kept) => {
    expect(await retain(body)).toEqual([204, kept]);
  });

  test.each([{ count: 0 }, { count: "few" }, { minimumBuildDate: "soon" }])(
    "retention by %j is refused",
    async (body) => {
      expect(await retain(body)).toEqual([400, ["1", "2", "3", "4"]]);
    },
  );

  test("are listed newest first, with and without milliseconds in their times", async () => {
    const sandbox = await artifactsSandbox();
    sandbox.change(({ artifacts }) => {
      const build = { properties: {}, artifacts: [], statuses: [] };
      artifacts.builds.b = {
        early: { ...build, started: "2026-05-01T00:00:00Z" },
        late: { ...build, started: "2026-05-01T00:00:00.500Z" },
      };
    });
    const { buildsNumbers } = JSON.parse((await send(sandbox, "/api/build/b")).text);
    expect(buildsNumbers).toMatchObject([{ uri: "/late" }, { uri: "/early" }]);
  });

  test("of an unknown name are not found", async () => {
    expect((await send(await artifactsSandbox(), "/api/build/none")).status).toBe(404);
  });
});

describe("the registry", () => {
  test("returns n names from a position, with a link while there are more", async () => {
    const manifests = ["a", "b", "c"].map((tag) => [`libs/team/app/${tag}/manifest.json`, file()]);
    const sandbox = await artifactsSandbox(Object.fromEntries(manifests));
    const path = "/api/docker/libs/v2/team/app/tags/list";
    const first = await send(sandbox, `${path}?n=2`);
    expect([JSON.parse(first.text).tags, first.headers.get("link")]).toEqual([
      ["a", "b"],
      `<${path}?last=2&n=2>; rel="next"`,
    ]);
    const rest = await send(sandbox, `${path}?n=2&last=2`);
    expect([JSON.parse(rest.text).tags, rest.headers.get("link")]).toEqual([["c"], null]);
    expect((await send(sandbox, "/api/docker/libs/v2/team/none/tags/list")).status).toBe(404);
    for (const n of ["", "few", "-1"])
      for (const name of ["n", "last"]) expect((await send(sandbox, `${path}?${name}=${n}`)).status).toBe(400);
  });

  test("promotes all tags if the official client leaves them empty", async () => {
    const sandbox = await artifactsSandbox({ "libs/team/app/1/manifest.json": file() });
    const left = { targetDockerRepository: "", tag: "", targetTag: "" };
    const image = { targetRepo: "libs", dockerRepository: "team/app", ...left };
    expect((await post(sandbox, "/api/docker/libs/v2/promote", image)).text).toContain(
      "Source and target are the same",
    );
  });

  test.each([
    ["far", 400],
    ["all", 404],
  ])(
    "refuses to promote to %s, which is not local; the promotion of a build there answers %i",
    async (targetRepo, status) => {
      const sandbox = await artifactsSandbox({ "libs/team/app/1/manifest.json": file() });
      sandbox.change(({ artifacts }) => {
        artifacts.builds.b = { "1": { started: "2026-05-01T00:00:00Z", properties: {}, artifacts: [], statuses: [] } };
      });
      const image = { targetRepo, dockerRepository: "team/app" };
      expect((await post(sandbox, "/api/docker/libs/v2/promote", image)).status).toBe(400);
      expect((await post(sandbox, "/api/build/promote/b/1", { targetRepo })).status).toBe(status);
    },
  );
});
