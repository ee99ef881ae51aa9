import { type Answer, header } from "./answer.ts";

/** Answers that carried an entity tag, by the path that was asked for. */
export interface EtagMemory {
  /** The header that asks for the answer only where it is another than the one remembered. */
  header(path: string): { readonly "if-none-match"?: string };
  /** Remembers an answer, or gives the one remembered where the service says that it still holds. */
  recall(path: string, answer: Answer): Answer;
}

/** Remembers for as long as it is kept itself. @see docs/facts.md, hosting: such an answer costs no quota */
export function etagMemory(): EtagMemory {
  const answers = new Map<string, { readonly etag: string; readonly answer: Answer }>();
  return {
    header(path) {
      const known = answers.get(path);
      return known === undefined ? {} : { "if-none-match": known.etag };
    },
    recall(path, answer) {
      if (answer.status === 304) return answers.get(path)?.answer ?? answer;
      const etag = header(answer, "etag");
      if (answer.status === 200 && etag !== undefined) answers.set(path, { etag, answer });
      return answer;
    },
  };
}
