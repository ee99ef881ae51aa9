import { readFile, realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { type Problem, ProblemError, problemsOf } from "../../core/problem.ts";
import { parseSecretReference, Secret } from "../../core/secret.ts";
import { type Service, variableOf } from "../../core/service.ts";
import { own } from "../../core/text/json.ts";
import { foldedPath, privateFolder } from "../../core/text/private-path.ts";
import { accessHint, reasonOf } from "../../core/text/reason.ts";
import { alternatives, utf8Text } from "../../core/text/words.ts";
import { mismatchOf } from "./binding.ts";
import { netrcLogin, whyUnread } from "./netrc.ts";

/** Variables by name, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What identifies an account to a service. */
export type Credentials =
  | { readonly is: "none" }
  | { readonly is: "basic"; readonly username: string; readonly password: Secret }
  | { readonly is: "token"; readonly token: Secret; readonly username?: string }
  | { readonly is: "key"; readonly key: Secret };

const variables = ["USERNAME", "PASSWORD", "TOKEN", "API_KEY"] as const;
type Variable = (typeof variables)[number];

/** The credentials that a service accepts. */
export interface CredentialForms {
  /** The accepted sets of variables, the preferred one first. One set must be complete. */
  readonly accepted: readonly (readonly Variable[])[];
  /** Makes credentials from a user name and its secret, if the service does not take the secret as a password. */
  login?(username: string, secret: Secret): Credentials;
  /** Whether the service can also be read without credentials. */
  readonly anonymous?: true;
  /** Where an account gets its secret in the product. @see docs/facts.md, Where credentials are made */
  readonly source: string;
  /** Credentials in a file of the service's own, which another variable names. Throws `ProblemError` SP3001. */
  readonly file?: {
    readonly variable: string;
    read(service: Service, file: string, username: string | undefined): Credentials;
  };
}

/**
 * Returns the credentials that the environment has for a service: `SETPOINT_<SERVICE>_TOKEN`, `_USERNAME`, `_PASSWORD`,
 * `_API_KEY`, or a file of the service's own. They are given out only if `SETPOINT_<SERVICE>_URL` names the service's
 * origin and the beginning of its path, so that a workspace that points the service elsewhere gets an error instead of a
 * password. If the environment has none, a netrc file can supply a login for the service's host and port.
 *
 * Throws `ProblemError`: SP3001 if variables are missing, SP3002 if they are bound to another address or to none.
 */
export function readCredentials(service: Service, env: Environment, forms: CredentialForms): Credentials {
  const value = (name: string) => env[variableOf(service, name)] || undefined;
  const { accepted, file, login: asLogin = (username, password) => ({ is: "basic", username, password }) } = forms;
  const found = accepted.find((names) => names.every((name) => value(name) !== undefined));
  const named = file && value(file.variable);
  if (found === undefined && file !== undefined && named !== undefined) {
    bind(service, value("URL"));
    return file.read(service, named, value("USERNAME"));
  }
  if (found === undefined) {
    const names = variables.filter((name) => value(name) !== undefined);
    const login = names.length === 0 ? netrcLogin(service, env) : undefined;
    if (login !== undefined) {
      // A netrc entry has no path. Setting the service's URL in the environment binds the entry to one.
      if (value("URL") !== undefined) bind(service, value("URL"));
      return asLogin(login.username, login.password);
    }
    if (forms.anonymous === true && names.length === 0) return { is: "none" };
    throw new ProblemError(missingProblem(service, setsOf(forms), env, names));
  }
  bind(service, value("URL"));
  const username = found.includes("USERNAME") ? value("USERNAME") : undefined;
  const secretName = found.find((name) => name !== "USERNAME") ?? "PASSWORD";
  const secret = new Secret(printable(service, secretName, env));
  if (username !== undefined) return asLogin(username, secret);
  return secretName === "API_KEY" ? { is: "key", key: secret } : { is: "token", token: secret };
}

/** Returns the sets of variables, by full name, the preferred one first. A service needs one of the sets besides its URL. */
export function credentialVariables(service: Pick<Service, "name">, forms: CredentialForms) {
  return setsOf(forms).map((names) => names.map((name) => variableOf(service, name)));
}

function setsOf({ accepted, file }: CredentialForms): readonly (readonly string[])[] {
  return [...accepted, ...(file === undefined ? [] : [[file.variable]])];
}

/** Whether someone has begun to give a service credentials, right or wrong, in variables or in a netrc file. */
export function hasCredentials(service: Service, env: Environment, forms: CredentialForms): boolean {
  if (credentialVariables(service, forms).some((names) => names.some((name) => env[name]))) return true;
  try {
    return readCredentials(service, env, forms).is !== "none";
  } catch (error) {
    // SP3001 says that something is missing; any other problem says that an entry exists and is wrong.
    return problemsOf(error).some(({ code }) => code !== "SP3001");
  }
}

/** The problem that names the missing variables: those of the sets that are begun, or of all sets. */
function missingProblem(
  service: Service,
  sets: readonly (readonly string[])[],
  env: Environment,
  present: readonly string[],
): Problem {
  const variable = (name: string) => variableOf(service, name);
  const isMissing = (name: string) => !env[variable(name)];
  const begun = sets.filter((set) => set.some((name) => present.includes(name)));
  const lacking = (begun.length === 0 ? sets : begun).map((set) => ["URL", ...set].filter(isMissing).map(variable));
  const set = present.map(variable).join(" and ");
  const still = begun.map((names) => names.filter(isMissing).map(variable).join(" and "));
  const found =
    begun.length === 0
      ? `${service.name} does not accept ${present.length === 1 ? "it alone" : "them"}`
      : `${alternatives(still)} ${begun.length === 1 && still[0]?.includes(" and ") ? "are" : "is"} not`;
  const unread = whyUnread(env);
  const wanted = [...new Set(lacking.map((names) => names.join(", ")))].join("; or ");
  return {
    code: "SP3001",
    service: service.name,
    message:
      present.length === 0
        ? `The environment has no credentials for ${service.name}.`
        : `${set} ${present.length === 1 ? "is" : "are"} set, but ${found}.`,
    hint: `Set ${wanted}${present.length === 0 ? `; or add the host to a netrc file${unread === undefined ? "" : ` (${unread})`}` : ""}.`,
  };
}

/** Throws `ProblemError` SP3002 unless the URL, that of `SETPOINT_<SERVICE>_URL`, is the service's or above it. */
export function bind(service: Service, url: string | undefined): void {
  const { origin, pathname } = new URL(service.url);
  const mismatch = url === undefined ? "origin" : mismatchOf(service.url, url);
  if (mismatch === undefined) return;
  const address = mismatch === "origin" ? origin : `${origin}${pathname}`;
  throw new ProblemError({
    code: "SP3002",
    service: service.name,
    message:
      url === undefined
        ? `The credentials of ${service.name} are not bound to an origin, so they are not sent to ${origin}.`
        : mismatch === "origin"
          ? `The credentials of ${service.name} are bound to an origin other than ${origin}, so they are not sent there.`
          : `The credentials of ${service.name} are bound to a path that ${address} is not below, so they are not sent there.`,
    hint: `If ${address} is right, set ${variableOf(service, "URL")} to it where the credentials are set, not in a pull request.`,
  });
}

/**
 * Returns a value that a header can carry: a password, which is encoded, without control characters, and anything else in ASCII.
 * Others would fail later, and less clearly.
 */
function printable(service: Service, name: Variable, env: Environment): string {
  const variable = variableOf(service, name);
  const text = env[variable] ?? "";
  if ((name === "PASSWORD" ? /^\P{Cc}*$/u : /^[ -~]*$/).test(text)) return text;
  throw new ProblemError({
    code: "SP3001",
    service: service.name,
    message: `${variable} contains a line break or another character that cannot be sent.`,
    hint: `Set ${variable} without line breaks and invisible characters, which can come along when it is copied.`,
  });
}

/**
 * Returns a function that resolves references to secrets: `${env:NAME}` from `env`, `${file:path}` relative to the
 * working directory, without a final line break. Files in `.git` or `.setpoint`, `delivered` files and setpoint's own
 * variables are never given to a service. Throws `ProblemError` SP1015 if the secret is missing or denied.
 */
export function secretResolver(
  env: Environment,
  delivered: readonly string[] = [],
): (reference: string) => Promise<Secret> {
  return async (reference) => {
    const parsed = parseSecretReference(reference);
    if (parsed === undefined) throw missing("A secret is not a reference.", "Write ${env:NAME} or ${file:path}.");
    switch (parsed.from) {
      case "env": {
        if (/^SETPOINT_/i.test(parsed.name)) {
          const message = `${reference} is one of setpoint's own variables, which no service receives.`;
          throw missing(message, "Give the secret a variable of its own.");
        }
        const text = own(env, parsed.name);
        if (text) return new Secret(text);
        throw missing(`${reference} is not set.`, `Set ${parsed.name} in the environment of the run.`);
      }
      case "file": {
        const reason = await whyDenied(parsed.name, delivered);
        if (reason !== undefined) throw missing(`${reference} is not read: ${reason}.`, "Name another file.");
        const bytes = await readFile(parsed.name).catch((error: unknown) => {
          const { hint = "Paths are relative to the working directory." } = accessHint(error);
          throw missing(`${reference} cannot be read: ${reasonOf(error)}.`, hint);
        });
        const secret = utf8Text(bytes)?.replace(/\r?\n$/, "");
        if (secret) return new Secret(secret);
        throw missing(`${reference} is empty, or is not UTF-8 text.`, "The file holds the secret and nothing else.");
      }
    }
  };
}

/** Returns why the file of a secret is not given to a service. A link counts as its target. */
async function whyDenied(path: string, delivered: readonly string[]): Promise<string | undefined> {
  const target = async (one: string) => foldedPath(await realpath(one).catch(() => resolve(one)));
  const real = await target(path);
  const folder = privateFolder(path) ?? privateFolder(real);
  if (folder !== undefined) return `it is in ${folder}`;
  if (/^\/proc\/.*\/environ$/.test(real)) return "it has setpoint's own variables, which no service receives";
  const sinks = await Promise.all(delivered.map(target));
  return sinks.includes(real) ? "the secret of another resource is delivered to it" : undefined;
}

function missing(message: string, hint: string): ProblemError {
  return new ProblemError({ code: "SP1015", message, hint });
}
