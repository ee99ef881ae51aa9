import { readdir, readFile } from "node:fs/promises";
import { Dispatcher } from "undici";
import { describe, expect, test } from "vitest";
import { services } from "../../src/clients/services.ts";
import { once } from "../../src/core/once.ts";
import { kinds } from "../../src/reconcilers/registry.ts";
import { environmentFor } from "../../src/sandbox/server/environment.ts";
import { examples } from "../clients/services.ts";
import { controllerOf, tell } from "../support/dispatching.ts";
import { openRoad } from "../support/road.ts";
import { type Role, roles, rootsOf } from "../support/roles.ts";

const url = "http://services.example";
const folder = new URL("../../examples/kinds/", import.meta.url);

interface Form {
  /** Default 404. */
  readonly status?: number;
  readonly body: string;
  readonly type: string;
}

/** What a URL at which there is no service answers to every request. */
const forms: Readonly<Record<string, (role: Role) => Form>> = {
  "the service's own words": (role) => examples[role].exchange.error(404, "Not found: x"),
  nothing: () => ({ body: "", type: "text/plain" }),
  "a web server's page": () => ({ body: "<html><title>404 Not Found</title><h1>nginx</h1></html>", type: "text/html" }),
  "a proxy's text": () => ({ body: "404 page not found\n", type: "text/plain; charset=utf-8" }),
  "a gateway's JSON": () => ({ body: '{"message":"no Route matched with those values"}', type: "application/json" }),
  "an empty object": () => ({ body: "{}", type: "application/json" }),
  "nothing, as a success": () => ({ status: 200, body: "", type: "text/plain" }),
  "an empty list, as a success": () => ({ status: 200, body: "[]", type: "application/json" }),
  "no content": () => ({ status: 204, body: "", type: "text/plain" }),
};

/** Gives one form of answer to every request under the name of a role. */
class Always extends Dispatcher {
  readonly #form: (role: Role) => Form;

  constructor(form: (role: Role) => Form) {
    super();
    this.#form = form;
  }

  override dispatch({ path }: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const role = roles.find((name) => path.startsWith(`/${name}`));
    const { status = 404, body, type } = role === undefined ? { body: "", type: "text/plain" } : this.#form(role);
    const controller = controllerOf((reason) => handler.onResponseError?.(controller, reason));
    setImmediate(() => {
      handler.onRequestStart?.(controller, {});
      if (!controller.aborted) tell({ handler, controller }, { status, headers: { "content-type": type }, body });
    });
    return true;
  }
}

/**
 * Reads the examples of all kinds, with the files that they name. Those of a kind that refers to others are apart: if both were
 * read in one plan, a reference to something unknown could hide that the kind takes its own object for absent.
 */
const allExamples = once(async () => {
  const names = await readdir(new URL("files/", folder));
  const files = await Promise.all(
    names.map(async (name) => [`manifests/files/${name}`, await readFile(new URL(`files/${name}`, folder), "utf8")]),
  );
  const texts = await Promise.all(
    [...kinds.values()].map(async ({ kind, references }) => ({
      kind,
      plan: references === undefined ? "together" : kind,
      text: await readFile(new URL(`${kind}.yaml`, folder), "utf8"),
    })),
  );
  return { texts, files: Object.fromEntries(files) };
});

describe("if a service has nothing at all, every resource is unknown and none is absent", () => {
  test.each(Object.entries(forms))("when every answer is %s", async (name, form) => {
    const entries = Object.values(services).map(
      ({ role, types: [type] }) =>
        `  ${role}: ${JSON.stringify({ type, url: `${url}/${role}`, urls: rootsOf(role, url) })}`,
    );
    const road = openRoad(`version: 1\nservices:\n${entries.join("\n")}\n`, environmentFor(url), {
      dispatcher: new Always(form),
    });
    const { texts, files } = await allExamples();
    // A preference is any text, so nothing of it is empty.
    const readable = texts.filter(({ kind }) => kind !== "UserPreference" || !name.startsWith("an empty list"));
    for (const some of Map.groupBy(readable, ({ plan }) => plan).values()) {
      const now = some.map(({ text }) => text).join("---\n");
      const { changes, calls, inSync, unknown } = await road.plan({ now, files });
      expect({ now, changes, calls, inSync }).toEqual({ now, changes: [], calls: [], inSync: [] });
      expect(new Set(unknown.map(({ address }) => address.split("/")[1]))).toEqual(
        new Set(some.map(({ kind }) => kind)),
      );
    }
  });
});
