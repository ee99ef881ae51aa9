import { once } from "../core/once.ts";
import { standIns } from "./services.ts";
import { World } from "./world.ts";

/** Returns a new copy of the tools of an invented company, Meridian Kites, with which the tour and most tests start. */
export function defaultWorld(): World {
  return structuredClone(initialWorld());
}

/** The same for a sandbox, which never changes a world but makes another. Checked once: that takes several times as long as copying. */
export const initialWorld = once(
  (): World =>
    World.parse({
      accounts: [
        { username: "admin", name: "Ada Brandt", secret: "secret", rights: "admin" },
        { username: "auditor", name: "Omar Reyes", secret: "auditor-secret", rights: "reader" },
        { username: "jdoe", name: "Jo Doe", secret: "jdoe-secret", rights: "member" },
        { username: "rkumar", name: "Ravi Kumar", secret: "rkumar-secret", rights: "admin" },
      ],
      ...Object.fromEntries(Object.entries(standIns).map(([role, { contents }]) => [role, contents])),
    }),
);
