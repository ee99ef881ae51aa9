/**
 * Answers every `GET` at once with the same workflow permissions: `node bench/fake/instant.ts`. It reads no request, so
 * that it is never what a client waits for; `hosting.ts` answers fewer requests a second than undici can send.
 *
 * Prints `{"port": …}` once it listens.
 */

import { createServer } from "node:net";

const end = "\r\n\r\n";
const body = JSON.stringify({ enabled: true, allowed_actions: "all", sha_pinning_required: false });
const answer = [
  "HTTP/1.1 200 OK",
  "content-type: application/json; charset=utf-8",
  `content-length: ${body.length}`,
  "x-ratelimit-limit: 1000000",
  "x-ratelimit-remaining: 1000000",
  "x-ratelimit-reset: 4102444800",
  `${end.slice(2)}${body}`,
].join("\r\n");

const server = createServer({ noDelay: true }, (socket) => {
  let rest = "";
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk) => {
    const requests = `${rest}${chunk.toString("latin1")}`.split(end);
    rest = requests.pop() ?? "";
    if (requests.length > 0) socket.write(answer.repeat(requests.length));
  });
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  console.log(JSON.stringify({ port: typeof address === "object" ? address?.port : undefined }));
});
