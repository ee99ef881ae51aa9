import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";

const Rules = z.array(z.object({ if: z.string(), when: z.string().optional() }));

const Job = z.object({
  stage: z.string(),
  rules: Rules,
  script: z.array(z.string()),
  before_script: z.array(z.string()).optional(),
  needs: z.array(z.string()).optional(),
  environment: z.string().optional(),
  resource_group: z.string().optional(),
  artifacts: z.object({ expire_in: z.string().optional(), paths: z.array(z.string()).optional() }).optional(),
});

const File = z.object({
  workflow: z.object({ rules: Rules }),
  stages: z.array(z.string()),
  variables: z.record(z.string(), z.string()),
  default: z.object({ image: z.string(), timeout: z.string(), before_script: z.array(z.string()) }),
});

/** The example for GitLab: its variables, and its jobs in the order of their stages. */
export interface Pipeline {
  readonly variables: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, z.infer<typeof Job>>>;
  /** Returns the jobs of an event, with a mark on those that a person has to start. */
  jobsOf(variables: Readonly<Record<string, string>>): readonly string[];
  /** Returns the script that a runner gives to the shell. */
  scriptOf(job: string): string;
}

export function gitlabPipeline(): Pipeline {
  const path = join(import.meta.dirname, "../../examples/pipelines/gitlab/.gitlab-ci.yml");
  const read: unknown = parse(readFileSync(path, "utf8"));
  const file = File.loose().parse(read);
  const names = Object.keys(file).filter((name) => !Object.hasOwn(File.shape, name));
  const jobs = Object.fromEntries(names.map((name) => [name, Job.parse(file[name])]));
  const ordered = names.toSorted(
    (a, b) => file.stages.indexOf(jobs[a]?.stage ?? "") - file.stages.indexOf(jobs[b]?.stage ?? ""),
  );
  return {
    variables: file.variables,
    jobs,
    jobsOf(variables) {
      const matching = (rules: z.infer<typeof Rules>) => rules.find((rule) => holds(rule.if, variables));
      if (matching(file.workflow.rules) === undefined) return [];
      return ordered.flatMap((name) => {
        const rule = matching(jobs[name]?.rules ?? []);
        return rule === undefined ? [] : [rule.when === "manual" ? `${name} (manual)` : name];
      });
    },
    scriptOf(name) {
      const job = jobs[name];
      if (job === undefined) throw new Error(`There is no job ${name}.`);
      return [...(job.before_script ?? file.default.before_script), ...job.script].join("\n");
    },
  };
}

/** Whether a condition of rules holds: equalities, joined by &&. */
function holds(condition: string, variables: Readonly<Record<string, string>>): boolean {
  return condition.split("&&").every((part) => {
    const [, left = "", right = ""] = /^\s*(\S+) == (\S+)\s*$/.exec(part) ?? [];
    if (left === "") throw new Error(`The test cannot read the condition ${part}.`);
    const meant = (word: string) => (word.startsWith("$") ? variables[word.slice(1)] : JSON.parse(word));
    return meant(left) === meant(right);
  });
}
