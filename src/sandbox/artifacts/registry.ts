import { z } from "zod";
import type { Answer, Answered, Asked } from "../exchange.ts";
import { Refusal } from "../refusal.ts";
import type { World } from "../world.ts";
import { copied, requireAdmin, requireRepository, withItems, without } from "./items.ts";
import { readJson } from "./json-input.ts";

const PromotionInput = z.object({
  targetRepo: z.string(),
  dockerRepository: z.string(),
  targetDockerRepository: z.string().optional(),
  tag: z.string().optional(),
  targetTag: z.string().optional(),
  copy: z.boolean().default(false),
});

/** An image is a folder of tags; a tag is a folder with a manifest. */
export const registryAnswers = {
  listTags(world, asked) {
    const { repoKey = "", image = "" } = asked.params;
    requireRepository(world, repoKey);
    const tags = imagesOf(world, repoKey).flatMap((found) => (found.image === image ? [found.tag] : []));
    if (tags.length === 0) throw new Refusal(404, "The named manifest is not known to the registry.");
    return page(asked, tags, (names) => ({ name: image, tags: names }));
  },

  listCatalog(world, asked) {
    const { repoKey = "" } = asked.params;
    requireRepository(world, repoKey);
    const images = [...new Set(imagesOf(world, repoKey).map(({ image }) => image))];
    return page(asked, images, (repositories) => ({ repositories }));
  },

  promoteImage(world, asked) {
    requireAdmin(asked, "promote");
    const { repoKey = "" } = asked.params;
    const input = readJson(asked, PromotionInput);
    requireRepository(world, repoKey);
    requireRepository(world, input.targetRepo);
    const images = imagesOf(world, repoKey).filter(
      ({ image, tag }) => image === input.dockerRepository && (input.tag === undefined || tag === input.tag),
    );
    if (images.length === 0)
      throw new Refusal(404, `Unable to find tag ${input.tag ?? ""} of ${input.dockerRepository}`);
    const items = images.reduce((before, { image, tag }) => {
      const from = `${repoKey}/${image}/${tag}`;
      const to = `${input.targetRepo}/${input.targetDockerRepository ?? image}/${input.targetTag ?? tag}`;
      if (from === to) throw new Refusal(400, "Source and target are the same");
      const after = copied(before, from, to);
      return input.copy ? after : without(after, from);
    }, world.artifacts.items);
    return { body: "Promotion ended successfully", world: withItems(world, items) };
  },
} satisfies Record<string, Answer>;

function imagesOf(world: World, repository: string): readonly { readonly image: string; readonly tag: string }[] {
  return Object.keys(world.artifacts.items)
    .filter((key) => key.startsWith(`${repository}/`) && key.endsWith("/manifest.json"))
    .flatMap((key) => {
      const names = key.split("/").slice(1, -1);
      const tag = names.pop();
      return tag === undefined || names.length === 0 ? [] : [{ image: names.join("/"), tag }];
    })
    .sort((a, b) => (`${a.image}/${a.tag}` < `${b.image}/${b.tag}` ? -1 : 1));
}

/** `n` names after `last`, and a link where there are more. */
function page(asked: Asked, names: readonly string[], view: (names: readonly string[]) => unknown): Answered {
  const { path, query } = asked;
  const rest = names.filter((name) => name > (query.get("last") ?? ""));
  const n = query.has("n") ? Number(query.get("n")) : rest.length;
  if (!Number.isInteger(n) || n < 0) throw new Refusal(400, "n is not a number");
  const shown = rest.slice(0, n);
  const last = shown.at(-1);
  const more = last !== undefined && rest.length > shown.length;
  const link = { link: `<${path}?${new URLSearchParams({ last: last ?? "", n: String(n) })}>; rel="next"` };
  return { body: view(shown), ...(more ? { headers: link } : {}) };
}
