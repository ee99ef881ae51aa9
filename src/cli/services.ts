import { ProblemError } from "../core/problem.ts";
import type { Service } from "../core/service.ts";
import { alternatives, didYouMean } from "../core/suggest.ts";
import { diskFiles } from "../manifests/sources/files.ts";
import { readWorkspace } from "../manifests/workspace/read-workspace.ts";
import { collect } from "../manifests/yaml/collect.ts";
import type { ManifestOptions } from "./options.ts";
import { findWorkspace } from "./workspace.ts";

/**
 * The service of this name in the workspace file; manifests are not read. Throws `ProblemError`: what is wrong with the
 * file, SP1009 where it has no such service.
 */
export async function findService(options: ManifestOptions, name: string): Promise<Service> {
  const { folder, file } = findWorkspace(options.workspace);
  const { result, problems } = await collect((report) =>
    readWorkspace(
      {
        source: diskFiles(folder),
        workspaceFile: file,
        variables: options.var,
        values: options.values,
        ...(options.environment === undefined ? {} : { environment: options.environment }),
      },
      report,
    ),
  );
  const services = result?.workspace?.services;
  if (services === undefined || problems.length > 0) throw new ProblemError(...problems);
  const service = services.find((one) => one.name === name);
  if (service !== undefined) return service;
  const names = services.map((one) => one.name);
  throw new ProblemError({
    code: "SP1009",
    message: `The workspace has no service ${JSON.stringify(name)}.${didYouMean(name, names)}`,
    hint: names.length === 0 ? `${file} declares none.` : `Its services: ${alternatives(names)}.`,
  });
}
