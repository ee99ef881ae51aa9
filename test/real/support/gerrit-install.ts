/**
 * Finds and prepares a real Gerrit Code Review server: fetched through Maven and initialised once, both into the cache
 * directory (`SETPOINT_CACHE`, or `.cache` of the checkout).
 *
 * The WAR is not published where Maven looks, but the server's classes are: `gerrit-plugin-api` carries the server, its index
 * and its launcher, `gerrit-acceptance-framework` the `init` and `daemon` programs with Jetty. Only the web interface is
 * missing, so the daemon runs headless; REST and Git over HTTP are the code of the WAR.
 */
import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { javaLocale, releaseUnderTest } from "./releases.ts";

const { version: GERRIT_VERSION, java: oldestJava, program: java } = releaseUnderTest();
const ARTIFACTS: readonly (readonly [group: string, name: string, version: string])[] = [
  ["com.google.gerrit", "gerrit-plugin-api", GERRIT_VERSION],
  ["com.google.gerrit", "gerrit-acceptance-framework", GERRIT_VERSION],
  ["org.bouncycastle", "bcpg-jdk18on", "1.78.1"],
];
const LOG4J = `log4j.rootCategory=WARN, out
log4j.appender.out=org.apache.log4j.ConsoleAppender
log4j.appender.out.layout=org.apache.log4j.PatternLayout
log4j.appender.out.layout.ConversionPattern=%p %c %m%n
`;
/** What runs the server: the program `java` and the class path. */
export interface ReadyGerrit {
  readonly available: true;
  readonly java: string;
  readonly version: string;
  readonly classpath: string;
}

/** What runs the server, or why it cannot run here. */
export type FoundGerrit = ReadyGerrit | { readonly available: false; readonly why: string };

/** The outcome of a program: its exit code (127: it could not be started) and everything it printed. */
export interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end, whatever its outcome; `env` is added to the environment. */
export function run(program: string, args: readonly string[], cwd?: string, env?: NodeJS.ProcessEnv): Promise<Run> {
  return new Promise((done) => {
    execFile(program, args, { cwd, env: { ...process.env, ...env }, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : 127;
      done({ code, stdout, stderr: code === 127 ? `${stderr}${error?.message ?? ""}` : stderr });
    });
  });
}

/** Fills a directory beside `target`, then renames it: `target` is whole or absent, even if several processes fill it concurrently. */
export async function fillOnce(target: string, fill: (directory: string) => Promise<Run>): Promise<string | undefined> {
  if (existsSync(target)) return undefined;
  mkdirSync(dirname(target), { recursive: true });
  const directory = mkdtempSync(`${target}.`);
  try {
    const { code, stdout, stderr } = await fill(directory);
    if (code !== 0) return `${stdout}\n${stderr}`.split("\n").find((line) => /error|exception/i.test(line)) ?? stderr;
    if (!existsSync(target)) renameSync(directory, target);
    return undefined;
  } catch (error) {
    return existsSync(target) ? undefined : String(error);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Returns the path in the cache of something that is prepared once. */
export function cached(name: string): string {
  return join(process.env.SETPOINT_CACHE ?? resolve(import.meta.dirname, "../../../.cache"), name);
}

async function fetchClasses(directory: string): Promise<Run> {
  const dependencies = ARTIFACTS.map(
    ([group, name, version]) =>
      `<dependency><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version></dependency>\n`,
  );
  const pom = `<project><modelVersion>4.0.0</modelVersion>
<groupId>test</groupId><artifactId>gerrit</artifactId><version>1</version><packaging>pom</packaging>
<dependencies>${dependencies.join("")}</dependencies></project>`;
  // The WAR carries this resource, the jar does not; without it the server calls itself "(dev)".
  const common = join(directory, "classes/com/google/gerrit/common");
  mkdirSync(common, { recursive: true });
  writeFileSync(join(common, "Version"), GERRIT_VERSION);
  writeFileSync(join(directory, "classes/log4j.properties"), LOG4J);
  writeFileSync(join(directory, "pom.xml"), pom);
  return run("mvn", ["-q", "-B", "dependency:copy-dependencies", `-DoutputDirectory=${directory}`], directory);
}

/**
 * Finds what a real server needs: Java, and the classes, which Maven copies once into the cache directory
 * (`SETPOINT_CACHE`, or `.cache` of the checkout). Never throws: `why` says what is missing.
 */
export async function findGerrit(): Promise<FoundGerrit> {
  if (java === undefined) return { available: false, why: `Java ${oldestJava} or later is needed` };
  const directory = cached(`gerrit-${GERRIT_VERSION}`);
  const failure = await fillOnce(directory, fetchClasses);
  if (failure !== undefined) return { available: false, why: `Maven could not fetch Gerrit: ${failure.trim()}` };
  const jars = readdirSync(directory).filter((name) => name.endsWith(".jar"));
  const classpath = ["classes", ...jars].map((name) => join(directory, name)).join(delimiter);
  return { available: true, java, version: GERRIT_VERSION, classpath };
}

/** Returns the command line of one of Gerrit's programs (`init`, `daemon`), with settings that start the JVM quickly. */
export function launcher(found: ReadyGerrit, home: string, ...program: readonly string[]): string[] {
  const quick = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx768m", `-Duser.home=${home}`];
  return [found.java, ...quick, "-cp", found.classpath, "com.google.gerrit.launcher.GerritLauncher", ...program];
}

/** Replaces texts in a site's `gerrit.config`; throws if one does not occur. */
export function editConfig(site: string, replacements: Readonly<Record<string, string>>): void {
  const path = join(site, "etc/gerrit.config");
  let text = readFileSync(path, "utf8");
  for (const [from, to] of Object.entries(replacements)) {
    if (!text.includes(from)) throw new Error(`gerrit.config has no "${from}"`);
    text = text.replace(from, to);
  }
  writeFileSync(path, text);
}

async function initialise(found: ReadyGerrit, site: string): Promise<Run> {
  const flags = ["--batch", "--dev", "--no-auto-start", "--skip-plugins"];
  const [java = "java", ...args] = launcher(found, site, "init", ...flags, "-d", site);
  const result = await run(java, args, undefined, javaLocale);
  if (result.code !== 0) return result;
  rmSync(join(site, "bin"), { recursive: true, force: true }); // a copy of the jar, not needed to run
  editConfig(site, { "*:29418": "off", "smtpServer = localhost": "enable = false" });
  return result;
}

/** Returns the directory of an initialised site, which is copied for each start; throws with the reason if it cannot be made. */
export async function prepareSite(found: ReadyGerrit): Promise<string> {
  const template = cached(`gerrit-${GERRIT_VERSION}-site`);
  const failure = await fillOnce(template, (directory) => initialise(found, directory));
  if (failure !== undefined) throw new Error(`Gerrit could not be initialised: ${failure}`);
  return template;
}
