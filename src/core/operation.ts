import type { z } from "zod";
import type { Json, JsonObject } from "./text/json.ts";

/** Whether an operation changes the service. A property of the operation, never of the HTTP method. */
export type Effect = "read" | "write";
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * How the remaining arguments are sent: as a JSON object, as form fields (an object's members are fields), as one JSON
 * value, as text (that of a file, if an argument `file` names one), or as the bytes of the file that the one argument
 * names. With an argument `sha256`, the bytes are sent only if they have the checksum that it states.
 */
export type BodyForm = "none" | "json" | "form" | "value" | "text" | "file";

/**
 * What an answer is: JSON as the service's protocol decodes it, text, bytes for the file that the argument `to` names, or
 * only header fields, by names in lower case; then a redirect answers a write.
 */
export type AnswerForm = "json" | "text" | "file" | "headers";

/** The arguments of an operation by name, as JSON: as a call states them, and as its row transforms them for the request. */
export type Arguments = z.ZodObject<Readonly<Record<string, z.ZodType<Json | undefined, Json | undefined>>>>;

/**
 * One row of a client's table: everything there is to know about an operation, as data.
 *
 * `path` is written as the API documents write it: `{name}` stands for an argument, percent-encoded as one segment;
 * names after `?` are arguments sent in the query if given (a list is repeated), or a flag without a value if no
 * argument has the name; `name=value` after a space is a fixed form field. A placeholder at the front that ends in `_url`
 * is another root: a URL of the service's entry, or an argument if one has the name. Placeholders in kebab-case or
 * snake_case name camelCase arguments. The remaining arguments are the body or, without a body, also in the query.
 *
 * @see docs/api/operations.md
 */
export interface Operation<
  Args extends Arguments = Arguments,
  Result extends z.ZodType = z.ZodType,
  E extends Effect = Effect,
> {
  readonly summary: string;
  readonly effect: E;
  readonly method: Method;
  readonly path: string;
  /** The product's path, if it differs from the documents'. Used under `wire: product`. */
  readonly product?: string;
  /** Strict: refuses a name that it does not have. An argument that the API documents lack is marked `.meta({ ext })`. */
  readonly args: Args;
  /** The form of the product's body, if it differs from the documents'. Used under `wire: product`. */
  readonly productBody?: BodyForm;
  /** Arguments as the product takes them, if it differs from the documents. Used under `wire: product`. */
  productArgs?(args: z.output<Args>): JsonObject;
  /** Selects what is returned: unless the selection is in `whole`, the answer is not checked against `result`. */
  readonly selection?: { readonly by: string; readonly whole: readonly string[] };
  /** Decodes the answer: keeps the fields it does not name, strict about those it names. */
  readonly result: Result;
  readonly body: BodyForm;
  /** Media type of a text body that is not plain text. */
  readonly type?: string;
  /** Default: `json`. */
  readonly answer?: AnswerForm;
  /** A redirect is followed once, without credentials, as that of a file is. */
  readonly follows?: true;
  /** Arguments of several segments, or none if left out, with their separator: `/` for a path, `/job/` for nested jobs. */
  readonly nested?: Readonly<Record<string, string>>;
  /** Arguments sent as header fields, by name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Set if the API documents leave the operation out: the fact that justifies it. */
  readonly ext?: string;
  /** Names of arguments that are secret references until the call is made. */
  readonly secrets?: readonly string[];
  /** Members of the result that are new secrets, shown this once; the first one present is the one to keep. */
  readonly yields?: readonly string[];
  /** How the next page is requested, and how pages are joined to one result. */
  readonly paging?: Paging<z.output<Args>, z.output<Result>>;
  /** How two calls on one remote object become one. */
  readonly merge?: Merge<z.input<Args>>;
}

/** How a list that comes in pages is read to its end. */
export interface Paging<Args, Result> {
  /** The argument that caps the answer: a call that sets it reads one page, unless all are wanted. */
  readonly cap?: string;
  /** Arguments of the page after `page`; undefined at the end. `link` is the query of the answer's `Link: rel="next"`. */
  next(args: Args, page: Result, link: URLSearchParams | undefined): Args | undefined;
  /** Starts the whole list with its first page; left out if an answer never has a next page. */
  list?(first: Result): PageList<Result>;
}

/** A list under construction. */
export interface PageList<Page> {
  /** Adds a page, and returns whether it has an entry that no earlier page has. */
  add(page: Page): boolean;
  whole(): Page;
}

/** Calls with equal `object` are joined, the earlier one first. */
export interface Merge<Args> {
  object(args: Args): string;
  join(earlier: Args, later: Args): Args;
  /**
   * Names of what a call decides within the object. Calls that have one in common are sent as one even if the service
   * refuses the joint call: each was computed without the other, so in sequence they could undo each other.
   */
  decides(args: Args): readonly string[];
}

/** A client's operations by name. */
export type OperationTable = Readonly<Record<string, Operation>>;

/** The names of a table's operations of an effect. */
export type NamesOf<T extends OperationTable, E extends Effect> = {
  [Name in keyof T & string]: T[Name]["effect"] extends E ? Name : never;
}[keyof T & string];

/** The arguments of an operation as a caller states them; lists may be read-only. */
export type ArgsOf<T extends OperationTable, Name extends keyof T> = Immutable<z.input<T[Name]["args"]>>;

/** The decoded answer of an operation; an answer to a `selection` of the caller's own can be anything. */
export type ResultOf<T extends OperationTable, Name extends keyof T> = z.output<T[Name]["result"]>;

type Immutable<T> = T extends readonly (infer Entry)[]
  ? readonly Immutable<Entry>[]
  : T extends object
    ? { readonly [Name in keyof T]: Immutable<T[Name]> }
    : T;

/** A client with only operations of effect `read`. A kind is given nothing else, so planning cannot even name a write. */
export type Reader<T extends OperationTable> = {
  readonly [Name in NamesOf<T, "read">]: (args: ArgsOf<T, Name>) => Promise<ResultOf<T, Name>>;
};

/** The reading half of some client. Only the kinds of its role know what it reads. */
export type AnyReader = Reader<OperationTable>;

/** A client with every operation of its table. */
export type Client<T extends OperationTable> = {
  readonly [Name in keyof T]: (args: ArgsOf<T, Name>) => Promise<ResultOf<T, Name>>;
};
