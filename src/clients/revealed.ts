import type { Secret } from "../core/secret.ts";
import type { Credentials } from "./credentials.ts";

/** The credentials with this secret in place of their own, in their form. */
export function withSecret(credentials: Credentials, secret: Secret | undefined): Credentials {
  if (secret === undefined || credentials.is === "none") return credentials;
  return credentials.is === "basic" ? { ...credentials, password: secret } : { is: "token", token: secret };
}

/** What of the credentials must not be shown. */
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
