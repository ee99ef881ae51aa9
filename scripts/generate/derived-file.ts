/** A file that is derived from the sources; `path` is relative to the root of the repository. */
export interface DerivedFile {
  readonly path: string;
  readonly text: string;
}
