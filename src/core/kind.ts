import type { z } from "zod";
import type { CallOf } from "./call.ts";
import type { Change, ObjectEvent, Observation, Risk, Writable } from "./change.ts";
import type { OperationTable, Reader } from "./operation.ts";
import type { Problem } from "./problem.ts";
import type { RoleName } from "./resource.ts";
import type { Sink } from "./sink.ts";

/** A resource that another one needs, by the fields of its specification that make up its key. */
export interface Reference {
  readonly kind: string;
  readonly identity: unknown;
}

/**
 * Signs in with the secret that a sink holds instead of the account's own, so that the service answers the secret's
 * owner. The secret's text stays with the engine. Undefined if the sink has nothing to sign in with.
 */
export type SignIn<Table extends OperationTable = OperationTable> = (sink: Sink) => Promise<Reader<Table> | undefined>;

/**
 * Is told that a list leaves out a live object, and why. A key that ends with `*` is the beginning of the keys of several. No
 * other object may depend on whether it exists.
 */
export type LeaveOut = (key: string, problem: Problem) => void;

/** A file beside a manifest, of any size. The checksum is hexadecimal. */
export interface LocalFile {
  /** Where the process finds it. A file at a git ref is compared and never sent; this is then its path in the workspace. */
  readonly path: string;
  readonly sha256: string;
}

/**
 * A type of object that manifests can declare. `Spec` is what a user may state, `Table` the type of the operations of its
 * service, `Marker` what a write must know that no user states.
 *
 * A kind never receives a client that can write, never sees a secret's text, never prints, and has no comparison of its
 * own: that is generic over the fields a manifest states. Everything except `observe` is pure.
 */
export interface Kind<Spec = unknown, Table extends OperationTable = OperationTable, Marker = unknown> {
  readonly kind: string;
  readonly role: RoleName;
  /** Further roles whose services have the same objects, read and written by the same operations. */
  readonly alsoRoles?: readonly RoleName[];
  /** One sentence, for lists and the head of the docs page. */
  readonly summary: string;
  /** The only place where the kind's fields are written. Optional fields that are left out are not managed. */
  readonly spec: z.ZodType<Spec>;
  /** The request budget in words, for the docs; the kind's test asserts it. */
  readonly budget: { readonly reads: string; readonly writes: string };
  /** What an author should know beyond the fields; Markdown paragraphs for the docs page. */
  readonly notes?: string;
  /** The object always exists and cannot be deleted: without a document it is unmanaged, and `state: absent` is an error. */
  readonly permanent?: true;

  /**
   * What the resource amounts to depends on the rest of its scope, so a change of another one can undo it, as a rule opens a
   * lock. After such a change, an apply reads the resource again although it was in sync.
   */
  readonly judgedByScope?: true;

  /** The objects are the account's own: services of one server that sign in as different accounts have different ones. */
  readonly ofAccount?: true;

  /** Natural identity in the service: no invented names. */
  key(spec: Spec): string;
  /** The remote object that is read and written as one, in words that are unique within the service. */
  scope(spec: Spec): string;
  /** The key under which the object was declared before it was renamed, if the manifest states its former name. */
  formerKey?(spec: Spec): string | undefined;
  /** What must exist before this resource can. With `marker`, also what a write of the live object mentions unasked. */
  references?(spec: Spec, marker?: Marker): readonly Reference[];
  /**
   * Names of the parts of the scope that this resource alone decides. Two resources with the same claim are a problem. If
   * `marker` says that the service has another name for a part, the claim is made under both.
   */
  claims?(spec: Spec, marker?: Marker): readonly string[];
  /**
   * Replaces names of files with their contents, or with the checksums of files that are too large to be part of a
   * specification. Paths are relative to the manifest. `digest` returns undefined for a file that did not exist at a git
   * ref, because what is deployed is often built, and for any file while its checksum is not needed.
   */
  inline?(spec: Spec, read: (path: string) => string, digest: (path: string) => LocalFile | undefined): Spec;
  /**
   * Replaces links to files with links to the resources that are made from them. `madeOf` returns the resources of this
   * kind and service for which `inline` has read a file, by a path relative to the manifest. Links are not references:
   * they may form cycles. Throws `ProblemError`; a place in it names its file by such a path.
   */
  link?(spec: Spec, madeOf: (path: string) => readonly Spec[]): Spec;

