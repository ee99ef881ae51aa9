import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ProblemError } from "../../core/problem.ts";
import { Secret } from "../../core/secret.ts";
import type { Service } from "../../core/service.ts";
import { hasCode, reasonOf } from "../../core/text/reason.ts";

/** The environment variables that locate a netrc file. */
interface Whereabouts {
  readonly NETRC?: string | undefined;
  readonly HOME?: string | undefined;
}

/**
 * Returns the login and password that the file at `NETRC`, or `.netrc` in the home directory, has for a service's host
 * and port. An entry is for https and its default port, unless it states another port: `machine host:8443`, or `port
 * 8443` after the host. On this machine, an entry that states the port is also for plain http. `default` is never used.
 *
 * Throws `ProblemError`: SP3001 if `NETRC` names a file that cannot be read, or an entry is incomplete; SP3002 for plain
 * http to another machine.
 *
 * @see docs/decisions/credentials.md, netrc
 */
export function netrcLogin(service: Service, env: Whereabouts) {
  const file = fileOf(env);
  if (file === undefined) return undefined;
  const { protocol, hostname, port, origin } = new URL(service.url);
  const isPlain = protocol !== "https:";
  const address = `${hostname}:${port || (isPlain ? "80" : "443")}`;
  const machines = machinesOf(readText(service, file, Boolean(env.NETRC)));
  const found = machines.find((machine) => addressOf(machine) === address);
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  if (isPlain && !isLocal && machines.some((machine) => addressOf(machine)?.startsWith(`${hostname}:`)))
    throw new ProblemError({
      code: "SP3002",
      service: service.name,
      message: `The credentials of ${hostname} in ${file} are not sent to ${origin}, which has no TLS.`,
      hint: "Use the service's https URL.",
    });
  if (found === undefined) return undefined;
  const { login = "", password = "" } = found;
  if (login === "" || password === "" || /\p{Cc}/u.test(login + password))
    throw problem(
      service,
      `The entry for ${found.name} in ${file} has no login, no password, or a control character in one.`,
    );
  return { username: login, password: new Secret(password) };
}

/** Returns why the file cannot be read, if it is there: `/home/jdoe/.netrc cannot be read: …`. */
export function whyUnread(env: Whereabouts): string | undefined {
  const file = fileOf(env);
  try {
    if (file !== undefined) textAt(file);
  } catch (error) {
    return hasCode(error, "ENOENT", "ENOTDIR") ? undefined : `${file} cannot be read: ${reasonOf(error)}`;
  }
  return undefined;
}

function fileOf({ NETRC, HOME }: Whereabouts): string | undefined {
  return NETRC || (HOME ? join(HOME, ".netrc") : undefined);
}

/** Returns the host and port of an entry as a URL has them; undefined for `default`, and for an invalid host or port. */
function addressOf({ name, port }: Machine): string | undefined {
  if (name === undefined || /[/?#@\\%]/.test(name)) return undefined;
  const host = /^[0-9a-f]*:[0-9a-f:.]*:[0-9a-f.]*$/i.test(name) ? `[${name}]` : name;
  const url = URL.parse(`https://${host}`);
  if (url === null || (port !== undefined && url.port !== "" && port !== url.port)) return undefined;
  const stated = port === undefined || port === "https" ? url.port || "443" : port;
  return `${url.hostname}:${stated}`;
}

/** The texts of pipes, such as `NETRC=<(pass show netrc)`: each can be read only once, and every service needs it. */
const piped = new Map<string, string>();

function textAt(file: string): string {
  const text = piped.get(file) ?? readFileSync(file, "utf8");
  if (!statSync(file).isFile()) piped.set(file, text);
  return text;
}

function readText(service: Service, file: string, isNamed: boolean): string {
  try {
    return textAt(file);
  } catch (error) {
    if (!isNamed) return "";
    throw problem(service, `The file ${file}, which NETRC names, cannot be read: ${reasonOf(error)}.`);
  }
}

function problem(service: Service, message: string): ProblemError {
  const hint = "An entry is: machine <host> login <user> password <secret>; a port other than 443 is <host>:<port>.";
  return new ProblemError({ code: "SP3001", service: service.name, message, hint });
}

/** An entry; `default` has no name. */
interface Machine {
  name?: string;
  port?: string;
  login?: string;
  password?: string;
}

/** Returns the entries in order. Macros, comments and unknown words are skipped. */
function machinesOf(text: string): readonly Machine[] {
  const machines: Machine[] = [];
  const words = wordsOf(withoutMacros(text));
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (word === "default") machines.push({});
    if (word === "machine") machines.push({ name: words[++at] ?? "" });
    const machine = machines.at(-1);
    if (machine !== undefined && (word === "login" || word === "password" || word === "port"))
      machine[word] = words[++at] ?? "";
    if (word === "account") at += 1;
  }
  return machines;
}

/** Removes macros and comments. A macro ends at the next empty line; a comment is a line that begins with `#`. */
function withoutMacros(text: string): string {
  return text.replace(/^[ \t]*#.*$/gm, "").replace(/^[ \t]*macdef\b[\s\S]*?(?:\r?\n[ \t]*\r?\n|$(?![\s\S]))/gm, "\n");
}

/** Splits text at spaces. A word in quotation marks can contain spaces, and escapes with a backslash. */
function wordsOf(text: string): readonly string[] {
  return [...text.matchAll(/"((?:[^"\\]|\\[\s\S])*)"|(\S+)/g)].map(
    ([, quoted, plain]) => quoted?.replace(/\\([\s\S])/g, "$1") ?? plain ?? "",
  );
}
