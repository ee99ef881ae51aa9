import { rmSync } from "node:fs";
import { join } from "node:path";
import { writeWorkspace } from "../fake/workspace.ts";
import { token } from "../harness/workspace.ts";
import type { Peer } from "./peer.ts";

export const setpoint: Peer = {
  name: "setpoint",
  whyMissing: () => undefined,
  prepare(context, { url, repositories, cwd }) {
    writeWorkspace(cwd, { documents: repositories, files: 1, url });
    const settings = { cwd, env: { SETPOINT_HOSTING_TOKEN: token, SETPOINT_HOSTING_URL: url } };
    return {
      forget: () => rmSync(join(cwd, ".setpoint"), { recursive: true, force: true }),
      plan: () => context.setpoint(["plan"], settings),
      apply: () => context.setpoint(["apply", "--yes"], settings),
    };
  },
};
