/** What a hosting service keeps about a repository, in the form of its API. */
export interface Kept {
  readonly repository: string;
  readonly pulls: { readonly merge_commit_sha: string; readonly head: { readonly sha: string } }[];
  readonly runs: {
    readonly id: number;
    readonly path: string;
    readonly event: string;
    readonly head_branch: string;
    readonly head_sha: string;
    readonly conclusion: string;
  }[];
  readonly artifacts: { readonly run: number; readonly name: string; readonly folder: string }[];
}
