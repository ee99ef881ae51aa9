import { z } from "zod";
import type { ArtifactsOperations, ArtifactsReader } from "../../clients/artifacts/operations.ts";
import { callOf } from "../../core/call.ts";
import type { Observation } from "../../core/change.ts";
import type { Kind } from "../../core/kind.ts";
import { unlessMissing } from "../../core/problem.ts";
import { Text } from "../shared/fields.ts";
import { observeEach } from "../shared/told.ts";

const call = callOf<ArtifactsOperations>();

/** With a slash it would move the image elsewhere, under a tag of the last name. */
const Tag = Text.regex(/^[^/]+$/, "expected a tag without /");

const ImageFields = z.strictObject({
  sourceRepo: Text.describe("Repository with the source image."),
  image: Text.describe("Name of the source image, such as `team/app`."),
  tag: Tag.describe("Source tag."),
  targetRepo: Text.describe("Repository to promote the image to."),
  targetImage: Text.optional().describe("Name of the target image; defaults to `image`."),
  targetTag: Tag.optional().describe("Target tag; defaults to `tag`."),
  copy: z.boolean().default(false).describe("Whether the image is copied; otherwise it is moved."),
});
type ImagePromotion = z.infer<typeof ImageFields>;

const ImagePromotion = ImageFields.refine(
  (spec) => nameOf(targetOf(spec)) !== nameOf(sourceOf(spec)),
  "expected a target other than the source",
);

/** A tag of an image in a repository. */
interface ImageTag {
  readonly repo: string;
  readonly image: string;
  readonly tag: string;
}

/** Whether the source tag exists; undefined if it was not checked. */
type HasSource = boolean | undefined;

/** The promotion of an image to a repository under a tag. The image behind the target tag is not checked. */
export const imagePromotion: Kind<ImagePromotion, ArtifactsOperations, HasSource> = {
  kind: "ImagePromotion",
  role: "artifacts",
  summary: "The promotion of an image: copied or moved to a repository under a tag.",
  spec: ImagePromotion,
  budget: {
    reads: "1 listTags per target image, and 1 per source image if a target tag is missing",
    writes: "1 promoteImage per tag",
  },
  notes: `A promotion is done if the target tag exists: where the image came from, and whether it was copied or moved,
cannot be read. An existing tag is never overwritten, so an image that was pushed again under its old tag is not promoted
again. An image removed from the manifests stays promoted.

A missing source tag needs a person. A tag cannot be moved twice, and the target of one promotion cannot be moved by
another. A chain of copies takes one apply per step, because the source of a step must exist when the plan is made.

Promotions are not listed: the service does not report where a tag came from.`,
  permanent: true,
  key: (spec) => nameOf(targetOf(spec)),
  scope: ({ targetRepo, targetImage, image }) => `image ${targetRepo}/${targetImage ?? image}`,
  claims: (spec) => [targetOf(spec), ...(spec.copy ? [] : [sourceOf(spec)])].map((place) => `the tag ${nameOf(place)}`),
  normalize: (spec) => ({ target: nameOf(targetOf(spec)) }),

  observe: (read, _scope, wanted) => observeEach(wanted, imagePromotion, (spec) => observeTag(read, spec)),

  needsPerson: (change) =>
    change.action === "create" && change.marker === false
      ? `${nameOf(sourceOf(change.desired))} was not found: push it, correct the source, or give the account access to it.`
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
