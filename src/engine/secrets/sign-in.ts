import type { Connection } from "../../clients/connect.ts";
import type { AnyReader } from "../../core/operation.ts";
import { problemsOf } from "../../core/problem.ts";
import type { Secret } from "../../core/secret.ts";
import type { Sink } from "../../core/sink.ts";
import type { ReadHeld } from "./sink.ts";

interface SignInSettings {
  readonly held: ReadHeld;
  /** Connects in mode `read`, with the secret in place of the account's own. */
  readonly connect: (secret: Secret) => Connection;
  readonly readerOf: (connection: Connection) => AnyReader;
  /**
   * Whether a refusal counts against the account, as with a wrong password for a user name: after a few refusals the service
   * denies the account itself. If so, no further secret is tried after the first refusal.
   */
  readonly isCounted: boolean;
}

/** Readers that are signed in as the owners of secrets in sinks. */
export interface SignIns {
  /** Returns a reader; undefined if the sink holds no readable secret, or no more secrets may be tried. */
  signIn(sink: Sink): Promise<AnyReader | undefined>;
  requests(): Connection["requests"];
  close(): Promise<void>;
}

/** Signs in to one service with the secrets that sinks hold. */
export function openSignIns({ held, connect, readerOf, isCounted }: SignInSettings): SignIns {
  const opened: Connection[] = [];
  let isRefused = false;
  return {
    async signIn(sink) {
      const secret = await held(sink);
      if (secret === undefined || (isCounted && isRefused)) return undefined;
      const connection = connect(secret);
      opened.push(connection);
      return readerOf({
        ...connection,
        call: (operation, args) =>
          connection.call(operation, args).catch((error: unknown) => {
            isRefused ||= problemsOf(error).some(({ code }) => code === "SP3003");
            throw error;
          }),
      });
    },
    requests: () => ({
      reads: opened.reduce((sum, { requests }) => sum + requests.reads, 0),
      writes: opened.reduce((sum, { requests }) => sum + requests.writes, 0),
    }),
    close: async () => {
      await Promise.all(opened.map((connection) => connection.close()));
    },
  };
}
