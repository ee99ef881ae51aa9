import { z } from "zod";
import type { LiveEntry, LiveList, LiveListRequest, ReadLiveList } from "../../core/live-list.ts";
import { onceEach, onceFor } from "../../core/once.ts";
import { ProblemError } from "../../core/problem.ts";
import type { RoleName } from "../../core/resource.ts";
import type { Service, ServiceType } from "../../core/service.ts";
import { namePattern } from "../../core/text/glob.ts";
import { canonicalJson, type JsonObject } from "../../core/text/json.ts";
import { shapeOf } from "../../core/text/json-schema.ts";
import { alternatives, quote } from "../../core/text/words.ts";
import { reportIssues } from "../shape/issues.ts";
import { NamePattern } from "../workspace/workspace-schema.ts";
import type { Budget } from "../yaml/budget.ts";
import { problemAt, type ReportProblem } from "../yaml/source-text.ts";
import { entryOf, follow, type Mapping, mappingAt, plain, type Tree, valueRange } from "../yaml/tree.ts";
import type { Services } from "./service-for.ts";

const Patterns = z.union([NamePattern, z.array(NamePattern)]);

/** The schema of a list of a service that a document is repeated over. */
export const liveListFields = onceFor((types: readonly ServiceType[]) => {
  const lists = types.flatMap(({ liveLists = [] }) => liveLists);
  const args = lists.flatMap((list) => Object.entries(list.args));
  return z
    .strictObject({
      operation: z.enum(lists.map(({ operation }) => operation)).describe("The list operation."),
      service: z.string().optional().describe("The service, if several have the list."),
      match: Patterns.optional().describe("Only names that match; `*` matches any characters."),
      except: Patterns.optional().describe("Names to leave out; `*` matches any characters."),
    })
    .extend(
      Object.fromEntries(args.map(([name, { description }]) => [name, z.string().optional().describe(description)])),
    );
});

/** Lists of services for one file: those that were read, and those that are still to be read. Files share each read. */
export interface LiveLists {
  /**
   * Returns the entries that the mapping under `from` requests; none if they are not read yet or cannot be read. A
   * service of `role`, the role of the document's kind, takes precedence.
   */
  entries(from: Mapping, role: RoleName | undefined, budget: Budget, report: ReportProblem): readonly Tree[];
  /** Whether anything was requested since the last call of `readMissing`. */
  readonly isWaiting: boolean;
  /** Reads what was requested since the last call. */
  readMissing(): Promise<void>;
  /** Whether a list was requested that cannot be read here. */
  readonly unread: boolean;
}

/** The entries, or the reason why there are none. */
type Answer = readonly LiveEntry[] | ProblemError;

/**
 * Returns a function that opens the lists for one file. `read` is undefined if no service may be contacted. `warn` is told SP1018
 * for a pattern under `match` that fits no name, perhaps repeatedly.
 */
export function liveListsOf(
  services: Services,
  types: readonly ServiceType[],
  read: ReadLiveList | undefined,
  warn: ReportProblem,
): () => LiveLists {
  const fields = liveListFields(types);
  const reading = onceEach(
    async (request: LiveListRequest): Promise<Answer> => (await read?.(request).catch(asAnswer)) ?? [],
    canonicalJson,
  );
  return () => {
    const answers = new Map<string, Answer>();
    const missing = new Map<string, LiveListRequest>();
    let unread = false;
    return {
      entries(from, role, budget, report) {
        const parsed = fields.safeParse(plain(from));
        if (!parsed.success) {
          const subject = { name: "A live list", root: from, path: [], shape: shapeOf(fields) };
          reportIssues(subject, parsed.error.issues, report);
          return [];
        }
        const request = requestFor(from, parsed.data, { services, types, role }, report);
        unread ||= request !== undefined && read === undefined;
        if (request === undefined || read === undefined) return [];
        const id = canonicalJson(request);
        const answer = answers.get(id);
        if (answer === undefined) {
          missing.set(id, request);
          return [];
        }
        if (!(answer instanceof ProblemError)) return chosenFrom(answer, from, parsed.data, request.list, budget, warn);
        for (const problem of answer.problems)
          report({
            ...problemAt(from, problem.code, `The list cannot be read: ${problem.message}`, { hint: problem.hint }),
            service: request.service,
          });
        return [];
      },
      get unread() {
        return unread;
      },
      get isWaiting() {
        return missing.size > 0;
      },
      async readMissing() {
        const requests = [...missing];
        missing.clear();
        await Promise.all(
          requests.map(async ([id, request]) => {
            answers.set(id, await reading(request));
          }),
        );
      },
    };
  };
}

