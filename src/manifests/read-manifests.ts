import { type Problem, ProblemError } from "../core/problem.ts";
import { reasonOf } from "../core/reason.ts";
import { grouped } from "../core/words.ts";
import { type Declaration, declarationsOf, type Known } from "./documents/documents.ts";
import type { LiveLists } from "./documents/live-list.ts";
import { type Placed, placed } from "./documents/resources.ts";
import type { PolicyCheck } from "./policies/policies.ts";
import type { FileSource } from "./sources/files.ts";
import type { Variables } from "./workspace/variables.ts";
import { type Budget, raise } from "./yaml/budget.ts";
import { type ParsedDocument, parseDocuments } from "./yaml/parse-documents.ts";
import { readText } from "./yaml/read-text.ts";
import { type Collected, collect, problemAt, type Range } from "./yaml/source-text.ts";

/** What both steps share. */
interface Shared {
  readonly files: FileSource;
  readonly budget: Budget;
  /** Where the workspace file states its limits. */
  readonly limitsAt: Range;
}

/** What manifests are declared with. */
interface Declaring extends Shared {
  readonly known: Omit<Known, "lists">;
  readonly openLists: () => LiveLists;
  readonly variables: Variables;
  /** Takes the text of each manifest. */
  readonly see: (text: string) => void;
}

/** What a manifest declares, and the mistakes in it. */
export interface DeclaredManifest {
  readonly file: string;
  readonly declarations: readonly Declaration[];
  readonly problems: readonly Problem[];
  /** Whether it has documents that are repeated over a list of a service and could not be expanded. */
  readonly unexpanded: boolean;
}

interface Parsed {
  readonly file: string;
  /** Of a file that waits for a list; the others are declared already. */
  documents: readonly ParsedDocument[];
  readonly lists: LiveLists;
  readonly problems: readonly Problem[];
  declared: Collected<readonly Declaration[]>;
}

/** Files that are read at once; what was read is parsed one after another. */
const batchSize = 64;

/** Mistakes after which no further file is read. */
const mostMistakes = 10_000;

/**
 * Reads what manifests declare. They spend from one budget in the order of their names, each file whole before the next, so
 * that which one is refused does not depend on what is read first. Reports what each file's reading does, and SP1011.
 */
export async function readDeclarations(
  manifests: Declaring,
  names: readonly string[],
): Promise<readonly DeclaredManifest[]> {
  const all: Parsed[] = [];
  let mistakes = 0;
  for (let at = 0; at < names.length; at += batchSize) {
    const batch = names.slice(at, at + batchSize).map((file) => read(manifests.files, file));
    for (const text of await Promise.all(batch)) {
      if (manifests.budget.isSpent() || mistakes >= mostMistakes) break;
      const parsed = await parse(manifests, text);
      parsed.declared = await declare(manifests, parsed);
      if (!parsed.lists.isWaiting) parsed.documents = [];
      mistakes += parsed.problems.length + parsed.declared.problems.length;
      all.push(parsed);
    }
  }
  await readLists(manifests, all);
  const message = `The manifests have ${grouped(mostMistakes)} or more mistakes. The rest is not read.`;
  const givenUp = mistakes < mostMistakes ? [] : [problemAt(manifests.limitsAt, "SP1011", message)];
  return all.map(({ file, problems, declared, lists }, index) => ({
    file,
    declarations: declared.result ?? [],
    problems: [...problems, ...declared.problems, ...(index === all.length - 1 ? givenUp : [])],
    unexpanded: lists.unread,
  }));
}

async function parse(
  { budget, openLists, see }: Declaring,
  { file, result: source, problems }: Awaited<ReturnType<typeof read>>,
): Promise<Parsed> {
  const parsed = await collect((report) => {
    if (source === undefined) return [];
    budget.spend({ source, start: 0, end: 0 }, { characters: source.text.length });
    see(source.text);
    return parseDocuments(source, budget, report);
  });
  return {
    file,
    documents: parsed.result ?? [],
    lists: openLists(),
    problems: [...problems, ...parsed.problems],
    declared: { result: [], problems: [] },
  };
}

async function read(files: FileSource, file: string) {
  return { file, ...(await collect(() => readText(files, file))) };
}

