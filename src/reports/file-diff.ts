import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import { diffLook } from "./meanings.ts";
import { type ScreenOptions, styleOf, visible } from "./text/style.ts";

export interface ChangedFile {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

/** A unified diff in the form that `git apply` accepts. */
export function filePatch({ file, before, after }: ChangedFile): string {
  return createTwoFilesPatch(`a/${file}`, `b/${file}`, before, after, undefined, undefined, {
    context: 3,
    headerOptions: FILE_HEADERS_ONLY,
  });
}

/** Renders the unified diff on a screen. Lines are never cut, because the user has to be able to check them. */
export function renderFileDiff(changed: ChangedFile, options: ScreenOptions): string {
  const { paint } = styleOf(options);
  return filePatch(changed)
    .trimEnd()
    .split("\n")
    .map((line) => visible(line.replace(/\r$/, "")))
    .map((line) => {
      if (/^(---|\+\+\+) /.test(line)) return paint("bold", line);
      return paint(diffLook(line.charAt(0)).paint, line);
    })
    .join("\n");
}
