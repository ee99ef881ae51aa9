import { existsSync } from "node:fs";
import { join } from "node:path";
import { cached, fillOnce, run } from "./gerrit-install.ts";
import { installedJavas } from "./releases.ts";

/** The version under test: the newest relative of Jenkins that Maven publishes. */
const version = "2.2.1";
const oldestJava = 17;

/** What runs the server, or why it cannot run here. */
export type FoundHudson =
  | { readonly available: true; readonly java: string; readonly war: string }
  | { readonly available: false; readonly why: string };

/**
 * Finds what a real CI server needs: the oldest suitable Java, and the unpacked WAR, which Maven fetches once into the cache directory.
 * The WAR's plugins are left out: one of them breaks the configurations of jobs on a new Java. Never throws.
 */
export async function findHudson(): Promise<FoundHudson> {
  const [java] = installedJavas()
    .filter(({ major }) => major >= oldestJava)
    .sort((a, b) => a.major - b.major);
  if (java === undefined) return { available: false, why: `Java ${oldestJava} or later is needed` };
  const war = cached(`hudson-${version}`);
  const failure = await fillOnce(war, (directory) =>
    run(
      "mvn",
      [
        ...["-q", "-B", "dependency:unpack", `-Dartifact=org.jvnet.hudson.main:hudson-war:${version}:war`],
        ...[`-DoutputDirectory=${directory}`, "-Dmdep.unpack.excludes=WEB-INF/plugins/**"],
      ],
      directory,
    ),
  );
  if (failure !== undefined) return { available: false, why: `Maven could not fetch Hudson: ${failure.trim()}` };
  if (!existsSync(join(war, "winstone.jar"))) return { available: false, why: `${war} is incomplete` };
  return { available: true, java: java.program, war };
}

const opened = [
  ...["io", "lang", "lang.reflect", "text", "util", "util.concurrent"].map((name) => `java.base/java.${name}`),
  "java.desktop/java.awt.font",
];

/** Returns the command line of the server, with settings that start the JVM quickly. `ProcessTree` is off: it reads fields of an old Java. */
export function hudsonCommand({ java, war }: FoundHudson & { readonly available: true }, home: string, port: number) {
  return [
    ...[
      java,
      "-XX:TieredStopAtLevel=1",
      "-XX:+UseSerialGC",
      "-Xmx512m",
      "-Djava.awt.headless=true",
      "-Dhudson.util.ProcessTree.disable=true",
    ],
    ...[`-Duser.home=${home}`, `-DHUDSON_HOME=${home}`, ...opened.map((name) => `--add-opens=${name}=ALL-UNNAMED`)],
    ...["-cp", join(war, "winstone.jar"), join(import.meta.dirname, "Start.java"), `--webroot=${war}`],
    ...[`--httpPort=${port}`, "--httpListenAddress=127.0.0.1", "--httpsPort=-1", "--ajp13Port=-1"],
  ];
}
