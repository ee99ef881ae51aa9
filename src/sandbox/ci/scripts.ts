import { z } from "zod";
import { isObject, own } from "../../core/text/json.ts";
import { jsonIn } from "../../core/text/json-text.ts";
import { compareVersions } from "../../core/text/version.ts";
import type { Answered, Answers, Asked } from "../exchange.ts";
import { notModelled } from "../refusal.ts";
import { requireAdministrator } from "./access.ts";
import type { CiState } from "./state.ts";

/*
 * The sandbox cannot run Groovy. It recognises the scripts of setpoint's client by the comment and the values at their
 * beginning, and answers what they would print.
 */

const ReadScript = z.object({ name: z.literal("systemProperties"), properties: z.array(z.string()) });

const AnyScript = z.discriminatedUnion("name", [
  ReadScript,
  z.object({ name: z.literal("setSystemProperties"), properties: z.record(z.string(), z.string().nullable()) }),
  z.object({
    name: z.literal("changePlugins"),
    install: z.array(z.object({ plugin: z.string(), version: z.string().optional(), minimum: z.string().optional() })),
    uninstall: z.array(z.string()),
  }),
]);
type AnyScript = z.infer<typeof AnyScript>;

export const scriptAnswers = {
  runScript: (asked) => answerScript(asked, AnyScript),
  runReadScript: (asked) => answerScript(asked, ReadScript),
} satisfies Answers<CiState>;

function answerScript(asked: Asked<CiState>, known: z.ZodType<AnyScript>): Answered<CiState> {
  requireAdministrator(asked, "Overall/Administer");
  const text = new URLSearchParams(asked.body).get("script") ?? "";
  const script = known.safeParse(readScript(text));
  if (!script.success) throw notModelled("Groovy: it answers the scripts that setpoint wrote, and no others");
  return run(asked.state, script.data);
}

/** Returns the name and the values at the start of a script; undefined if it has none. */
function readScript(text: string): unknown {
  const [, name, encoded = ""] =
    /^\/\/ setpoint: (\w+)\ndef values = [^\n]*\[('[A-Za-z0-9+/=',]*')\]\.join\(''\)\.decodeBase64\(\), 'UTF-8'\)\)\n/.exec(
      text,
    ) ?? [];
  if (name === undefined) return undefined;
  const values = jsonIn(Buffer.from(encoded.replace(/[',]/g, ""), "base64").toString("utf8"));
  return isObject(values) ? { ...values, name } : undefined;
}

function run(ci: CiState, script: AnyScript): Answered<CiState> {
  switch (script.name) {
    case "systemProperties":
      return printed({ status: 200, result: readProperties(ci, script.properties) });
    case "setSystemProperties": {
      const setProperties = { ...ci.setProperties, ...script.properties };
      const result = readProperties({ ...ci, setProperties }, Object.keys(script.properties));
      return { ...printed({ status: 200, result }), changes: { setProperties } };
    }
    case "changePlugins":
      return changePlugins(ci, script);
  }
}

function readProperties({ startProperties, setProperties }: CiState, names: readonly string[]) {
  const all: Readonly<Record<string, string | null>> = { ...startProperties, ...setProperties };
  return Object.fromEntries(names.map((name) => [name, own(all, name) ?? null]));
}

/**
 * Installs and removes plugins. A new plugin works immediately; another version or a removal takes effect at a restart.
 * @see docs/facts.md, CI: A plugin that is uninstalled
 */
function changePlugins(
  ci: CiState,
  { install, uninstall }: Extract<AnyScript, { readonly name: "changePlugins" }>,
): Answered<CiState> {
  const offered = ci.updates.plugins;
  for (const { plugin, version, minimum } of install) {
    const offer = own(offered, plugin);
    if (offer === undefined) return illegal(`${plugin} is not on the update site`);
    const isTooOld = minimum !== undefined && compareVersions(offer, minimum) < 0;
    if (isTooOld || (version !== undefined && version !== offer))
      return illegal(`${plugin} ${version ?? minimum} is not on the update site, which has ${offer}`);
  }
  for (const name of uninstall) {
    if (!ci.plugins.some(({ shortName }) => shortName === name)) return illegal(`${name} is not installed`);
    const needing = ci.plugins.filter((one) => {
      return !one.deleted && !uninstall.includes(one.shortName) && one.needs.includes(name);
    });
    const names = needing.map(({ shortName }) => shortName).sort();
    if (names.length > 0) return illegal(`${name} is needed by ${names.join(", ")}`);
  }
  const wanted = new Set(install.map(({ plugin }) => plugin));
  const kept = ci.plugins.map((plugin) => ({
    ...plugin,
    upgrade: wanted.has(plugin.shortName) ? offered[plugin.shortName] : plugin.upgrade,
    deleted:
      uninstall.includes(plugin.shortName) ||
      (plugin.deleted && (!wanted.has(plugin.shortName) || offered[plugin.shortName] === plugin.version)),
  }));
  const added = [...wanted]
    .filter((name) => !ci.plugins.some(({ shortName }) => shortName === name))
    .map((name) => ({
      shortName: name,
      longName: name,
      version: offered[name] ?? "",
      enabled: true,
      deleted: false,
      needs: [],
    }));
  const restartRequired = kept.some(({ upgrade, deleted }) => upgrade !== undefined || deleted);
  return { ...printed({ status: 200, result: { restartRequired } }), changes: { plugins: [...kept, ...added] } };
}

function illegal(message: string): Answered<CiState> {
  return printed({ status: 422, message: `java.lang.IllegalArgumentException: ${message}` });
}

/** Answers with what a script prints at its end. */
function printed(outcome: object): Answered<CiState> {
  return {
    body: `\nsetpoint-outcome ${JSON.stringify(outcome)}\n`,
    headers: { "content-type": "text/plain;charset=utf-8" },
  };
}
