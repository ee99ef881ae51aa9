import { basename } from "node:path";
import { usernameOf } from "../clients/credentials/credentials-for.ts";
import { ProblemError } from "../core/problem.ts";
import type { PublishingDoor, PublishingTo } from "../core/run/publishing.ts";
import { oneServer, type Service } from "../core/service.ts";
import { alternatives, quote, withoutEnd } from "../core/text/words.ts";
import { permittedWrites } from "../engine/apply/permit.ts";
import { realFolder, serviceNamed } from "../engine/load-workspace.ts";
import type { Road } from "./road.ts";
import type { OpenWorkspace } from "./types.ts";

/** Opens separate connections for publishers, which can make only the permitted writes, and locates the workspace that they report on. */
export function publishingOf(road: Road): Pick<OpenWorkspace, "publishing" | "location"> {
  const { folder, file, env, atOnce, open, services, load, repository } = road;
  return {
    async publishing(to, use) {
      const all = await services();
      const service = serviceFor(to, all);
      const { sessions, close } = await open([service], "write", { signal: atOnce, readings: undefined });
      const session = sessions.get(service.name);
      if (session === undefined) throw new Error(`No session for ${service.name}.`);
      const door: PublishingDoor = {
        services: oneServer(all).get(service.name) ?? [],
        call: permittedWrites(session, service, to.writes),
        username: usernameOf(service, env),
        isDeclared: async (address) => (await load()).resources.some((resource) => resource.address === address),
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
        if (error instanceof ProblemError) return { prefix: "", name: nameOf(basename(realFolder(folder))) };
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
    message: `The service ${quote(service.name)} has the role ${service.role}, but this needs a service with the role ${role}.`,
  });
}

function onlyOne(role: string, all: readonly Service[]): Service {
  const own = all.filter((service) => service.role === role);
  const [first] = own;
  if (first !== undefined && own.length === 1) return first;
  throw new ProblemError({
    code: "SP1009",
    message:
      first === undefined
        ? `The workspace has no service with the role ${role} to publish to.`
        : `The workspace has ${own.length} services with the role ${role}.`,
    hint:
      first === undefined
        ? "Add one to the workspace file: setpoint kinds shows its type."
        : `Name one: ${alternatives(own.map(({ name }) => name))}.`,
  });
}
