import { readdir, readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { services } from "../../src/clients/services.ts";
import { kinds } from "../../src/reconcilers/registry.ts";
import { environmentFor } from "../../src/sandbox/server/environment.ts";
import { serveLoopback } from "../clients/fixtures.ts";
import { examples } from "../clients/services.ts";
import { openRoad } from "../support/road.ts";
import { type Role, roles, rootsOf } from "../support/roles.ts";

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

/** Serves one form of answer to every request under the name of a role. */
function serveAlways(form: (role: Role) => Form): Promise<string> {
  return serveLoopback((request, response) => {
    const role = roles.find((name) => request.url?.startsWith(`/${name}`));
    const { status = 404, body, type } = role === undefined ? { body: "", type: "text/plain" } : form(role);
    response.writeHead(status, { "content-type": type }).end(body);
  });
}

/** Reads the examples of all kinds, with the files that they name. */
async function allExamples() {
  const names = await readdir(new URL("files/", folder));
  const files = await Promise.all(
    names.map(async (name) => [`manifests/files/${name}`, await readFile(new URL(`files/${name}`, folder), "utf8")]),
  );
  const texts = await Promise.all([...kinds.keys()].map((kind) => readFile(new URL(`${kind}.yaml`, folder), "utf8")));
  return { texts, files: Object.fromEntries(files) };
}

describe("if a service has nothing at all, every resource is unknown and none is absent", () => {
  test.each(Object.entries(forms))("when every answer is %s", async (name, form) => {
    const url = await serveAlways(form);
    const entries = Object.values(services).map(
      ({ role, types: [type] }) =>
        `  ${role}: ${JSON.stringify({ type, url: `${url}/${role}`, urls: rootsOf(role, url) })}`,
    );
    const road = openRoad(`version: 1\nservices:\n${entries.join("\n")}\n`, environmentFor(url));
    const { texts, files } = await allExamples();
    // A preference is any text, so nothing of it is empty.
    const readable = name.startsWith("an empty list") ? texts.filter((now) => !now.includes("UserPreference")) : texts;
    for (const now of readable) {
      const { changes, calls, inSync, unknown } = await road.plan({ now, files });
      expect({ now, changes, calls, inSync }).toEqual({ now, changes: [], calls: [], inSync: [] });
      expect(unknown.length).toBeGreaterThan(0);
    }
  });
});
