import { z } from "zod";
import type { CiOperations } from "../../clients/ci/operations.ts";
import { callOf } from "../../core/call.ts";
import type { Observation } from "../../core/change.ts";
import type { Kind } from "../../core/kind.ts";
import { own } from "../../core/text/json.ts";
import { Text } from "../shared/fields.ts";
import { runningServer } from "./shared/running-server.ts";

const call = callOf<CiOperations>();

const SystemProperty = z.strictObject({
  name: Text.describe("Name of the property, such as `hudson.model.DirectoryBrowserSupport.CSP`."),
  value: z.string().nullable().describe("Value; `null` if the property must not be set. An empty string is a value."),
});
type SystemProperty = z.infer<typeof SystemProperty>;

/** A system property of the running server. */
export const systemProperty: Kind<SystemProperty, CiOperations, undefined> = {
  kind: "SystemProperty",
  role: "ci",
  summary: "A Java system property of the running CI server.",
  spec: SystemProperty,
  budget: { reads: "1 runReadScript for all", writes: "1 runScript for all" },
  notes: `A property lasts until the server restarts; then it has its startup value again, and the next apply sets it. Some
properties are read only at startup, and setting them here has no effect. If an apply restarts the server for its plugins,
changed properties are set after the restart.

Properties are not imported: the ones that someone set cannot be distinguished from the many that come with Java. The API
documents have no read-only script, so under \`wire: documented\` properties are unknown.`,
  permanent: true,
  judgedByScope: true,
  key: ({ name }) => name,
  scope: () => runningServer,

  async observe(read, _scope, wanted) {
    const names = [...new Set(wanted.map(({ name }) => name))].sort();
    const values = await read.runReadScript({ script: { name: "systemProperties", properties: names } });
    return new Map(
      names.flatMap((name): readonly (readonly [string, Observation<SystemProperty, undefined>])[] => {
        const value = own(values, name);
        return value === undefined ? [] : [[name, { is: "present", spec: { name, value }, marker: undefined }]];
      }),
    );
  },

  compile(changes) {
    const set = changes.flatMap((change) => (change.action === "delete" ? [] : [change.desired]));
    if (set.length === 0) return [];
    const properties = Object.fromEntries(set.map(({ name, value }) => [name, value]));
    return [call("runScript", { script: { name: "setSystemProperties", properties } }, changes)];
  },
};
