import { z } from "zod";
import type { ArtifactsOperations, ArtifactsReader } from "../../clients/artifacts/operations.ts";
import type { Observation } from "../../core/change.ts";
import type { Kind } from "../../core/kind.ts";
import { Text } from "../shared/fields.ts";
import { observeEach } from "../shared/told.ts";

const RepositoryType = z.enum(["LOCAL", "REMOTE", "VIRTUAL"]);

const RepositoryLayout = z.strictObject({
  key: Text.describe("Key of the repository."),
  type: RepositoryType.optional().describe("Type of the repository."),
  defaultDeploymentRepo: Text.optional().describe("Key of the repository that receives deployments to a virtual one."),
});

/** The product has other types, which a manifest cannot declare. */
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

  async list(read) {
    const repositories = await read.listRepositories({});
    return Promise.all(
      repositories.map(async ({ key, type }) => ({
        key,
        ...(RepositoryType.safeParse(type).success ? { type } : {}),
        ...(type === "VIRTUAL" ? await deploymentOf(read, key) : {}),
      })),
    );
  },

  needsPerson: (change) =>
    change.action === "create"
      ? `Create the repository ${change.key} by hand, or give the account access to it.`
      : `Configure the repository ${change.key} by hand as declared, or correct the manifest.`,
};

async function observeOne(
  read: ArtifactsReader,
  key: string,
  type: string | undefined,
  asksForDeployment: boolean,
): Promise<Observation<RepositoryLayout, undefined>> {
  if (type === undefined) return { is: "absent", marker: undefined };
  const spec = { key, type, ...(asksForDeployment ? await deploymentOf(read, key) : {}) };
  return { is: "present", spec, marker: undefined };
}

/** The product represents none as empty text. */
async function deploymentOf(
  read: ArtifactsReader,
  key: string,
): Promise<Pick<RepositoryLayout, "defaultDeploymentRepo">> {
  const { defaultDeploymentRepo = "" } = await read.getRepository({ key });
  return defaultDeploymentRepo === "" ? {} : { defaultDeploymentRepo };
}
