import type { z } from "zod";
import type { CallOf } from "./call.ts";
import type { Change, ObjectEvent, Observation, Risk, Writable } from "./change.ts";
import type { OperationTable, Reader } from "./operation.ts";
import type { Role } from "./resource.ts";
import type { Sink } from "./sink.ts";

/** A resource that another one needs, by the fields of its specification that make up its key. */
export interface Reference {
  readonly kind: string;
  readonly identity: unknown;
}

/**
 * Signs in with the secret that a sink holds, in place of the account's own: what the service then tells is told of the
 * secret's owner. The secret's text stays with the engine. Undefined if the sink has nothing to sign in with.
 */
export type SignIn<Table extends OperationTable = OperationTable> = (sink: Sink) => Promise<Reader<Table> | undefined>;

/** A file beside a manifest, of any size. The checksum is hexadecimal. */
export interface LocalFile {
  /** Where the process finds it. What it is at a git ref is compared and never sent: then its path in the workspace. */
  readonly path: string;
  readonly sha256: string;
}

/**
 * A type of object that manifests can declare. `Spec` is what a user may state, `Table` the type of the operations of
 * its service, `Marker` what a write must know that no user states.
 *
 * A kind never receives a client that can write, never sees a secret's text, never prints, and has no comparison of its
 * own: that is generic over the fields a manifest states. Everything but `observe` is pure.
 */
export interface Kind<Spec = unknown, Table extends OperationTable = OperationTable, Marker = unknown> {
  readonly kind: string;
  readonly role: Role;
  /** Further roles whose services have the same objects, read and written by the same operations. */
  readonly alsoRoles?: readonly Role[];
  /** One sentence, for lists and the head of the docs page. */
  readonly summary: string;
  /** The only place where the kind's fields are written. Optional fields that are left out are not managed. */
  readonly spec: z.ZodType<Spec>;
  /** The request budget in words, for the docs; the kind's test asserts it. */
  readonly budget: { readonly reads: string; readonly writes: string };
  /** What an author should know beyond the fields; Markdown paragraphs for the docs page. */
  readonly notes?: string;
  /**
   * The object always exists and cannot be deleted: without a document it is no longer managed, and
   * `state: absent` is a mistake.
   */
  readonly permanent?: true;

  /** The objects are the account's own: services of one server that sign in as different accounts have different ones. */
  readonly ofAccount?: true;

  /** Natural identity in the service: no invented names. */
  key(spec: Spec): string;
  /** The remote object that is read and written as one, in words that are unique within the service. */
  scope(spec: Spec): string;
  /** What must exist before this resource can. */
  references?(spec: Spec): readonly Reference[];
  /**
   * Names of the parts of the scope that this resource alone decides. Two resources with one claim are a problem. If
   * `marker` says that the service has another name for a part, the claim is under both.
   */
  claims?(spec: Spec, marker?: Marker): readonly string[];
  /**
   * Replaces names of files by their contents, or by the checksums of files that are too large to be a part of a
   * specification. Paths are relative to the manifest. `digest` knows nothing of a file that was not there at a git ref:
   * what is deployed is often built.
   */
  inline?(spec: Spec, read: (path: string) => string, digest: (path: string) => LocalFile | undefined): Spec;
  /**
   * Replaces links to files by links to the resources that are made of them. `madeOf` gives those of this kind and service
   * for which `inline` has read a file, by a path relative to the manifest. Links are no references: they may go in
   * circles. Throws `ProblemError`; a place in it is in a file by such a path.
   */
  link?(spec: Spec, madeOf: (path: string) => readonly Spec[]): Spec;

  /**
   * Reads the scope and says for each wanted specification, by its key, what is there. A key may be wanted twice: as
   * declared now, first, and as declared at the base. Throws `ProblemError` if the service cannot say: all wanted
   * resources become unknown. `now` is the moment of the run, the same for all of it: an age is counted from there.
   * With `signIn` a kind asks whose secret a sink holds; it is left out where no sink can be read.
   */
  observe(
    read: Reader<Table>,
    scope: string,
    wanted: readonly Spec[],
    now: Date,
    signIn?: SignIn<Table>,
  ): Promise<ReadonlyMap<string, Observation<Spec, Marker>>>;
  /**
   * What is there, if the service says too little to compare it with the files of the wanted specifications: `live` with what
   * they tell. `sha1Of` has a file read again, known by its SHA-256; undefined if this process has not read it. Asked where the files are, which need not be where
   * `observe` was. Throws `ProblemError`, as `sha1Of` does, if it cannot be told.
   */
  recognise?(
    live: Spec,
    wanted: readonly Spec[],
    sha1Of: (sha256: string) => Promise<string | undefined>,
  ): Promise<Spec>;
  /**
   * Every live object of the kind as a manifest would state it, by its natural key and without secrets: what an import
   * writes, and what nobody has declared. With the same reads as `observe` if they serve, so that they are shared.
   * Absent if the service has nothing to list. Throws `ProblemError` if the list may be incomplete. What has ended
   * before `now` is left out.
   */
  list?(read: Reader<Table>, now?: Date): Promise<readonly Spec[]>;
  /** What identifies the objects that `list` returns, for `key` and `claims`, if fewer reads serve: for naming what nobody has declared. */
  names?(read: Reader<Table>): Promise<readonly unknown[]>;
  /**
   * Server defaults, orderings and spellings made equal before comparing; applied to both sides. Fields that cannot be
   * read back are left out here.
   */
  normalize?(spec: Spec): Readonly<Record<string, unknown>>;
  /**
   * Whether a base compares with what is declared now, if what is compared follows from a rule: not if the rule was
   * another one. Left out: it always does.
   */
  sameRule?(base: Spec, now: Spec): boolean;
  /** What a person must do if no call can close the difference. */
  needsPerson?(change: Change<Spec, Marker>): string | undefined;
  /**
   * The fewest calls that close all changes of one scope, in order, each made by `callOf<Table>()`. Absent for a kind that
   * can only be checked.
   */
  compile?(changes: readonly Writable<Spec, Marker>[], scope: string): readonly CallOf<Table>[];
  /**
   * What the change widens, narrows or loses. Access is judged by the two specifications alone, because what happened to
   * the service is judged as the same change backwards.
   */
  risk?(change: Writable<Spec, Marker>): readonly Risk[];
  /**
   * Who changed the objects of the scope, when and why, newest first, if that takes further reads: asked only about what
   * the service changed, verdict drift or conflict. What it throws leaves the history out.
   */
  history?(
    read: Reader<Table>,
    scope: string,
    changes: readonly Change<Spec, Marker>[],
  ): Promise<readonly ObjectEvent[]>;
}

/** The roles of the services that a kind can belong to. */
export function rolesOf({ role, alsoRoles = [] }: Kind): readonly Role[] {
  return [role, ...alsoRoles];
}
