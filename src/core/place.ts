/** A place in a file. `line` and `column` count from 1; `length` is the number of characters to underline. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly length?: number;
  /** Lines to show, the last one being `line` itself. */
  readonly excerpt?: readonly string[];
}
