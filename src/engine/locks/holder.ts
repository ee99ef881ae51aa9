import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { z } from "zod";
import { hasCode } from "../../core/text/reason.ts";

/** The holder of a lock. A later version may have more fields. */
export const Holder = z
  .object({
    version: z.literal(1),
    /** Unique to this holding. */
    id: z.string().regex(/^[0-9a-f]{16}$/),
    user: z.string(),
    host: z.string(),
    /** Identifies what shares the same processes: a machine, or a container on it. */
    machine: z.string(),
    /** The boot of the machine; empty if the system does not report it. */
    boot: z.string(),
    pid: z.int().min(1),
    /** When the process started, in the system's own form; empty if the system does not report it. */
    started: z.string(),
    run: z.string(),
    command: z.string(),
    workspace: z.string(),
    since: z.string(),
  })
  .readonly();
export type Holder = z.infer<typeof Holder>;

/** What a run says about itself when it takes a lock. */
export type Claim = Pick<Holder, "run" | "command" | "workspace" | "since">;

/** Returns this process as the holder of a lock. */
export function holderOf(claim: Claim): Holder {
  const { pid } = process;
  const own = { user: userName(), host: hostname(), ...here(), pid, started: startOf(pid) };
  return { version: 1, id: randomBytes(8).toString("hex"), ...own, ...claim };
}

/**
 * Whether the process of a holder has certainly ended: it ran on this machine, and either the machine was restarted since, or no
 * process has its id, or another process does. For other machines this is not known, so the result is false.
 */
export function isGone({ machine, boot, pid, started }: Holder): boolean {
  const now = here();
  if (machine !== now.machine) return false;
  if (boot !== "" && now.boot !== "" && boot !== now.boot) return true;
  if (!exists(pid)) return true;
  const current = startOf(pid);
  return started !== "" && current !== "" && started !== current;
}

/** Returns who runs this process, as `user@host`. */
export function whoRuns(): string {
  return `${userName()}@${hostname()}`;
}

/** Returns the name of the current user, or the user id if it has no name, as is usual in a container. */
function userName(): string {
  return told(() => userInfo().username) || String(process.getuid?.() ?? "");
}

function here(): Pick<Holder, "machine" | "boot"> {
  const processes = told(() => readlinkSync("/proc/self/ns/pid"));
  const boot = told(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8"));
  // Without an id, as in most containers, another machine cannot be told from this one after a restart.
  const id = told(() => readFileSync("/etc/machine-id", "utf8")) || boot;
  return { machine: [hostname(), id, processes].filter((part) => part !== "").join(" "), boot };
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process cannot be signalled, but it exists.
    return !hasCode(error, "ESRCH");
  }
}

/**
 * Returns the start of a process: on Linux the 22nd field of its status, found after the name, which may have spaces; elsewhere
 * from `ps`. A process that has ended keeps its number until its parent asks for its result, which few containers' first
 * processes do: it has no start.
 */
function startOf(pid: number): string {
  const status = told(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  const [state, ...fields] = status.slice(status.lastIndexOf(")") + 2).split(" ");
  if (status !== "") return state === "Z" ? "ended" : (fields[18] ?? "");
  const { stdout } = spawnSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8", env: { LC_ALL: "C" } });
  return typeof stdout === "string" ? stdout.trim() : "";
}

/** Returns what the system reports, trimmed; empty if it fails. */
function told(read: () => string): string {
  try {
    return read().trim();
  } catch {
    return "";
  }
}
