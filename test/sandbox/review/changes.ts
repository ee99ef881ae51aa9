import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { World } from "../../../src/sandbox/world.ts";
import { type Answer, accounts, sandboxForTest } from "../asking.ts";
import { review } from "./review.ts";

export const key = `I${"a".repeat(40)}`;
export const time = "2027-01-01T10:00:00Z";

export function changes(...overs: readonly object[]) {
  return overs.map((over, index) => ({
    number: index + 1,
    project: "a/b",
    branch: "main",
    changeId: key,
    subject: "A change",
    owner: "max",
    created: time,
    updated: time,
    revisions: [{ created: time, files: { "m.yaml": { lines: 3, size: 12 } } }],
    ...over,
  }));
}

export function changesSandbox(...overs: readonly object[]): Promise<Sandbox> {
  const projects = { "a/b": { branches: ["main", "next"] }, "e f": {} };
  return sandboxForTest({ world: World.parse({ accounts, review: { projects, changes: changes(...overs) } }) });
}

export function post(sandbox: Sandbox, path: string, body: unknown, username = "ada"): Promise<Answer> {
  const headers = { "content-type": "application/json" };
  return review(sandbox, path, { method: "POST", headers, body: JSON.stringify(body), username });
}
