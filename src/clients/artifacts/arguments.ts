import { z } from "zod";

/** 0 or 1, or a boolean in its place. */
export const Bit = z.union([z.boolean(), z.literal([0, 1])]).transform(Number);

/** A path in a repository. Empty names, `.` and `..` are refused: a server might take them for another item. */
const ItemPath = z
  .string()
  .refine(
    (path) => path.split("/").every((name) => !["", ".", ".."].includes(name)),
    "expected names with / between them",
  );

/** Where an item is. */
export const ItemPlace = { repoKey: z.string(), path: ItemPath };

/** The argument of an item's place that is several segments. */
export const nestedPath = { path: "/" };
