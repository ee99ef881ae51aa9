import { type IncomingHttpHeaders, validateHeaderName, validateHeaderValue } from "node:http";
import { Dispatcher, getGlobalDispatcher } from "undici";
import type { Reply } from "../../src/sandbox/exchange.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { readContent } from "../../src/sandbox/server/respond.ts";
import { bodyOf, controllerOf, fieldsOf, tell } from "./dispatching.ts";

/** The most bytes of a request's head that the sandbox accepts at its port. */
const longestHead = 8192;

/**
 * Hands requests to a sandbox of this process: through its port, a law takes half as long again. What HTTP could not carry is an
 * error here too. Requests to other servers go there.
 */
export class Direct extends Dispatcher {
  readonly #sandbox: Pick<Sandbox, "url" | "receive">;

  constructor(sandbox: Pick<Sandbox, "url" | "receive">) {
    super();
    this.#sandbox = sandbox;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (String(options.origin) !== this.#sandbox.url) return getGlobalDispatcher().dispatch(options, handler);
    const { method, path: url } = options;
    const controller = controllerOf((reason) => handler.onResponseError?.(controller, reason));
    // As on a connection, nothing happens before the sender has returned.
    setImmediate(async () => {
      if (controller.aborted) return;
      handler.onRequestStart?.(controller, {});
      if (controller.aborted) return;
      try {
        const headers = fieldsOf(options.headers);
        requireCarried(url, headers);
        const content = await readContent(bodyOf(options.body));
        const length = Number(headers["content-length"] ?? content.size);
        if (length !== content.size) throw new Error(`The body has ${content.size} bytes instead of ${length}.`);
        if (controller.aborted) return;
        const reply = this.#sandbox.receive({ method, url, headers, content });
        tell({ handler, controller }, withBody(method, reply) ? reply : { ...reply, body: "" });
      } catch (error) {
        controller.abort(error instanceof Error ? error : new Error(String(error)));
      }
    });
    return true;
  }
}

function withBody(method: string, { status }: Reply): boolean {
  return method !== "HEAD" && status !== 204 && status !== 304;
}

/** Throws if HTTP cannot carry a path or header fields. */
function requireCarried(path: string, headers: IncomingHttpHeaders): void {
  if (!/^\/[!-~]*$/.test(path)) throw new Error(`${path} is no path of HTTP.`);
  const fields = Object.entries(headers);
  for (const [name, value = ""] of fields) {
    validateHeaderName(name);
    validateHeaderValue(name, String(value));
  }
  const head = fields.reduce((sum, [name, value = ""]) => sum + name.length + value.length + 4, path.length);
  if (head > longestHead) throw new Error(`The head has ${head} bytes, more than ${longestHead}.`);
}
