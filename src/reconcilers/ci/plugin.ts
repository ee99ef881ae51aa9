import { z } from "zod";
import type { CiOperations, CiReader } from "../../clients/ci/operations.ts";
import { callOf } from "../../core/call.ts";
import type { Kind } from "../../core/kind.ts";
import { compareVersions } from "../../core/text/version.ts";
import { observeAll } from "../shared/told.ts";
import { runningServer } from "./shared/running-server.ts";

const call = callOf<CiOperations>();

const Plugin = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][\w.-]*$/, "expected the short name of a plugin, such as workflow-aggregator")
    .describe("Short name of the plugin."),
  version: z
    .string()
    .regex(/^(>=)?\d[^\s*]*$/, "expected a version such as 5.7.0, or a minimum such as >=5.6")
    .optional()
    .describe("Version, or a minimum such as `>=5.6`; any version if left out."),
  restart: z
    .enum(["safe", "none"])
    .default("none")
    .describe(
      "`safe`: after a change the server restarts once no build is running. `none`: the server is not restarted.",
    ),
});
type Plugin = z.infer<typeof Plugin>;

/** Whether the plugin is loaded, so that an update or removal takes effect at a restart. */
interface PluginMarker {
  readonly isLoaded: boolean;
  /** Whether it is already uninstalled. */
  readonly isLeaving?: true;
}

const leavingNote = "uninstalled, and works until the server restarts";

/** Also why a new plugin is still missing after its installation. @see docs/facts.md, CI: loaded only at a restart */
const newNote = "may load only at a restart, which `restart: safe` allows";

/** A plugin of the CI server. */
export const plugin: Kind<Plugin, CiOperations, PluginMarker> = {
  kind: "Plugin",
  role: "ci",
  summary: "An installed plugin of the CI server, and its version.",
  spec: Plugin,
  budget: {
    reads: "1 listPlugins for all",
    writes:
      "1 runScript for all, then at most 1 safeRestart, and 1 before them if an uninstalled plugin comes back; getVersion before and after each until the server is back",
  },
  notes: `Versions are ordered as on the server: \`1.8-rc1\` is older than \`1.8\`, and \`600.vb_57cdd26fdd7\` is newer than
\`600\`. The update site offers one version of each plugin; any other is refused before anything is changed. The server
also installs, or updates, the plugins that a new version needs, which the plan does not show.

A new plugin works immediately, unless its maker does not allow that; another version of a loaded plugin works only after a restart. So
with \`restart: none\` a version that differs needs a person, an apply of a plugin that is not loaded yet fails (SP4001), and a removed plugin
counts as absent although it works until the next restart. With \`restart: safe\` all plugin changes of an apply end with one restart; the
apply waits up to 10 minutes until the server is back, and then reads its plugins. If an apply does not reach a restart that they need, the
next one restarts the server. A plugin that is uninstalled and waits for a restart can be installed only after it. A restart resets what
\`SystemProperty\` has set; an apply that does not set it again says so (SP4001), and the next one sets it. A disabled plugin counts as
installed. A plugin that others need is removed only together with them: without it they would not load, or the server would bring it back.`,
  key: ({ name }) => name,
  scope: () => runningServer,
  normalize: ({ name, version }) => ({ name, version }),

  async observe(read, _scope, wanted) {
    const found = await installed(read);
    return observeAll(wanted, plugin, ({ name, version, restart }) => {
      const live = found.get(name);
      const marker = { isLoaded: live !== undefined };
      if (live === undefined) return { is: "absent", marker, ...(restart === "none" ? { note: newNote } : {}) };
      const shown = version !== undefined && satisfies(live.version, version) ? version : live.version;
      const spec = { name, version: shown, restart };
      if (live.isLeaving)
        return { is: "absent", marker: { ...marker, isLeaving: true }, leaving: spec, note: leavingNote };
      return { is: "present", spec, marker };
    });
  },

  async list(read) {
    return [...(await installed(read))].flatMap(([name, { version, isLeaving }]) =>
      isLeaving ? [] : [{ name, version, restart: "none" as const }],
    );
  },

  needsPerson(change) {
    if (change.action === "delete" || change.desired.restart === "safe" || !change.marker.isLoaded) return undefined;
    return "Changing a loaded plugin requires a restart: set `restart: safe`, or update it manually and restart the server.";
  },

  compile(changes) {
    // A plugin that is already uninstalled only waits for the restart, and cannot be installed before it.
    const scripted = changes.filter(({ action, marker }) => action !== "delete" || marker.isLeaving !== true);
    const install = scripted.flatMap((change) => (change.action === "delete" ? [] : [offerFor(change.desired)]));
    const uninstall = scripted.flatMap((change) => (change.action === "delete" ? [change.key] : []));
    const script = { name: "changePlugins", install, uninstall } as const;
    const returning = changes.filter(({ action, marker }) => action === "create" && marker.isLeaving === true);
    const restarting = changes.filter(
      (change) =>
        !returning.includes(change) &&
        (change.action === "delete" ? change.declared : change.desired).restart === "safe",
    );
    return [
      ...(returning.length === 0 ? [] : [call("safeRestart", {}, returning)]),
      ...(scripted.length === 0 ? [] : [call("runScript", { script }, scripted)]),
      ...(restarting.length === 0 ? [] : [call("safeRestart", {}, restarting)]),
    ];
  },
};

interface Installed {
  readonly version: string;
  /** Whether the next restart removes it. */
  readonly isLeaving: boolean;
}

async function installed(read: CiReader): Promise<ReadonlyMap<string, Installed>> {
  const tree = [{ field: "plugins", of: ["shortName", "version", "deleted"] }];
  const { plugins } = await read.listPlugins({ tree });
  return new Map(
    plugins.map(({ shortName, version, deleted }) => [
      shortName,
      // Without the suffix of a private build: `1.4-SNAPSHOT (private-0a1b2c3d-jdoe)`.
      { version: version.replace(/ \([^(]*\)$/, ""), isLeaving: deleted === true },
    ]),
  );
}

function minimumOf(version: string): string | undefined {
  return version.startsWith(">=") ? version.slice(2) : undefined;
}

/** Whether a version equals the wanted one, in any spelling, or reaches the minimum. */
function satisfies(live: string, wanted: string): boolean {
  const minimum = minimumOf(wanted);
  return minimum === undefined ? compareVersions(live, wanted) === 0 : compareVersions(live, minimum) >= 0;
}

function offerFor({ name, version }: Plugin) {
  if (version === undefined) return { plugin: name };
  const minimum = minimumOf(version);
  return { plugin: name, ...(minimum === undefined ? { version } : { minimum }) };
}
