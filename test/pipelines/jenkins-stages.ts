import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A script of a stage, and the accounts whose credentials are set around it. */
export interface ShellStep {
  readonly script: string;
  readonly credentials: readonly string[];
  /** Whether the file itself checks the exit code. */
  readonly isJudged: boolean;
}

export interface Stage {
  readonly name: string;
  /** The conditions of `when`, all of which must hold. */
  readonly when: readonly string[];
  readonly steps: readonly ShellStep[];
  readonly asks: boolean;
}

/** The example for Jenkins: the variables of `environment` and its stages. */
export interface Jenkinsfile {
  readonly text: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly stages: readonly Stage[];
}

export function jenkinsfile(): Jenkinsfile {
  const path = join(import.meta.dirname, "../../examples/pipelines/jenkins/Jenkinsfile");
  const text = readFileSync(path, "utf8");
  const [head = "", ...parts] = text.split(/^ {8}stage\(/m);
  const [, environment = ""] = /^ {4}environment \{\n(.*?)^ {4}\}/ms.exec(head) ?? [];
  const variables = [...environment.matchAll(/^\s+(\w+) = '(.*)'$/gm)].map(([, name = "", value = ""]) => [
    name,
    value,
  ]);
  return { text, variables: Object.fromEntries(variables), stages: parts.map(stageOf) };
}

function stageOf(text: string): Stage {
  const [, name = ""] = /^'(.+)'\)/.exec(text) ?? [];
  const [, when = ""] = /^ {12}when \{\n(.*?)^ {12}\}/ms.exec(text) ?? [];
  const conditions = when.split("\n").flatMap((line) => (/^\s*(beforeAgent true)?$/.test(line) ? [] : [line.trim()]));
  return { name, when: conditions, steps: stepsOf(text), asks: /^\s+input /m.test(text) };
}

const shell = /\bsh(?: |\((returnStatus: true, )script: )('''(.*?)'''|'([^'\n].*)'$)/s;

/** Reads the file line by line, to know which blocks are open around a script. */
function stepsOf(text: string): readonly ShellStep[] {
  const steps: ShellStep[] = [];
  const open: string[] = [];
  for (const [part = ""] of text.matchAll(/[^\n]*'''.*?'''[^\n]*|[^\n]+/gs)) {
    const line = part.replace(/'''.*'''/s, "");
    const [, judged, , long, short] = shell.exec(part) ?? [];
    const script = long ?? short;
    if (script !== undefined) {
      const credentials = open.flatMap((block) => accountsOf(block));
      steps.push({ script: script.replaceAll("\\\n", " "), credentials, isJudged: judged !== undefined });
    }
    if (/^\s*\}/.test(line)) open.pop();
    if (/\{\s*$/.test(line)) open.push(line.trim());
  }
  return steps;
}

/** Returns the accounts of a `withCredentials`: `reader` and `writer` of the services, and `repository`. */
function accountsOf(block: string): readonly string[] {
  const [, what] = /^withCredentials\((.*)\) \{$/.exec(block) ?? [];
  return [...(what ?? "").matchAll(/services\('(\w+)'\)|(repository)\(\)/g)].map(
    ([, account, repository]) => account ?? repository ?? "",
  );
}

/** Whether a condition of `when` holds in a build with these variables. A scheduled build has the cause `TimerTrigger`. */
export function holds(condition: string, env: Readonly<Record<string, string>>): boolean {
  const [, negated] = /^not \{ (.*) \}$/.exec(condition) ?? [];
  if (negated !== undefined) return !holds(negated, env);
  const [, name = "", first = "", second] =
    /^(changeRequest|changeRequest target:|branch|triggeredBy|environment name:|expression)(?:\(\)| '([^']*)'(?:, value: '(.*)')?| \{ env\.CHANGE_FORK == null \})$/.exec(
      condition,
    ) ?? [];
  switch (name) {
    case "changeRequest":
      return env.CHANGE_ID !== undefined;
    case "changeRequest target:":
      return env.CHANGE_ID !== undefined && env.CHANGE_TARGET === first;
    case "branch":
      return env.BRANCH_NAME === first;
    case "triggeredBy":
      return env.CAUSE === first;
    case "environment name:":
      return env[first] === second;
    case "expression":
      return env.CHANGE_FORK === undefined;
    default:
      throw new Error(`The test cannot read the condition ${condition}.`);
  }
}