/** What documents declare. What they spend is given back if they wait for a list, because they are declared again with it. */
async function declare(
  { known, variables, budget }: Declaring,
  { documents, lists }: Parsed,
): Promise<Collected<readonly Declaration[]>> {
  const takeBack = budget.mark();
  const declared = await collect((report) => {
    const substitution = { scope: { variables, each: undefined }, budget, report };
    return documents.flatMap((document) => {
      try {
        return declarationsOf(document, { ...known, lists }, substitution);
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        error.problems.forEach(report);
        return [];
      }
    });
  });
  if (lists.isWaiting) takeBack();
  return declared;
}

/** Which lists a document needs is known only after reading it, so it is read again with them. */
async function readLists(manifests: Declaring, all: readonly Parsed[]): Promise<void> {
  for (;;) {
    const waiting = all.filter(({ lists }) => lists.isWaiting);
    if (waiting.length === 0) return;
    await Promise.all(waiting.map(({ lists }) => lists.readMissing()));
    for (const parsed of waiting) parsed.declared = await declare(manifests, parsed);
  }
}

/** What resources are made with. */
interface Placing extends Shared {
  /** Files that the manifests deliver secrets to. */
  readonly delivered: ReadonlySet<string>;
  readonly checks: readonly PolicyCheck[];
}

/** What was made of the manifests. */
interface ReadResources {
  readonly placed: readonly Placed[];
  readonly problems: readonly Problem[];
}

/**
 * The resources that manifests declare, held against every policy. Nothing is said of the lines of a manifest that is a place
 * of a secret. Reports SP1011, and what `placed` and the policies do.
 */
export async function readResources(placing: Placing, declared: readonly DeclaredManifest[]): Promise<ReadResources> {
  const suspects = placing.delivered.size === 0 ? [] : declared;
  const denials = await Promise.all(suspects.map(({ file }) => denialOf(placing.files, file)));
  const denied = new Map(denials.flatMap((denial) => (denial === undefined ? [] : [[denial.file, denial.problem]])));
  const manifests = declared.filter(({ file }) => !denied.has(file));
  const checked = await checkPolicies(placing, manifests);
  const { placed, problems } = await place(placing, manifests);
  // A spent budget says the same wherever something is asked of it.
  const said = new Set([...declared.flatMap((one) => one.problems), ...checked, ...problems]);
  const shown = [...said].filter((one) => one.place === undefined || !denied.has(one.place.file));
  return { placed, problems: [...denied.values(), ...shown] };
}

async function denialOf(files: FileSource, file: string) {
  try {
    await files.size(file);
    return undefined;
  } catch (error) {
    const place = { file, line: 1, column: 1 };
    const message = `The file cannot be read: ${reasonOf(error)}.`;
    return { file, problem: { code: "SP1001", message, place } as const };
  }
}

/** Holds every declaration against every policy. A file is one collection of mistakes. */
async function checkPolicies(
  { checks, budget }: Placing,
  manifests: readonly DeclaredManifest[],
): Promise<readonly Problem[]> {
  if (checks.length === 0) return [];
  const problems: Problem[] = [];
  for (const { declarations } of manifests) {
    const checked = await collect((report) => {
      for (const one of declarations) for (const check of checks) check(one, budget, report);
    });
    problems.push(...checked.problems);
  }
  return problems;
}

/** The resources, with the files that they name. All are read side by side, so only their sum is limited. */
async function place(
  { files, budget, limitsAt }: Placing,
  manifests: readonly DeclaredManifest[],
): Promise<ReadResources> {
  let left = budget.limits.bytes;
  const counted: FileSource = {
    ...files,
    read: async (path) => {
      if (left < 0) throw new Error("the limit of the workspace is reached");
      const bytes = await files.read(path);
      left -= bytes.length;
      return bytes;
    },
  };
  const all = manifests.flatMap(({ declarations }) => declarations.map((one) => placed(one, counted)));
  await Promise.all(all.filter((one) => one instanceof Promise));
  const [found, problems]: [Placed[], Problem[]] = [[], []];
  for (const one of all) {
    const settled = one instanceof Promise ? await one : one;
    if ("resource" in settled) found.push(settled);
    else problems.push(...settled.problems);
  }
  if (left >= 0) return { placed: found, problems };
  // Which files were read before the limit depends on timing, so that nothing is said of any of them.
  const message = `The files that documents name have more than ${grouped(budget.limits.bytes)} bytes together.`;
  return { placed: [], problems: [problemAt(limitsAt, "SP1011", message, { hint: raise("bytes") })] };
}
