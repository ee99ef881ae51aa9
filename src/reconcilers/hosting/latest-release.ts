import { coerce, satisfies, valid, validRange } from "semver";
import { z } from "zod";
import type { HostingOperations } from "../../clients/hosting/operations.ts";
import type { Kind } from "../../core/kind.ts";
import { unlessMissing } from "../../core/problem.ts";
import { Text } from "../shared/fields.ts";
import { observeAll } from "../shared/told.ts";

const LatestRelease = z.strictObject({
  repo: z
    .string()
    .regex(/^[^/]+\/[^/]+$/, "expected owner/repository")
    .describe("The repository with its owner, such as `acme/web`."),
  tag: Text.refine(
    (tag) => !isRange(tag) || validRange(tag) !== null,
    "expected a tag, or a range such as ^2.3 or >=2.3 <3",
  ).describe("The tag of the latest release, or a range of versions that it must be in, such as `^2.3`."),
});
type LatestRelease = z.infer<typeof LatestRelease>;

/** The latest release of a repository. */
export const latestRelease: Kind<LatestRelease, HostingOperations, undefined> = {
  kind: "LatestRelease",
  role: "hosting",
  summary: "The tag of a repository's latest release. Checked, never changed.",
  spec: LatestRelease,
  budget: { reads: "1 getLatestRelease per repository", writes: "none" },
  notes: `Text that begins with \`^\`, \`~\`, \`<\`, \`>\` or \`=\`, or contains a space, \`*\` or \`||\`, is a range in the
[grammar of npm](https://github.com/npm/node-semver#ranges); anything else is a tag. To match a range, a tag is read as a
version, with or without a leading \`v\`; \`v2.3\` counts as 2.3.0. A tag that is not a version matches no range. Drafts and
prereleases are never the latest release. A release is an event, not a setting, so releases are not imported.`,
  permanent: true,
  key: ({ repo }) => repo,
  scope: ({ repo }) => `latest release of ${repo}`,

  observe: (read, _scope, wanted) =>
    observeAll(wanted, latestRelease, async ({ repo, tag }) => {
      const [owner = "", name = ""] = repo.split("/");
      const release = await unlessMissing(read.getLatestRelease({ owner, repo: name }));
      if (release === undefined) return { is: "absent", marker: undefined };
      const { tag_name: live } = release;
      const spec = { repo, tag: isRange(tag) && isWithin(live, tag) ? tag : live };
      return { is: "present", spec, marker: undefined };
    }),

  needsPerson: (change) =>
    change.action === "create"
      ? "Publish a release, or give the account access to the repository."
      : "Publish the expected release, or correct `tag`.",
};

function isRange(tag: string): boolean {
  return /^[\^~<>=]|[\s*]|\|\|/.test(tag);
}

function isWithin(tag: string, range: string): boolean {
  const version = valid(tag) ?? (/^v?\d+(\.\d+)?$/.test(tag) ? (coerce(tag)?.version ?? null) : null);
  return version !== null && satisfies(version, range);
}
