import { expect, test } from "vitest";
import { openDesk, workflows } from "../../support/commands.ts";
import { hasShell, shellDesk } from "../../support/shells.ts";

const address = "hosting/ActionsPermission/meridian-kites/website";

test.skipIf(!hasShell("zsh"))("zsh completes commands, options, addresses and files", async () => {
  await using desk = await openDesk(workflows("website", false));
  const zsh = await shellDesk(desk, "zsh");
  const typed = [
    "PS1='> '; autoload -Uz compinit; compinit -u -d ./dump; source ./completion",
    "setpoint vali\t--qui\t",
    "setpoint plan --only hosting/\t--report ma\tout.md",
    "setpoint validate --workspace setp\t",
    "ls; exit",
    "",
  ];
  const out = await zsh.type("zsh -f -i", typed.join("\n"));
  expect(out.match(/1 resource in 1 file, no errors\./g)).toHaveLength(2);
  expect(desk.sandbox.requests().map(({ operation }) => operation)).toContain("getActionsPermissions");
  expect(out).toMatch(/^.*\bout\.md\b.*$/m);
});

test.skipIf(!hasShell("fish"))("fish completes commands, options, addresses and files, with descriptions", async () => {
  await using desk = await openDesk(workflows("website", false));
  const fish = await shellDesk(desk, "fish");
  const after = (line: string) =>
    fish.run(["fish", "-N", "-c", `source ./completion; complete -C ${JSON.stringify(line)}`]);
  expect(await after("setpoint vali")).toBe("validate\tcheck the manifests; sends no request\n");
  expect(await after("setpoint plan --qui")).toContain("--quiet\tprint only");
  expect(await after("setpoint plan --only hosting/")).toContain(address);
  expect(await after("setpoint plan --report html=compl")).toContain("html=completion");
  expect(await after("setpoint validate --workspace ma")).toContain("manifests/");
});
