import { z } from "zod";
import { readJson, tooDeep } from "../../core/text/json-text.ts";
import type { Answer } from "../http/answer.ts";
import type { Failure } from "../http/outcome.ts";

/*
 * The server runs scripts in Groovy and answers 200 even if one throws. Each script that is sent here is therefore a
 * fixed text that catches what is thrown and prints its outcome as the last line. Values reach it as data and never as
 * source.
 * @see docs/facts.md, ci
 */

/** Precedes the outcome on the last line of a script's output. */
const sentinel = "setpoint-outcome ";

const PropertyName = z.string().min(1);

/** Scripts that only read. */
export const ReadScript = z
  .strictObject({ name: z.literal("systemProperties"), properties: z.array(PropertyName).min(1) })
  .transform(scriptText);

const WriteScript = z.discriminatedUnion("name", [
  z.strictObject({
    name: z.literal("setSystemProperties"),
    /** Values by name; `null` removes the property. */
    properties: z.record(PropertyName, z.string().nullable()),
  }),
  z.strictObject({
    name: z.literal("changePlugins"),
    /** Without a version, the one that the update site offers, which must not be older than `minimum`. */
    install: z.array(
      z.strictObject({
        plugin: z.string().min(1),
        version: z.string().min(1).exactOptional(),
        minimum: z.string().min(1).exactOptional(),
      }),
    ),
    uninstall: z.array(z.string().min(1)),
  }),
]);

/** Scripts that change the server: one of the client's own with its values, or any Groovy text. */
export const AnyScript = z.union([
  WriteScript.transform(scriptText),
  z
    .string()
    .min(1)
    .transform((text) => scriptText({ name: "evaluate", text })),
]);

/** The outcome of a script that ran to its end. */
const Outcome = z.object({ status: z.int(), result: z.json().optional(), message: z.string().optional() });

/** What a script printed, and its result. */
export const ScriptResult = z.string().transform((text, context) => {
  const ended = splitOutcome(text);
  if (ended?.is === "read") return { output: ended.output, result: ended.outcome.result ?? null };
  const [line = ""] = text.trim().split("\n", 1);
  const message = ended === undefined ? `the script did not finish${line && `: ${line}`}` : `its outcome is ${tooDeep}`;
  context.addIssue({ code: "custom", message });
  return z.NEVER;
});

/** The values that a reading script found, by name; `null` if unset. */
export const SystemProperties = ScriptResult.transform(({ result }) => result).pipe(
  z.record(z.string(), z.string().nullable()),
);

/** The failure that a script reports, although the status is 200. */
export function scriptFailure(answer: Answer): Failure | undefined {
  if (!answer.body.includes(sentinel)) return undefined;
  const ended = splitOutcome(answer.body.toString("utf8"));
  if (ended?.is !== "read" || ended.outcome.status < 400) return undefined;
  return { status: ended.outcome.status, said: ended.outcome.message };
}

type Ended =
  | { readonly is: "read"; readonly output: string; readonly outcome: z.infer<typeof Outcome> }
  | { readonly is: "too deep" };

function splitOutcome(text: string): Ended | undefined {
  const start = text.trimEnd().lastIndexOf(`\n${sentinel}`) + 1;
  if (start === 0) return undefined;
  const read = readJson(text.slice(start + sentinel.length));
  if (read.is === "too deep") return read;
  const outcome = read.is === "read" ? Outcome.safeParse(read.value).data : undefined;
  return outcome && { is: "read", output: text.slice(0, start).trimEnd(), outcome };
}

type Script =
  | z.output<typeof WriteScript>
  | { readonly name: "evaluate"; readonly text: string }
  | { readonly name: "systemProperties"; readonly properties: readonly string[] };

/** The most characters that a literal can have. @see docs/facts.md, CI: A literal in a script */
const longestLiteral = 65_535;

/** The Groovy text of a script. Base64 has no character that could end a literal. */
function scriptText({ name, ...values }: Script): string {
  return `// setpoint: ${name}
def values = new groovy.json.JsonSlurper().parseText(new String([${literals(values)}].join('').decodeBase64(), 'UTF-8'))
def outcome
try {
  def work = {
${bodies[name]}
  }
  outcome = [status: 200, result: work()]
} catch (Throwable thrown) {
  outcome = [status: 422, message: thrown.toString()]
}
println()
println('${sentinel}' + groovy.json.JsonOutput.toJson(outcome))
`;
}

function literals(values: object): string {
  const encoded = Buffer.from(JSON.stringify(values), "utf8").toString("base64");
  const parts = encoded.match(new RegExp(`.{1,${longestLiteral}}`, "g")) ?? [];
  return parts.map((part) => `'${part}'`).join(",");
}

const bodies: Readonly<Record<Script["name"], string>> = {
  systemProperties: "    values.properties.collectEntries { [(it): System.getProperty(it)] }",

  setSystemProperties: `\
    values.properties.each { name, value ->
      if (value == null) System.clearProperty(name) else System.setProperty(name, value)
    }
    values.properties.keySet().collectEntries { [(it): System.getProperty(it)] }`,

  // Everything is looked up before anything is changed. The site has one version of each plugin, with its checksum.
  // @see docs/facts.md, CI: until the server has read the data of an update site
  // @see docs/facts.md, CI: a plugin that was once a part of the server
  changePlugins: `\
    def server = jenkins.model.Jenkins.get()
    def offers = values.install.collect { wanted ->
      def offer = server.updateCenter.getPlugin(wanted.plugin)
      if (offer == null) throw new IllegalArgumentException(wanted.plugin + (server.updateCenter.sites.any { it.data == null } ?
        ' is not known: the server has not read its update site yet' : ' is not on the update site'))
      if (wanted.version != null && offer.version != wanted.version)
        throw new IllegalArgumentException(
          wanted.plugin + ' ' + wanted.version + ' is not on the update site, which has ' + offer.version)
      if (wanted.minimum != null &&
          new hudson.util.VersionNumber(offer.version).isOlderThan(new hudson.util.VersionNumber(wanted.minimum)))
        throw new IllegalArgumentException(
          wanted.plugin + ' ' + wanted.minimum + ' is not on the update site, which has ' + offer.version)
      offer
    }
    def leaving = values.uninstall.collect { name ->
      def plugin = server.pluginManager.getPlugin(name)
      if (plugin == null) throw new IllegalArgumentException(name + ' is not installed')
      def needing = server.pluginManager.plugins.findAll { other ->
        !other.deleted && !(other.shortName in values.uninstall) && (
          other.dependencies.any { it.shortName == name && !it.optional } ||
          hudson.ClassicPluginStrategy.getImpliedDependencies(other.shortName, other.requiredCoreVersion).any { it.shortName == name })
      }
      if (needing) throw new IllegalArgumentException(name + ' is needed by ' + needing*.shortName.sort().join(', '))
      plugin
    }
    offers.collect { it.deploy(true) }.each { deployment ->
      def failed = deployment.get().errorMessage
      if (failed != null) throw new IllegalStateException(failed)
    }
    leaving.each { it.doDoUninstall() }
    [restartRequired: !leaving.isEmpty() || server.updateCenter.isRestartRequiredForCompletion()]`,

  // Like the server's own console, on whose imports a script may rely; on one line, so that line numbers stay right.
  evaluate: `\
    def imports = 'import jenkins.*; import jenkins.model.*; import hudson.*; import hudson.model.*; '
    def returned = new GroovyShell(getClass().classLoader, binding).evaluate(imports + values.text)
    returned == null ? null : String.valueOf(returned)`,
};
