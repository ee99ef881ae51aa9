import { basename } from "node:path";
import type { Environment } from "./clients/credentials.ts";
import { credentialsFor } from "./clients/credentials-for.ts";
import type { Clock } from "./clients/http/clock.ts";
import { ProblemError } from "./core/problem.ts";
import type { PublishingDoor, PublishingTo } from "./core/publishing.ts";
import type { Resource } from "./core/resource.ts";
import type { Service } from "./core/service.ts";
import { alternatives, withoutEnd } from "./core/words.ts";
import { serviceNamed } from "./engine/load-workspace.ts";
import { permittedWrites } from "./engine/permit-writes.ts";
import type { openSessions } from "./engine/sessions.ts";
import type { Repository } from "./manifests/sources/repository.ts";
import type { OpenWorkspace } from "./setpoint-types.ts";

interface Parts {
  /** Of the workspace, without links. */
  readonly folder: string;
  /** The name of the workspace file. */
  readonly file: string;
  readonly env: Environment;
  readonly clock: Clock;
  /** Ends what is under way. */
  readonly signal: AbortSignal;
  readonly open: typeof openSessions;
  /** The services of the workspace, by the trusted rules if there are any. */
  readonly services: () => Promise<readonly Service[]>;
  readonly repository: () => Promise<Repository>;
  /** What the manifests declare, as far as they say it alone. */
  readonly declared: () => Promise<readonly Resource[]>;
}

/** Connections of their own for publishers, which write what they were permitted and nothing else, and what they publish of. */
export function publishingOf(parts: Parts): Pick<OpenWorkspace, "publishing" | "location"> {
  const { folder, file, env, clock, signal, open, services, declared, repository } = parts;
  return {
    async publishing(to, use) {
      const service = serviceFor(to, await services());
      const { sessions, close } = await open([service], "write", { signal, env, clock });
      const session = sessions.get(service.name);
      if (session === undefined) throw new Error(`No session for ${service.name}.`);
      const door: PublishingDoor = {
        service: service.name,
        call: permittedWrites(session, service, to.writes),
        username: usernameOf(service, env),
        isDeclared: async (address) => (await declared()).some((resource) => resource.address === address),
      };
      return use(door).finally(close);
    },

    async location() {
      const own = file === "setpoint.yaml" ? [] : [file];
      const nameOf = (place: string) => [...(place === "" ? [] : [place]), ...own].join("/");
      try {
        const { prefix } = await repository();
        return { prefix, name: nameOf(withoutEnd(prefix, "/")) };
      } catch (error) {
        if (error instanceof ProblemError) return { prefix: "", name: nameOf(basename(folder)) };
        throw error;
      }
    },
  };
}

function serviceFor({ role, service: name }: PublishingTo, all: readonly Service[]): Service {
  const service = name === undefined ? onlyOne(role, all) : serviceNamed(all, name);
  if (service.role === role) return service;
  throw new ProblemError({
    code: "SP1009",
    message: `The service ${JSON.stringify(service.name)} is of role ${service.role}; this needs one of role ${role}.`,
  });
}

function onlyOne(role: string, all: readonly Service[]): Service {
  const [first, ...more] = all.filter((service) => service.role === role);
  if (first !== undefined && more.length === 0) return first;
  const names = [first, ...more].flatMap((service) => service?.name ?? []);
  throw new ProblemError({
    code: "SP1009",
    message:
      first === undefined
        ? `The workspace has no service of role ${role} to publish to.`
        : `The workspace has ${names.length} services of role ${role}.`,
    hint: first === undefined ? "Add one to the workspace file." : `Name one: ${alternatives(names)}.`,
  });
}

/** The user name in the credentials; none if they have none or are not valid, of which every call tells. */
function usernameOf(service: Service, env: Environment): string | undefined {
  try {
    const credentials = credentialsFor(service, env);
    return "username" in credentials ? credentials.username : undefined;
  } catch (error) {
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}

/** The user names in the credentials; a service with invalid credentials has none. */
export function usernamesOf(services: readonly Service[], env: Environment): ReadonlyMap<string, string> {
  return new Map(
    services.flatMap((service) => {
      const username = usernameOf(service, env);
      return username === undefined ? [] : [[service.name, username] as const];
    }),
  );
}