function asAnswer(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  throw error;
}

type Fields = z.infer<ReturnType<typeof liveListFields>>;

/** Returns the entries whose names match what is asked for, at the place of the request. */
function chosenFrom(
  answer: readonly LiveEntry[],
  from: Mapping,
  { match, except }: Fields,
  list: LiveList,
  budget: Budget,
  warn: ReportProblem,
): readonly Tree[] {
  const name = (entry: LiveEntry) => String(entry[list.naturalName]);
  const names = answer.map(name);
  const wanted = [match ?? []].flat();
  const characters = (texts: readonly string[]) => texts.reduce((sum, text) => sum + text.length + 1, 0);
  budget.spend(from, { work: characters([wanted, except ?? []].flat()) * characters(names) });
  for (const pattern of wanted.filter((one) => !names.some(namePattern([one]))))
    warn(
      problemAt(
        valueRange(follow(from, ["match"])),
        "SP1018",
        `${quote(pattern)} matches none of the names that ${list.operation} lists.`,
      ),
    );
  const fits = match === undefined ? () => true : namePattern(wanted);
  const isLeftOut = namePattern([except ?? []].flat());
  const chosen = answer.filter((entry) => fits(name(entry)) && !isLeftOut(name(entry)));
  budget.spend(from, { values: chosen.reduce((sum, entry) => sum + 1 + Object.keys(entry).length, 0) });
  return chosen.map((entry) => mappingAt(from, entry));
}

interface Known {
  readonly services: Services;
  readonly types: readonly ServiceType[];
  readonly role: RoleName | undefined;
}

/** Reports SP1004 for arguments that the list does not take, SP1003 for missing ones, SP1009 if the service is not clear. */
function requestFor(
  from: Mapping,
  { operation, service: named, match: _match, except: _except, ...given }: Fields,
  { services, types, role }: Known,
  report: ReportProblem,
): LiveListRequest | undefined {
  const candidates = [...services.values()].flatMap((service) => {
    const { liveLists = [] } = types.find((type) => type.role === service?.role) ?? {};
    const list = liveLists.find((one) => one.operation === operation);
    return service === undefined || list === undefined ? [] : [{ service, list }];
  });
  const own = candidates.filter(({ service }) => service.role === role);
  const fitting =
    named !== undefined
      ? candidates.filter(({ service }) => service.name === named)
      : own.length > 0
        ? own
        : candidates;
  const [only, ...others] = fitting;
  const at = valueRange(follow(from, [named === undefined ? "operation" : "service"]));
  if (only === undefined || others.length > 0) {
    const names = alternatives(candidates.map(({ service }) => service.name));
    const message =
      only === undefined
        ? `No service ${named === undefined ? "of the workspace" : quote(named)} has ${operation}.`
        : `${operation} could refer to ${names}.`;
    const hint = names === "" ? undefined : `Name one of them in service: ${names}.`;
    report(problemAt(at, "SP1009", message, { hint }));
    return undefined;
  }
  const args = argsFor(from, only, given, report);
  return args && { service: only.service.name, role: only.service.role, list: only.list, args };
}

function argsFor(
  from: Mapping,
  { service, list }: { readonly service: Service; readonly list: LiveList },
  given: Readonly<Record<string, string | undefined>>,
  report: ReportProblem,
): JsonObject | undefined {
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(list.args, name));
  const missing = Object.entries(list.args).filter(([name, { required }]) => required && given[name] === undefined);
  for (const name of unknown)
    report(
      problemAt(entryOf(from, name)?.key ?? from, "SP1004", `${list.operation} of ${service.role} takes no ${name}.`),
    );
  for (const [name] of missing)
    report(problemAt(valueRange(follow(from, ["operation"])), "SP1003", `${list.operation} needs ${name}.`));
  return unknown.length + missing.length > 0 ? undefined : given;
}
