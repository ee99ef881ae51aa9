import { z } from "zod";
import type { Answered, Answers, Asked } from "../exchange.ts";
import { Refusal } from "../refusal.ts";
import { countIn, readJsonBody } from "../request.ts";
import { copied, requireAdmin, requireRepository, requireTarget, select, withoutItem } from "./items.ts";
import type { ArtifactsState } from "./state.ts";

/** An optional string. The official client sends an empty string for one that is not given. */
const Given = z
  .string()
  .nullish()
  .transform((text) => text || undefined);

const PromotionInput = z.object({
  targetRepo: z.string(),
  dockerRepository: z.string(),
  targetDockerRepository: Given,
  tag: Given,
  targetTag: Given,
  copy: z.boolean().default(false),
});

/** An image is a folder of tags; a tag is a folder with a manifest. */
export const registryAnswers = {
  listTags(asked) {
    const { image } = asked.params;
    const tags = imagesIn(asked).flatMap((found) => (found.image === image ? [found.tag] : []));
    if (tags.length === 0) throw new Refusal(404, "The named manifest is not known to the registry.");
    return page(asked, tags, (names) => ({ name: image, tags: names }));
  },

  listCatalog(asked) {
    const images = [...new Set(imagesIn(asked).map(({ image }) => image))];
    return page(asked, images, (repositories) => ({ repositories }));
  },

  promoteImage(asked) {
    requireAdmin(asked, "promote");
    const { repoKey = "" } = asked.params;
    const input = readJsonBody(asked, PromotionInput);
    requireTarget(asked, input.targetRepo);
    const images = imagesIn(asked).filter(
      ({ image, tag }) => image === input.dockerRepository && (input.tag ?? tag) === tag,
    );
    if (images.length === 0)
      throw new Refusal(404, `Unable to find tag ${input.tag ?? ""} of ${input.dockerRepository}`);
    const items = images.reduce((before, { image, tag }) => {
      const from = `${repoKey}/${image}/${tag}`;
      const to = `${input.targetRepo}/${input.targetDockerRepository ?? image}/${input.targetTag ?? tag}`;
      if (from === to) throw new Refusal(400, "Source and target are the same");
      const after = copied(before, from, to);
      return input.copy ? after : withoutItem(after, from);
    }, asked.state.items);
    return { body: "Promotion ended successfully", changes: { items } };
  },
} satisfies Answers<ArtifactsState>;

/** Returns the tags in the repository that the path names. */
function imagesIn(asked: Asked<ArtifactsState>) {
  const { key: repository } = requireRepository(asked);
  const isManifest = (key: string) => key.startsWith(`${repository}/`) && key.endsWith("/manifest.json");
  return select(asked.state.items, ({ key }) => isManifest(key)).flatMap(({ key }) => {
    const names = key.split("/").slice(1, -1);
    const tag = names.pop();
    return tag === undefined || names.length === 0 ? [] : [{ image: names.join("/"), tag }];
  });
}

/** Returns `n` names from the position `last` on, with a link to the next page if there are more. */
function page(asked: Asked, names: readonly string[], view: (names: readonly string[]) => unknown): Answered {
  const count = (name: string, unless: number) =>
    countIn(asked, name, unless, () => new Refusal(400, `${name} is not a number`));
  const start = count("last", 0);
  const n = count("n", names.length);
  const last = start + n;
  const body = view(names.slice(start, last));
  if (n === 0 || last >= names.length) return { body };
  const link = `<${asked.path}?${new URLSearchParams({ last: String(last), n: String(n) })}>; rel="next"`;
  return { body, headers: { link } };
}
