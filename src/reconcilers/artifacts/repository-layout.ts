import { z } from "zod";
import type { ArtifactsOperations, ArtifactsReader } from "../../clients/artifacts/operations.ts";
import type { Observation } from "../../core/change.ts";
import type { Kind } from "../../core/kind.ts";
import { Text } from "../shared/fields.ts";
import { listEach, refuse } from "../shared/left-out.ts";
import { observeEach } from "../shared/told.ts";

const RepositoryType = z.enum(["LOCAL", "REMOTE", "VIRTUAL", "FEDERATED"]);

const RepositoryLayout = z.strictObject({
  key: Text.describe("Key of the repository."),
  type: RepositoryType.optional().describe("Type of the repository."),
  defaultDeploymentRepo: Text.optional().describe("Key of the repository that receives deployments to a virtual one."),
});

/** A live repository can have other types of the product, which a manifest cannot declare. */
type RepositoryLayout = Omit<z.infer<typeof RepositoryLayout>, "type"> & { readonly type?: string | undefined };

/** Checks that a repository exists and is as expected. The service documents no operation that creates or changes one. */
export const repositoryLayout: Kind<RepositoryLayout, ArtifactsOperations, undefined> = {
  kind: "RepositoryLayout",
  role: "artifacts",
  summary:
    "The existence and type of a repository, and the target of deployments to a virtual one. Checked, never changed.",
  spec: RepositoryLayout,
  budget: {
    reads: "1 listRepositories for all, and 1 getRepository per repository with `defaultDeploymentRepo`",
    writes: "none",
  },
  permanent: true,
  key: ({ key }) => key,
  scope: () => "repositories",

  async observe(read, _scope, wanted) {
    const types = new Map((await read.listRepositories({})).map(({ key, type }) => [key, type]));
    const asking = wanted.filter(({ defaultDeploymentRepo }) => defaultDeploymentRepo !== undefined);
    const asks = new Set(asking.map(({ key }) => key));
    return observeEach(wanted, repositoryLayout, ({ key }) => observeOne(read, key, types.get(key), asks.has(key)));
  },

  list: async (read, _now, leaveOut = refuse) =>
    listEach(
      await read.listRepositories({}),
      ({ key }) => key,
      async ({ key, type }) => [
        {
          key,
          ...(RepositoryType.safeParse(type).success ? { type } : {}),
          ...(type === "VIRTUAL" ? await deploymentOf(read, key) : {}),
        },
      ],
      leaveOut,
    ),

  needsPerson: (change) =>
    change.action === "create"
      ? `Create the repository ${change.key} manually, or give the account access to it.`
      : `Configure the repository ${change.key} manually as declared, or correct the manifest.`,
};

async function observeOne(
  read: ArtifactsReader,
  key: string,
  type: string | undefined,
  asksForDeployment: boolean,
): Promise<Observation<RepositoryLayout, undefined>> {
  if (type === undefined) return { is: "absent", marker: undefined };
  const deployment = asksForDeployment ? await deploymentOf(read, key) : {};
  if (deployment !== undefined) return { is: "present", spec: { key, type, ...deployment }, marker: undefined };
  const message = `The service shows the account only a part of the repository ${key}, without the target of deployments.`;
  const hint = "Give the account administrative rights, or leave defaultDeploymentRepo out of the manifest.";
  return { is: "unknown", problem: { code: "SP3104", operation: "getRepository", message, hint } };
}

/** Undefined if the account cannot see it. If there is none, the product returns an empty string or no field. @see docs/facts.md, Artifacts */
async function deploymentOf(
  read: ArtifactsReader,
  key: string,
): Promise<Pick<RepositoryLayout, "defaultDeploymentRepo"> | undefined> {
  const { type, defaultDeploymentRepo = "", repositories } = await read.getRepository({ key });
  if (defaultDeploymentRepo !== "") return { defaultDeploymentRepo };
  return type === "VIRTUAL" && repositories === undefined ? undefined : {};
}
