import { crc32 } from "node:zlib";
import { type JournalEntry, journalLines, type Lines } from "./journal.ts";

/**
 * Returns a function that makes the lines of one journal, in order. The end has a checksum of everything before it. A setpoint
 * that writes entries of another version must name its checksum differently: to this one, their lines are damage.
 */
export function lineMaker(): (entry: JournalEntry & { readonly at?: string }) => string {
  let sum = 0;
  return (entry) => {
    const json = JSON.stringify(entry);
    if (entry.event === "end") return `${json.slice(0, -1)},"sum":${crc32(json.slice(0, -1), sum)}}\n`;
    sum = crc32(`${json}\n`, sum);
    return `${json}\n`;
  };
}

/**
 * Reads the damage of a journal and what it says about secrets. If it has an end and is as it was written, and no call delivered a
 * secret, that is only its first line: none of the others is parsed.
 */
export function linesOnSecrets(text: string): Lines {
  const isShort = isIntact(text) && !text.includes('"deliver":');
  return journalLines(isShort ? text.slice(0, text.indexOf("\n")) : text);
}

function isIntact(text: string): boolean {
  const [end = "", sum] = /,"sum":(\d+)\}\n$/.exec(text.slice(-30)) ?? [];
  return sum !== undefined && crc32(text.slice(0, -end.length)) === Number(sum);
}
