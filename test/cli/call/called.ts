import { expect } from "vitest";
import { call } from "../../../src/cli/commands/call/call.ts";
import type { CallOptions } from "../../../src/cli/options/options.ts";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { environmentFor } from "../../../src/sandbox/server/environment.ts";

const withSecret = (url: string) => ({ ...environmentFor(url), OLD: "pa55/word" });

/** Returns a function that calls an operation in this process, as the command would in a folder, and returns what it printed. */
export function callerIn(folder: string) {
  return async (sandbox: Sandbox, words: readonly string[], options: Partial<CallOptions> = {}): Promise<string> => {
    let printed = "";
    const code = await call(
      words,
      {
        workspace: folder,
        var: { url: sandbox.url },
        values: [],
        json: false,
        color: false,
        list: false,
        yes: true,
        pageAll: false,
        help: false,
        ...options,
      },
      {
        stopping: new AbortController().signal,
        signal: new AbortController().signal,
        env: withSecret(sandbox.url),
        output: {
          json: options.json ?? false,
          width: 100,
          color: false,
          unicode: true,
          print: (part) => {
            printed += part;
          },
        },
      },
    );
    expect(code).toBe(0);
    return printed;
  };
}
