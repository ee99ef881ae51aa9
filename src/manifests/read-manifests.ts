import { type Problem, problemsOf } from "../core/problem.ts";
import { grouped } from "../core/text/words.ts";
import { type Declaration, declarationsOf, type Known } from "./documents/documents.ts";
import type { LiveLists } from "./documents/live-list.ts";
import { type NamedFiles, type Placed, placed } from "./documents/resources.ts";
import type { PolicyCheck } from "./policies/policies.ts";
import type { FileSource } from "./sources/files.ts";
import type { Variables } from "./workspace/variables.ts";
import { type Budget, raise } from "./yaml/budget.ts";
import { type ParsedDocument, parseDocuments } from "./yaml/parse-documents.ts";
import { readText, unreadableFile } from "./yaml/read-text.ts";
import { type Collected, collect, problemAt, type Range } from "./yaml/source-text.ts";

/** The inputs that both steps share. */
interface Shared {
  readonly files: FileSource;
  readonly budget: Budget;
  /** Where the workspace file states its limits. */
  readonly limitsAt: Range;
}

interface Declaring extends Shared {
  readonly known: Omit<Known, "lists">;
  readonly openLists: () => LiveLists;
  readonly variables: Variables;
  /** Called with the text of each manifest. */
  readonly see: (text: string) => void;
}

/** What a manifest declares, and the errors in it. */
export interface DeclaredManifest {
  readonly file: string;
  readonly declarations: readonly Declaration[];
  readonly problems: readonly Problem[];
  /** Whether it has documents that are repeated over a list of a service and could not be expanded. */
  readonly unexpanded: boolean;
}

interface Parsed {
  readonly file: string;
  /** Empty unless the file waits for a list; other files are already declared. */
  readonly documents: readonly ParsedDocument[];
  readonly lists: LiveLists;
  readonly problems: readonly Problem[];
  declared: Collected<readonly Declaration[]>;
}

/** The number of files that are read concurrently. They are parsed one after another. */
const batchSize = 64;

/** The number of errors after which no further file is read. */
const mostMistakes = 10_000;

/**
 * Reads what manifests declare. They spend from one budget in the order of their names, one whole file after another, so
 * which one is refused does not depend on timing. Reports what reading each file reports, and SP1011.
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
      mistakes += parsed.problems.length + parsed.declared.problems.length;
      all.push(parsed);
    }
  }
  await readLists(manifests, all);
  const message = `The manifests have ${grouped(mostMistakes)} or more errors. The rest are not read.`;
  const givenUp = mistakes < mostMistakes ? [] : [problemAt(manifests.limitsAt, "SP1011", message)];
  return all.map(({ file, problems, declared, lists }, index) => ({
    file,
    declarations: declared.result ?? [],
    problems: [...problems, ...declared.problems, ...(index === all.length - 1 ? givenUp : [])],
    unexpanded: lists.unread,
  }));
}

async function parse(
  manifests: Declaring,
  { file, result: source, problems }: Awaited<ReturnType<typeof read>>,
): Promise<Parsed> {
  const { budget, openLists, see } = manifests;
  const parsed = await collect((report) => {
    if (source === undefined) return [];
    budget.spend({ source, start: 0, end: 0 }, { characters: source.text.length });
    see(source.text);
    return parseDocuments(source, budget, report);
  });
  const { result: documents = [] } = parsed;
  const lists = openLists();
  const declared = await declare(manifests, { documents, lists });
  const waiting = lists.isWaiting ? documents : [];
  return { file, documents: waiting, lists, problems: [...problems, ...parsed.problems], declared };
}

async function read(files: FileSource, file: string) {
  return { file, ...(await collect(() => readText(files, file))) };
}

/** Returns what documents declare. If they wait for a list, what they spent is refunded, because they are declared again. */
async function declare(
  { known, variables, budget }: Declaring,
  { documents, lists }: Pick<Parsed, "documents" | "lists">,
): Promise<Collected<readonly Declaration[]>> {
  const takeBack = budget.mark();
  const declared = await collect((report) => {
    const substitution = { scope: { variables, each: undefined }, budget, report };
    return documents.flatMap((document) => {
      try {
        return declarationsOf(document, { ...known, lists }, substitution);
      } catch (error) {
        problemsOf(error).forEach(report);
        return [];
      }
    });
  });
  if (lists.isWaiting) takeBack();
  return declared;
}

/** Reads the lists that documents wait for and declares those again: which lists they need shows only in declaring them. */
async function readLists(manifests: Declaring, all: readonly Parsed[]): Promise<void> {
  for (;;) {
    const waiting = all.filter(({ lists }) => lists.isWaiting);
    if (waiting.length === 0) return;
    await Promise.all(waiting.map(({ lists }) => lists.readMissing()));
    for (const parsed of waiting) parsed.declared = await declare(manifests, parsed);
  }
}

interface Placing extends Shared, NamedFiles {
  /** Files that the manifests deliver secrets to. */
  readonly delivered: ReadonlySet<string>;
  readonly checks: readonly PolicyCheck[];
}

interface ReadResources {
  readonly placed: readonly Placed[];
  readonly problems: readonly Problem[];
}

/**
 * Returns the resources that manifests declare, checked against every policy. No problem quotes a line of a manifest that
 * a secret is delivered to. The problems are SP1011, and those of `placed` and the policies.
 */
export async function readResources(placing: Placing, declared: readonly DeclaredManifest[]): Promise<ReadResources> {
  const suspects = placing.delivered.size === 0 ? [] : declared;
  const denied = new Map<string, Problem>();
  const deny = (file: string) => (error: unknown) => denied.set(file, unreadableFile(file, error));
  await Promise.all(suspects.map(({ file }) => placing.files.size(file).catch(deny(file))));
  const manifests = declared.filter(({ file }) => !denied.has(file));
  const checked = await checkPolicies(placing, manifests);
  const { placed, problems } = await place(placing, manifests);
  // A spent budget throws the same problem to everyone who spends from it.
  const said = new Set([...declared.flatMap((one) => one.problems), ...checked, ...problems]);
  const shown = [...said].filter((one) => one.place === undefined || !denied.has(one.place.file));
  return { placed, problems: [...denied.values(), ...shown] };
}

/** Checks every declaration against every policy. The problems of a file are collected together. */
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

/** Returns the resources with the files that they name. The files are read concurrently, so only their total is limited. */
async function place(
  { files, digests, budget, limitsAt }: Placing,
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
  const all = manifests.flatMap(({ declarations }) =>
    declarations.map((one) => placed(one, { files: counted, digests })),
  );
  await Promise.all(all.filter((one) => one instanceof Promise));
  const [found, problems]: [Placed[], Problem[]] = [[], []];
  for (const one of all) {
    const settled = one instanceof Promise ? await one : one;
    if ("resource" in settled) found.push(settled);
    else problems.push(...settled.problems);
  }
  if (left >= 0) return { placed: found, problems };
  // Which files were read before the limit depends on timing, so none of them is named.
  const message = `The files that documents name have more than ${grouped(budget.limits.bytes)} bytes in total.`;
  return { placed: [], problems: [problemAt(limitsAt, "SP1011", message, { hint: raise("bytes") })] };
}
