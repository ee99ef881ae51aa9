import type { Problem } from "../../src/core/problem.ts";
import type { Plan } from "../../src/core/run/plan.ts";
import { type PublishTarget, publishAll } from "../../src/publishers/publish.ts";
import type { Edition, News } from "../../src/publishers/publisher.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { environmentFor } from "../../src/sandbox/server/environment.ts";
import { type Desk, openDesk, workflows } from "../support/commands.ts";

/** A commit of the invented company's website, which is the head of pull request 8. */
export function headOf(sandbox: Sandbox): string {
  return sandbox.state().hosting.repositories[0]?.pulls.find(({ number }) => number === 8)?.head.sha ?? "";
}

/** A desk from which results are published. */
export interface Press extends AsyncDisposable {
  readonly desk: Desk;
  /** Publishes, and returns the operations that were sent and what went wrong. */
  publish(target: PublishTarget, news: News, edition?: Partial<Edition>): Promise<Sent>;
}

export interface Sent {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly problems: readonly Problem[];
}

/** The facts of a run of pull request 8 of the website, and of change 311. */
export const facts = { repository: "meridian-kites/website", pullRequest: 8, change: 311 };

/** Opens a press. `as`: another account than the administrator. */
export async function openPress(
  options: { readonly as?: { readonly username: string; readonly secret: string }; readonly manifests?: string } = {},
): Promise<Press> {
  const desk = await openDesk(options.manifests ?? workflows("website", false));
  const env = { ...desk.env, ...environmentFor(desk.sandbox.url, options.as) };
  return {
    desk,
    async publish(target, news, edition = {}) {
      desk.sandbox.clear();
      const problems = await publishAll([target], news, {
        open: desk.open({ env }).publishing,
        edition: { command: "plan", name: "", prefix: "", at: "2027-01-14T02:00:00.000Z", facts, ...edition },
      });
      const sent = desk.sandbox.requests();
      const of = (effect: "read" | "write") =>
        sent.filter((one) => one.effect === effect).map(({ operation, path }) => operation ?? path);
      return { reads: of("read"), writes: of("write"), problems };
    },
    [Symbol.asyncDispose]: () => desk[Symbol.asyncDispose](),
  };
}

/** A plan to publish, as made at another moment if one is given. */
export function made(plan: Plan, at = plan.about.at): News {
  return { is: "made", subject: { plan: { ...plan, about: { ...plan.about, at } } } };
}
