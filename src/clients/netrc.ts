import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ProblemError } from "../core/problem.ts";
import { Secret } from "../core/secret.ts";
import type { Service } from "../core/service.ts";

/** The environment variables that locate a netrc file. */
interface Whereabouts {
  readonly NETRC?: string | undefined;
  readonly HOME?: string | undefined;
}

/** What a netrc file has for a machine. */
interface NetrcLogin {
  readonly username: string;
  readonly password: Secret;
}

/**
 * The login and password that the file at `NETRC`, or `.netrc` in the home directory, has for a service's host. A machine
 * is bound to its name and to nothing else, so `default` is never taken, and neither is anything for a service without
 * TLS that is not on this machine.
 *
 * Throws `ProblemError`: SP3001 if `NETRC` names no file that can be read, or an entry is not whole; SP3002 for plain
 * http to another machine.
 */
export function netrcLogin(service: Service, env: Whereabouts): NetrcLogin | undefined {
  const file = env.NETRC || (env.HOME ? join(env.HOME, ".netrc") : undefined);
  if (file === undefined) return undefined;
  const { protocol, hostname, origin } = new URL(service.url);
  const host = hostname.replace(/^\[|\]$/g, "");
  const found = machinesOf(readText(service, file, Boolean(env.NETRC))).find(
    (machine) => machine.name?.toLowerCase() === host.toLowerCase(),
  );
  if (found === undefined) return undefined;
  if (protocol !== "https:" && !/^(localhost|127\.\d+\.\d+\.\d+|::1)$/i.test(host))
    throw new ProblemError({
      code: "SP3002",
      service: service.name,
      message: `The credentials of ${host} in ${file} are not sent to ${origin}, which has no TLS.`,
      hint: "Use the service's https URL.",
    });
  const { login = "", password = "" } = found;
  if (login === "" || password === "" || /\p{Cc}/u.test(login + password))
    throw problem(
      service,
      `The entry for ${host} in ${file} has no login, no password, or a control character in one.`,
    );
  return { username: login, password: new Secret(password) };
}

function readText(service: Service, file: string, isNamed: boolean): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    if (!isNamed) return "";
    throw problem(service, `The file ${file}, which NETRC names, cannot be read.`);
  }
}

function problem(service: Service, message: string): ProblemError {
  const hint = "An entry is: machine <host> login <user> password <secret>.";
  return new ProblemError({ code: "SP3001", service: service.name, message, hint });
}

/** An entry; `default` has no name. */
interface Machine {
  name?: string;
  login?: string;
  password?: string;
}

/** The entries, first one first. Macros, comments and words that are not known are passed over. */
function machinesOf(text: string): readonly Machine[] {
  const machines: Machine[] = [];
  const words = wordsOf(withoutMacros(text));
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (word === "default") machines.push({});
    if (word === "machine") machines.push({ name: words[++at] ?? "" });
    const machine = machines.at(-1);
    if (machine !== undefined && (word === "login" || word === "password")) machine[word] = words[++at] ?? "";
    if (word === "account") at += 1;
  }
  return machines;
}

/** A macro goes from `macdef` to the next empty line; a comment is a line that begins with `#`. */
function withoutMacros(text: string): string {
  return text.replace(/^[ \t]*#.*$/gm, "").replace(/^[ \t]*macdef\b[\s\S]*?(?:\r?\n[ \t]*\r?\n|$(?![\s\S]))/gm, "\n");
}

/** Words between spaces; one in quotation marks may hold spaces, and a backslash before a mark. */
function wordsOf(text: string): readonly string[] {
  return [...text.matchAll(/"((?:[^"\\]|\\[\s\S])*)"|(\S+)/g)].map(
    ([, quoted, plain]) => quoted?.replace(/\\([\s\S])/g, "$1") ?? plain ?? "",
  );
}
