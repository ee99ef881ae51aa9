import type { Secret } from "../../core/secret.ts";
import type { Service } from "../../core/service.ts";
import type { Root } from "../http/encode.ts";
import type { Protocol } from "../http/protocol.ts";
import type { Credentials, Environment } from "./credentials.ts";
import { credentialsAt } from "./roots.ts";

/** What requests are authenticated with. */
export interface Identity {
  readonly headers: Readonly<Record<string, string>>;
  /** What must not be shown. */
  readonly secrets: readonly string[];
}

/** Who a connection signs in as. */
interface IdentitySettings {
  readonly credentials: Credentials;
  /** Replaces the secret of the credentials wherever and in whatever form they sign in. */
  readonly secret: Secret | undefined;
  readonly env: Environment;
}

/**
 * Returns a function that gives the identity for a root. Each identity is made once, since the environment stays the same
 * for the life of a connection. Throws as `credentialsAt` does.
 */
export function identities(
  service: Service,
  headersOf: Protocol["headers"],
  { credentials, secret, env }: IdentitySettings,
): (root: Root | undefined) => Identity {
  const made = new Map<string, Identity>();
  return (root) => {
    const name = root?.is === "entry" ? root.name : "";
    const known = made.get(name);
    if (known !== undefined) return known;
    const own = withSecret(credentialsAt(service, root, credentials, env), secret);
    const identity = { headers: headersOf(service, own), secrets: own === credentials ? [] : revealed(own) };
    made.set(name, identity);
    return identity;
  };
}

function withSecret(credentials: Credentials, secret: Secret | undefined): Credentials {
  if (secret === undefined || credentials.is === "none") return credentials;
  return credentials.is === "basic" ? { ...credentials, password: secret } : { is: "token", token: secret };
}

/** Returns every string of the credentials that must not be shown. */
export function revealed(credentials: Credentials): string[] {
  switch (credentials.is) {
    case "none":
      return [];
    case "basic":
      return [credentials.password.reveal(), `${credentials.username}:${credentials.password.reveal()}`];
    case "token":
      return [credentials.token.reveal()];
    case "key":
      return [credentials.key.reveal()];
  }
}
