import { rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findProgram, whyMissing } from "../harness/programs.ts";
import { concurrency } from "../harness/workspace.ts";
import type { Peer } from "./peer.ts";

const tofu = ["tofu", "SETPOINT_BENCH_TOFU"] as const;
const provider = ["terraform-provider-github", "SETPOINT_BENCH_PROVIDER"] as const;

/** OpenTofu with the provider for GitHub, whose new client is much faster than the one that is on unless told otherwise. */
export const openTofu: Peer = {
  name: "OpenTofu",
  whyMissing: () => whyMissing(...tofu) ?? whyMissing(...provider),
  version: () => [findProgram(...tofu) ?? "", "version"],
  prepare(context, { url, repositories, cwd }) {
    writeFileSync(join(cwd, "main.tf"), configuration(url, repositories));
    const overrides = dirname(findProgram(...provider) ?? "");
    const cli = `provider_installation {\n  dev_overrides {\n    "integrations/github" = ${JSON.stringify(overrides)}\n  }\n}\n`;
    writeFileSync(join(cwd, "tofu.rc"), cli);
    const run = (...args: readonly string[]) =>
      context.run({
        command: [findProgram(...tofu) ?? "", ...args, "-no-color", "-input=false", `-parallelism=${concurrency}`],
        cwd,
        env: { HOME: join(context.folder, "home"), TF_CLI_CONFIG_FILE: join(cwd, "tofu.rc") },
      });
    return {
      forget() {
        for (const state of ["terraform.tfstate", "terraform.tfstate.backup"])
          rmSync(join(cwd, state), { force: true });
      },
      plan: () => run("plan"),
      apply: () => run("apply", "-auto-approve"),
    };
  },
};

function configuration(url: string, repositories: number): string {
  return `terraform {
  required_providers {
    github = { source = "integrations/github" }
  }
}

provider "github" {
  owner         = "acme"
  token         = "t"
  base_url      = "${url}/"
  legacy_client = false
}

resource "github_actions_repository_permissions" "all" {
  count           = ${repositories}
  repository      = format("repository-%06d", count.index)
  enabled         = true
  allowed_actions = "selected"
}
`;
}
