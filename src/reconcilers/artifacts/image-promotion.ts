import { z } from "zod";
import type { ArtifactsOperations, ArtifactsReader } from "../../clients/artifacts/operations.ts";
import { callOf } from "../../core/call.ts";
import type { Observation } from "../../core/change.ts";
import type { Kind } from "../../core/kind.ts";
import { unlessMissing } from "../../core/problem.ts";

const call = callOf<ArtifactsOperations>();

const ImageFields = z.strictObject({
  sourceRepo: z.string().min(1).describe("Repository that the image is taken from."),
  image: z.string().min(1).describe("Name of the image there, such as `team/app`."),
  tag: z.string().min(1).describe("Tag there."),
  targetRepo: z.string().min(1).describe("Repository that the image is brought to."),
  targetImage: z.string().min(1).optional().describe("Name of the image there; `image` where left out."),
  targetTag: z.string().min(1).optional().describe("Tag there; `tag` where left out."),
  copy: z.boolean().default(false).describe("Whether the image is copied; otherwise it is moved."),
});
type ImagePromotion = z.infer<typeof ImageFields>;

const ImagePromotion = ImageFields.refine(
  (spec) => nameOf(targetOf(spec)) !== nameOf(sourceOf(spec)),
  "expected a target that is not the source",
);

/** A tag of an image in a repository. */
interface ImageTag {
  readonly repo: string;
  readonly image: string;
  readonly tag: string;
}

/** Whether the tag to promote is there; undefined where nobody asked. */
type HasSource = boolean | undefined;

/** That an image has been brought to a repository under a tag. What the target tag holds is not looked at. */
export const imagePromotion: Kind<ImagePromotion, ArtifactsOperations, HasSource> = {
  kind: "ImagePromotion",
  role: "artifacts",
  summary: "That a repository has an image under a tag, copied or moved there from another place.",
  spec: ImagePromotion,
  budget: {
    reads: "1 listTags a target image, and 1 a source image where a target tag is missing",
    writes: "1 promoteImage a tag",
  },
  notes: `A promotion is done while the target tag exists: where the image came from, and whether it was copied or moved,
cannot be read. A tag that is there is never overwritten, so an image that was pushed again under its old tag is not
promoted again. What leaves the manifests stays promoted.

A missing source tag needs a person. One tag cannot be moved twice, nor be moved on from where another promotion wants
it. A chain of copies takes one apply a step, because the source of a step must be there when the plan is made.

Promotions are not listed: of a tag, the service does not say where it came from.`,
  permanent: true,
  key: (spec) => nameOf(targetOf(spec)),
  scope: ({ targetRepo, targetImage, image }) => `image ${targetRepo}/${targetImage ?? image}`,
  claims: (spec) => [targetOf(spec), ...(spec.copy ? [] : [sourceOf(spec)])].map((place) => `the tag ${nameOf(place)}`),
  normalize: (spec) => ({ target: nameOf(targetOf(spec)) }),

  async observe(read, _scope, wanted) {
    const one = async (spec: ImagePromotion) => [imagePromotion.key(spec), await observeTag(read, spec)] as const;
    // The declaration that counts stands first, and the last entry of a key stays.
    return new Map(await Promise.all(wanted.toReversed().map(one)));
  },

  needsPerson: (change) =>
    change.action === "create" && change.marker === false
      ? `${nameOf(sourceOf(change.desired))} is not there: push it, or correct the source, or let the account see it.`
      : undefined,

  compile: (changes) =>
    changes.flatMap((change) => {
      if (change.action !== "create") return [];
      const { sourceRepo, image, tag, targetRepo, targetImage = image, targetTag = tag, copy } = change.desired;
      const args = {
        repoKey: sourceRepo,
        targetRepo,
        dockerRepository: image,
        targetDockerRepository: targetImage,
        tag,
        targetTag,
        copy,
      };
      return [call("promoteImage", args, [change])];
    }),
};

async function observeTag(
  read: ArtifactsReader,
  spec: ImagePromotion,
): Promise<Observation<ImagePromotion, HasSource>> {
  if (await isThere(read, targetOf(spec))) return { is: "present", spec, marker: undefined };
  return { is: "absent", marker: await isThere(read, sourceOf(spec)) };
}

async function isThere(read: ArtifactsReader, { repo, image, tag }: ImageTag): Promise<boolean> {
  const found = await unlessMissing(read.listTags({ repoKey: repo, image }));
  return found?.tags.includes(tag) === true;
}

function sourceOf({ sourceRepo, image, tag }: ImagePromotion): ImageTag {
  return { repo: sourceRepo, image, tag };
}

function targetOf({ image, tag, targetRepo, targetImage = image, targetTag = tag }: ImagePromotion): ImageTag {
  return { repo: targetRepo, image: targetImage, tag: targetTag };
}

function nameOf({ repo, image, tag }: ImageTag): string {
  return `${repo}/${image}:${tag}`;
}
