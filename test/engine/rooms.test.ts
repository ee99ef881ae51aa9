import { expect, test } from "vitest";
import { permitted } from "../../src/engine/apply/permit.ts";
import { openReaders, openSessions } from "../../src/engine/sessions.ts";
import { serviceOf } from "../clients/fixtures.ts";
import { emptyPlan } from "../reports/fixture.ts";

test("a service says when it has room for more requests, also during an apply; one that batches reads gets all at once", async () => {
  const services = [serviceOf("hosting"), serviceOf("artifacts")];
  const env = Object.fromEntries(
    services.flatMap(({ role, url }) => [
      [`SETPOINT_${role.toUpperCase()}_URL`, url],
      [`SETPOINT_${role.toUpperCase()}_TOKEN`, "token"],
    ]),
  );
  const { sessions, close } = await openSessions(services, "read", { signal: new AbortController().signal, env });
  for (const some of [sessions, permitted(sessions, emptyPlan, "run")]) {
    for (const session of some.values()) await expect(session.room?.()).resolves.toBeUndefined();
    expect([...some.values()].map(({ room }) => room === undefined)).toEqual([false, false]);
    const readers = openReaders(some);
    for (const { name } of services) expect(Object.keys(readers(name))).not.toEqual([]);
    await expect(readers.room?.("hosting")).resolves.toBeUndefined();
    expect(services.map(({ name }) => readers.room?.(name) instanceof Promise)).toEqual([true, false]);
  }
  await close();
});
