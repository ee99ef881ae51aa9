import { join } from "node:path";
import fc from "fast-check";
import "./unreported-imports.ts";
import "./using.ts";

// Locks of files are apart from those of the person who runs the tests.
process.env.XDG_STATE_HOME = join(import.meta.dirname, "../../.cache/state");

// Every change is tested with the same examples; the nightly run looks for new ones.
// In CI, where no one waits for a small counterexample, the first one is reported.
const { SETPOINT_NIGHTLY, CI } = process.env;
fc.configureGlobal({
  ...(SETPOINT_NIGHTLY === undefined ? { seed: 20_261_121 } : {}),
  endOnFailure: CI !== undefined,
});
