/**
 * An artifact service for benchmarks, in a process of its own: `node bench/fake/artifacts.ts`. It takes files of any size,
 * keeps their size and checksum, and nothing of what is in them.
 *
 * Prints `{"port": …}` once it listens. Routes:
 *
 * - `PUT /{repo}/{path}` takes a file; `GET /api/storage/{repo}/{path}` says what is there
 * - `GET /api/repositories`
 * - `GET /_counts` and `POST /_reset`, with `?state` to forget the files, as in `hosting.ts`
 */

import { createHash } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";

interface Stored {
  readonly size: number;
  readonly sha256: string;
}

const files = new Map<string, Stored>();
let counts: Record<string, number> = {};

const server = createServer(async (request, response) => {
  const [path = "", query] = (request.url ?? "").split("?");
  const send = (status: number, answer: object) => {
    if (!path.startsWith("/_"))
      counts[`${request.method} ${status}`] = (counts[`${request.method} ${status}`] ?? 0) + 1;
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
  };
  if (path === "/_counts") return send(200, { counts, greatest: 1, remaining: 0 });
  if (path === "/_reset") {
    counts = {};
    if (query === "state") files.clear();
    return send(200, {});
  }
  if (request.method === "PUT") {
    const stored = await read(request);
    files.set(path, stored);
    return send(201, described(path, stored));
  }
  if (path === "/api/repositories")
    return send(200, [{ key: "libs", type: "LOCAL", url: "/libs", packageType: "Generic" }]);
  const stored = files.get(path.replace("/api/storage", ""));
  return stored === undefined
    ? send(404, { errors: [{ status: 404, message: "Unable to find item" }] })
    : send(200, described(path, stored));
});

function described(path: string, { size, sha256 }: Stored): object {
  return { uri: path, size: String(size), checksums: { sha256 } };
}

async function read(request: IncomingMessage): Promise<Stored> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    hash.update(chunk);
  }
  return { size, sha256: hash.digest("hex") };
}

server.requestTimeout = 0;
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  console.log(JSON.stringify({ port: typeof address === "object" ? address?.port : undefined }));
});
