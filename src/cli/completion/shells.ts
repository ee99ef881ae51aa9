/** The shells that words are completed in. */
export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];
