import { onTestFinished } from "vitest";
import type { EncodedRequest } from "../../../../src/clients/http/encode.ts";
import { openTransport, type TransportOptions } from "../../../../src/clients/http/transport.ts";
import { serviceOf, testClock } from "../../fixtures.ts";

export const read: EncodedRequest = { effect: "read", method: "GET", path: "/x", headers: {} };
export const write: EncodedRequest = { effect: "write", method: "POST", path: "/x", headers: {}, body: "{}" };

export function open(url: string, over: Partial<TransportOptions> = {}) {
  const transport = openTransport(serviceOf("review", { url }), {
    mode: "write",
    env: {},
    clock: testClock(),
    ...over,
  });
  onTestFinished(() => transport.close());
  return transport;
}
