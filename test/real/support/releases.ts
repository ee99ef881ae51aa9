import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";

/** A version of the server whose classes are published, and the oldest Java that runs it. */
interface Release {
  readonly version: string;
  readonly java: number;
}

/** The oldest and the newest version that are tested. */
const releases: readonly [Release, ...Release[]] = [
  { version: "3.10.2", java: 17 },
  { version: "3.13.5", java: 21 },
];

/** Java encodes file names by the locale, and a bare machine has none: every `ü` in a name would be an error. */
export const javaLocale = { LC_ALL: "C.UTF-8" };

interface Java {
  readonly program: string;
  readonly major: number;
}

/** Returns the Java of the environment, of the path, and those that Debian's packages install. */
export function installedJavas(): readonly Java[] {
  const beside = "/usr/lib/jvm";
  const home = process.env.JAVA_HOME;
  const programs = [
    ...(home === undefined || home === "" ? [] : [join(home, "bin/java")]),
    "java",
    ...listed(beside).map((name) => join(beside, name, "bin/java")),
  ];
  return programs.flatMap((program) => {
    const { stderr, stdout } = spawnSync(program, ["-version"], { encoding: "utf8" });
    const major = Number(/version "(\d+)/.exec(`${stderr}${stdout}`)?.[1] ?? 0);
    return major === 0 ? [] : [{ program, major }];
  });
}

function listed(directory: string): readonly string[] {
  try {
    return readdirSync(directory).sort();
  } catch {
    return [];
  }
}

/** Returns the versions that a Java of this machine can run, and always the oldest, so that its tests say what is missing. */
export function runnableVersions(): readonly string[] {
  const majors = installedJavas().map(({ major }) => major);
  const [oldest, ...newer] = releases;
  return [oldest, ...newer.filter(({ java }) => majors.some((major) => major >= java))].map(({ version }) => version);
}

/** Returns the version under test, `SETPOINT_GERRIT` in the environment, and a Java that runs it, if there is one. */
export function releaseUnderTest(): Release & { readonly program: string | undefined } {
  const [oldest] = releases;
  const release = releases.find(({ version }) => version === process.env.SETPOINT_GERRIT) ?? oldest;
  return { ...release, program: installedJavas().find(({ major }) => major >= release.java)?.program };
}