  /**
   * Reads the scope and says for each wanted specification, by its key, what exists. A key can be wanted twice: first as
   * declared now, then as declared at the base. Throws `ProblemError` if the service cannot say; all wanted resources
   * then become unknown. `now` is the moment of the run, the same throughout, from which ages are counted. With `signIn`
   * a kind asks whose secret a sink holds; it is left out if no sink can be read.
   */
  observe(
    read: Reader<Table>,
    scope: string,
    wanted: readonly Spec[],
    now: Date,
    signIn?: SignIn<Table>,
  ): Promise<ReadonlyMap<string, Observation<Spec, Marker>>>;
  /**
   * Completes what the service says too little about: returns `live` with what the files of the wanted specifications
   * tell. `sha1Of` reads a file again, identified by its SHA-256; undefined if this process has not read it. Called where
   * the files are, which need not be where `observe` was called. Throws `ProblemError`, as `sha1Of` does, if this cannot
   * be decided.
   */
  recognise?(
    live: Spec,
    wanted: readonly Spec[],
    sha1Of: (sha256: string) => Promise<string | undefined>,
  ): Promise<Spec>;
  /**
   * Returns every live object of the kind as a manifest would state it, by its natural key and without secrets: what an
   * import writes, and what no one has declared. Makes the same reads as `observe` if they suffice, so that they are
   * shared. Absent if the service has nothing to list. If only some objects cannot be read or stated, `leaveOut` is told
   * which: they are unknown, never absent. Without it, and if the list might lack others too, throws `ProblemError`. Objects
   * that ended before `now` are left out.
   */
  list?(read: Reader<Table>, now?: Date, leaveOut?: LeaveOut): Promise<readonly Spec[]>;
  /** What `key` and `claims` need of the objects of `list`, to name what no one declares, if that takes fewer reads. */
  names?(read: Reader<Table>): Promise<readonly unknown[]>;
  /** Makes server defaults, orderings and spellings equal on both sides. Leaves out fields that cannot be read back. */
  normalize?(spec: Spec): Readonly<Record<string, unknown>>;
  /**
   * Whether a base can be compared with what is declared now. If what is compared follows from a rule, it cannot be after
   * the rule has changed. Default: it always can.
   */
  sameRule?(base: Spec, now: Spec): boolean;
  /** What a person must do if no call can close the difference. */
  needsPerson?(change: Writable<Spec, Marker>): string | undefined;
  /** The fewest calls that close all changes of a scope, in order, made by `callOf`. Absent for a kind that only checks. */
  compile?(changes: readonly Writable<Spec, Marker>[], scope: string): readonly CallOf<Table>[];
  /** Whether a change replaces more than `live` states, because no specification can state it: a way back would lose it. */
  replacesMore?(change: Writable<Spec, Marker>): boolean;
  /**
   * What the change widens, narrows or loses. Access is judged by the two specifications alone, because what happened to
   * the service is judged as the same change in reverse.
   */
  risk?(change: Writable<Spec, Marker>): readonly Risk[];
  /**
   * Returns who changed the objects of the scope, when and why, newest first, if that takes further reads. Called only
   * for what the service changed: verdict drift or conflict. If it throws, the history is left out.
   */
  history?(
    read: Reader<Table>,
    scope: string,
    changes: readonly Change<Spec, Marker>[],
  ): Promise<readonly ObjectEvent[]>;
}

/** The roles of the services that a kind can belong to. */
export function rolesOf({ role, alsoRoles = [] }: Kind): readonly RoleName[] {
  return [role, ...alsoRoles];
}
