import { openRoad, type Road } from "../../support/road.ts";
import type { Account, Gerrit } from "./gerrit.ts";

/** Opens the road from manifests to a real server, by default as the administrator. */
export function realRoad({ url, admin }: Gerrit, as: Pick<Account, "username" | "password"> = admin): Road {
  return openRoad(`version: 1\nservices:\n  review: { type: gerrit, url: "${url}", limits: { timeout: 2m } }\n`, {
    SETPOINT_REVIEW_URL: url,
    SETPOINT_REVIEW_USERNAME: as.username,
    SETPOINT_REVIEW_PASSWORD: as.password,
  });
}

/** Returns a manifest of these documents: kind, specification and optional metadata. */
export function manifest(...documents: readonly (readonly [kind: string, spec: object, metadata?: object])[]): string {
  return documents.map(([kind, spec, metadata = {}]) => `---\n${JSON.stringify({ kind, metadata, spec })}\n`).join("");
}

/** Access sections as the service accepts them. */
export type Sections = Readonly<Record<string, { readonly permissions: Readonly<Record<string, object>> }>>;

/** Changes the access of a project as someone else would; throws if the server refuses it. */
export async function setAccess(gerrit: Gerrit, project: string, add: Sections): Promise<void> {
  const answer = await gerrit.call("POST", `/a/projects/${encodeURIComponent(project)}/access`, { body: { add } });
  if (answer.status !== 200) throw new Error(`${project}: ${answer.status} ${answer.text}`);
}

/** Pushes files of a project's configuration, which the administrator must be allowed to, and returns `accepted` or the server's reason. */
export async function pushConfig(gerrit: Gerrit, project: string, files: Readonly<Record<string, string>>) {
  const { admin } = gerrit;
  const directory = await gerrit.clone(project, admin);
  await gerrit.git(directory, admin, "fetch", "-q", "origin", "refs/meta/config");
  await gerrit.git(directory, admin, "checkout", "-q", "FETCH_HEAD");
  await gerrit.commit(directory, admin, "By hand", files);
  return said(gerrit, directory, admin, "refs/meta/config");
}

/** What Git said to an account that pushed a new commit to a branch: `accepted`, or the server's reason. */
export interface Pushed {
  readonly push: string;
  readonly upload: string;
}

/** Pushes HEAD to a ref, and returns `accepted` or the server's reason. */
export async function said(gerrit: Gerrit, directory: string, as: Account, ref: string, ...options: string[]) {
  const { code, stderr } = await gerrit.push(directory, as, ref, ...options);
  if (code === 0) return "accepted";
  return /\[remote rejected\].*? -> .*? \((.*)\)$/m.exec(stderr)?.[1] ?? stderr;
}

/** Pushes a new commit to a branch, and uploads another one for review, as the account. */
export async function pushAndUpload(gerrit: Gerrit, project: string, branch: string, as: Account): Promise<Pushed> {
  const directory = await gerrit.clone(project, as, branch);
  async function sent(ref: string): Promise<string> {
    await gerrit.commit(directory, as, `To ${ref}`, { [`${ref}.txt`]: directory });
    return said(gerrit, directory, as, ref);
  }
  const upload = await sent(`refs/for/${branch}`);
  return { upload, push: await sent(`refs/heads/${branch}`) };
}
