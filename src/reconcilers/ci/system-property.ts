import { z } from "zod";
import type { CiOperations } from "../../clients/ci/operations.ts";
import { callOf } from "../../core/call.ts";
import type { Observation } from "../../core/change.ts";
import type { Kind } from "../../core/kind.ts";
import { runningServer } from "./shared/running-server.ts";

const call = callOf<CiOperations>();

const SystemProperty = z.strictObject({
  name: z.string().min(1).describe("Name of the property, such as `hudson.model.DirectoryBrowserSupport.CSP`."),
  value: z.string().nullable().describe("Its value; `null` for a property that is not set. An empty text is a value."),
});
type SystemProperty = z.infer<typeof SystemProperty>;

/** A system property of the running server. */
export const systemProperty: Kind<SystemProperty, CiOperations, undefined> = {
  kind: "SystemProperty",
  role: "ci",
  summary: "A system property of the CI server's Java, as it runs.",
  spec: SystemProperty,
  budget: { reads: "1 runReadScript for all", writes: "1 runScript for all" },
  notes: `A property that is set here lasts until the server restarts; then it has again what the server is started with,
and the next apply sets it. Some are read by the server only as it starts, and have no effect here. In an apply that
restarts the server for its plugins, properties that change are set after the restart.

A property is not imported: which of a server's many properties somebody chose cannot be told from those that its Java
brings along. The documents have no script that only reads, so under \`wire: documented\` properties are unknown.`,
  permanent: true,
  key: ({ name }) => name,
  scope: () => runningServer,

  async observe(read, _scope, wanted) {
    const names = [...new Set(wanted.map(({ name }) => name))].sort();
    const values = await read.runReadScript({ script: { name: "systemProperties", properties: names } });
    return new Map(
      names.flatMap((name): readonly (readonly [string, Observation<SystemProperty, undefined>])[] => {
        const value = Object.hasOwn(values, name) ? values[name] : undefined;
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
