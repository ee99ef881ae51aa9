import { readdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { startSandbox } from "../../../src/sandbox/sandbox.ts";
import { environmentFor } from "../../../src/sandbox/server/environment.ts";
import { setpoint } from "../../support/commands.ts";
import { emptyFolder } from "./started.ts";

const named = [
  "--service",
  "review=gerrit:https://review.example.com",
  "--service",
  "gh=github:https://api.github.com",
];

test("with options it asks nothing, writes the files and names the variables to set, without comments, which zsh would run", async () => {
  const folder = await emptyFolder("far/from/here");
  const made = await folder.init(["infra", ...named]);
  expect(made.out.split("\n").filter((line) => line.length > 80 || line.includes("#"))).toEqual([]);
  expect(made).toMatchInlineSnapshot(`
    {
      "code": 0,
      "err": "",
      "out": "  + created   setpoint.yaml
      + created   .gitignore
      + created   .vscode/settings.json
      + created   .vscode/extensions.json
      + created   manifests/

    Set the credentials in your shell or in the pipeline, never in a file of the
    repository:

    review (gerrit)
      made in "Settings > HTTP Credentials > Generate New Password"
      export SETPOINT_REVIEW_URL=https://review.example.com
      export SETPOINT_REVIEW_USERNAME=
      export SETPOINT_REVIEW_PASSWORD=

    gh (github)
      made in "Settings > Developer settings > Fine-grained tokens, with
        Administration and Actions (read and write), Contents (read)"
      export SETPOINT_GH_URL=https://api.github.com
      export SETPOINT_GH_TOKEN=

    Next:
      cd infra
      npm install --save-dev setpoint
          editors read its schemas
      setpoint doctor
          can they be reached, and who am I there?
      setpoint import review
          write the first manifests, from what exists
      setpoint plan
          what an apply would do; only reads
    ",
    }
  `);
  expect(await readFile(join(folder.path, "infra/setpoint.yaml"), "utf8")).toMatchInlineSnapshot(`
    "# yaml-language-server: $schema=node_modules/setpoint/schema/workspace.schema.json
    version: 1
    manifests:
      - manifests/**/*.yaml
    services:
      review:
        type: gerrit
        url: https://review.example.com
      gh:
        type: github
        url: https://api.github.com
    "
  `);
  // Where npm would install the schemas, as advised.
  expect(await readFile(join(folder.path, "infra/.gitignore"), "utf8")).toBe(".setpoint/\nplan.json\nnode_modules/\n");
  expect((await readdir(join(folder.path, "infra"))).sort()).toEqual([
    ".gitignore",
    ".vscode",
    "manifests",
    "setpoint.yaml",
  ]);
});

test("a second run changes nothing, and adds to files that others have written without losing any of their content", async () => {
  const folder = await emptyFolder();
  await folder.write(".gitignore", "node_modules/\n");
  await folder.write(".vscode/settings.json", '{\n  // ours\n  "editor.tabSize": 4\n}\n');
  const first = await folder.init(named);
  expect(first.out).toMatch(/created {3}setpoint\.yaml\n.* extended {2}\.gitignore\n.* extended {2}\.vscode\/settings/);
  const texts = () =>
    Promise.all(
      ["setpoint.yaml", ".gitignore", ".vscode/settings.json", ".vscode/extensions.json"].map((file) =>
        readFile(join(folder.path, file), "utf8"),
      ),
    );
  const written = await texts();
  expect(written[1]).toBe("node_modules/\n.setpoint/\nplan.json\n");
  expect(written[2]).toMatch(/^\{\n {2}\/\/ ours\n {2}"editor\.tabSize": 4,\n {2}"yaml\.schemas"/);
  const second = await folder.init(["--json"]);
  const { files, services }: { readonly files: readonly { readonly is: string }[]; readonly services: unknown } =
    JSON.parse(second.out);
  expect(files.map(({ is }) => is)).toEqual(["kept", "kept", "kept", "kept"]);
  expect(services).toMatchObject([{ name: "review" }, { name: "gh" }]);
  expect(await texts()).toEqual(written);
});

test("it reports all errors together and writes nothing", async () => {
  const folder = await emptyFolder();
  const twice = ["--service", "review=gerit:review.example.com", "--service", "review=gerrit:https://a.example"];
  expect(await folder.init([".git/infra", ...twice])).toMatchInlineSnapshot(`
    {
      "code": 1,
      "err": "",
      "out": "SP1017  A workspace cannot be in .git.
      Hint: Name a folder of the working tree.
    SP5001  --service "review": There is no product "gerit". Did you mean "gerrit"?
    SP5001  --service "review": Expected an http or https URL without credentials,
        query and fragment. It begins with https://.
    SP5001  --service "review": Another service has the name "review".
    Nothing was written.
    ",
    }
  `);
  expect(await readdir(folder.path)).toEqual([]);
});

describe("it writes nothing", () => {
  test("without a terminal to ask on", async () => {
    const folder = await emptyFolder();
    expect(await folder.init([])).toMatchInlineSnapshot(`
      {
        "code": 1,
        "err": "",
        "out": "SP5001  init asks for services only on a terminal without --yes and --json.
        Hint: Name each with --service name=product:address, such as
          review=gerrit:https://review.example.com.
      Nothing was written.
      ",
      }
    `);
    expect(await readdir(folder.path)).toEqual([]);
  });

  test("if an existing file cannot be extended, naming each such file", async () => {
    const folder = await emptyFolder();
    await folder.write(".vscode/settings.json", "{");
    await folder.write("elsewhere", "");
    await symlink("elsewhere", join(folder.path, ".gitignore"));
    expect(await folder.init(named)).toMatchInlineSnapshot(`
      {
        "code": 1,
        "err": "",
        "out": "SP1017  .gitignore is not a regular file, so it is left alone.
        Hint: Move it away.
      SP1001  .vscode/settings.json is not a JSON object, so nothing can be added to
          it.
        Hint: Repair it, or move it away.
      Nothing was written.
      ",
      }
    `);
    expect((await readdir(folder.path)).sort()).toEqual([".gitignore", ".vscode", "elsewhere"]);
  });

  test("if a file or a link is where a folder is needed", async () => {
    const folder = await emptyFolder();
    await folder.write(".vscode", "");
    await symlink("nowhere", join(folder.path, "manifests"));
    const { code, out } = await folder.init(named);
    expect({ code, out }).toEqual({
      code: 1,
      out: expect.stringMatching(/^SP1017 {2}\.vscode is not a folder, .*\nSP1017 {2}manifests is not a folder, /),
    });
    expect((await readdir(folder.path)).sort()).toEqual([".vscode", "manifests"]);
  });

  test("if the folder would be inside a file", async () => {
    const folder = await emptyFolder();
    await folder.write("file", "");
    const { code, out } = await folder.init(["file/infra", ...named]);
    expect({ code, out }).toEqual({ code: 1, out: expect.stringContaining("file is a file, not a folder.") });
  });

  test("if a workspace exists that does not declare the service", async () => {
    const folder = await emptyFolder();
    await folder.write("setpoint.yaml", "version: 1\nservices:\n  gh: { type: github, url: https://api.github.com }\n");
    const { code, out } = await folder.init(named);
    expect(code).toBe(1);
    expect(out).toMatchInlineSnapshot(`
      "SP5001  setpoint.yaml already exists, and does not declare review like this.
        Hint: Add under its services: review: { type: gerrit, url:
          "https://review.example.com" }
      Nothing was written.
      "
    `);
    expect(await readdir(folder.path)).toEqual(["setpoint.yaml"]);
  });
});

test("with credentials it examines the services and imports their objects, and then all is in sync", async () => {
  const folder = await emptyFolder();
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
  const env = environmentFor(sandbox.url);
  const service = (role: string, type: string) => ["--service", `${role}=${type}:${sandbox.url}/${role}`];
  const all = [...service("review", "gerrit"), ...service("hosting", "github")];
  const { code, out } = await folder.init([...all, "--import"], env);
  expect(code).toBe(0);
  expect(out).not.toContain("export");
  expect(out).toContain("2 services, 8 findings: 0 wrong, 0 unknown.");
  // Each import is below the name of its service.
  expect(stripVTControlCharacters(out)).toMatch(
    /\n\nreview\n {2}\+ AccessRule .*\n\nhosting\n {2}\+ ActionsPermission /s,
  );
  // What it has just examined need not be examined again.
  expect(out).not.toContain("setpoint doctor");
  expect(await setpoint(["plan", "--detailed-exitcode"], { cwd: folder.path, env })).toMatchObject({ code: 0 });
});

test("it names the variables of credentials that are not accepted, and imports nothing", async () => {
  const folder = await emptyFolder();
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
  const env = { ...environmentFor(sandbox.url), SETPOINT_REVIEW_PASSWORD: "wrong", NO_COLOR: "1" };
  const { code, out } = await folder.init(["--import", "--service", `review=gerrit:${sandbox.url}/review`], env);
  expect(code).toBe(1);
  expect(out.replaceAll(/ +Hint/g, "Hint").replaceAll(/\n +/g, " ")).toContain(
    "Hint: Check SETPOINT_REVIEW_USERNAME and SETPOINT_REVIEW_PASSWORD, which may be wrong",
  );
  expect(out).not.toContain("0 resources in 0 files");
  expect(out).toContain("  setpoint doctor\n");
  expect(await readdir(join(folder.path, "manifests"))).toEqual([]);
});
