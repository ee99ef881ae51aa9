/** What a user wants to know about a code besides its title. */
export interface GuideEntry {
  /** Why it happens. */
  readonly why: string;
  /** Something that causes it, or how it is reported. */
  readonly example: string;
  /** What to do. */
  readonly remedy: string;
  /** The exit code of a command that ends with it. Default: 1. */
  readonly exit?: string;
}

export const exits = {
  refused: "4",
  /** What is unknown while a plan is made is left out of the plan; a call that fails is a failure. */
  read: "3 when a plan is made, 1 when a call fails",
  skipped: "3",
} as const;
