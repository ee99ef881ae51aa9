import { expect, test } from "vitest";
import { ProblemError } from "../../src/core/problem.ts";
import { queuePlace } from "../../src/engine/queue/redis.ts";
import { renderQueue } from "../../src/reports/text/queue-text.ts";
import { openDesk, setpoint, workflows } from "../support/commands.ts";

/** Makes a process report on standard error each package of the queue that it imports, and fail to find it. */
const withoutPackages = `--import data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from "node:module";
  registerHooks({
    resolve(name, context, next) {
      if (!/^(bullmq|ioredis)$/.test(name)) return next(name, context);
      process.stderr.write("wants " + name + "\\n");
      return next(name + "-that-nobody-installed", context);
    },
  });
`)}`;

test("the packages of a queue are loaded only if one is used, and are named if they are missing", async () => {
  await using desk = await openDesk(workflows("website", true));
  const env = { NODE_OPTIONS: withoutPackages };
  expect(await desk.run(["plan", "--quiet"], env)).toMatchObject({ code: 0, err: "" });
  const { code, out, err } = await desk.run(["plan", "--queue", "redis://127.0.0.1:1", "--json"], env);
  expect(err).toContain("wants bullmq");
  expect(JSON.parse(out)).toMatchObject({
    problems: [
      {
        code: "SP5008",
        message: "A queue needs the packages bullmq and ioredis, which are not installed.",
        hint: "Install them beside setpoint: npm install bullmq ioredis.",
      },
    ],
  });
  expect(code).toBe(1);
});

test("a queue without Redis is a problem with the URL and a hint, not an endless wait", async () => {
  const { code, out } = await setpoint(["queue", "--queue", "redis://127.0.0.1:1"]);
  expect(out).toMatchInlineSnapshot(`
    "SP5008  The queue at redis://127.0.0.1:1 does not answer (ECONNREFUSED).
      Hint: Check the URL, and that Redis is running.
    "
  `);
  expect(code).toBe(1);
});

function problemOf(given: string | undefined, queue?: string): unknown {
  try {
    return queuePlace(given, { SETPOINT_QUEUE: queue });
  } catch (error) {
    return error instanceof ProblemError ? error.problems[0]?.code : error;
  }
}

test("the URL of a queue comes from the command line or the environment, its password only from the environment", () => {
  expect(problemOf("redis://queue.example:6379/2")).toMatchObject({ shown: "redis://queue.example:6379/2" });
  expect(problemOf(undefined, "rediss://me:pa55@queue.example")).toEqual({
    url: "rediss://me:pa55@queue.example",
    shown: "rediss://queue.example",
  });
  expect(problemOf(undefined)).toBe("SP5001");
  for (const secret of ["redis://me:pa55@queue.example", "redis://:pa55@queue.example"])
    expect(problemOf(secret)).toBe("SP1015");
  const wrong = ["queue.example:6379", "http://queue.example", "redis://", "redis://q?password=p", "redis://q/name"];
  for (const url of wrong) expect(problemOf(url), url).toBe("SP5001");
});

test("queue lists what waits in a table in which jobs without a worker stand out", () => {
  const row = { workers: 4, waiting: 612, underWay: 8, done: 380, failed: 0 };
  const rows = [
    { ...row, service: "hosting", queue: "hosting.0123456789ab" },
    { ...row, service: "review", queue: "review.0123456789ab", workers: 0, failed: 2 },
    { ...row, service: "review", queue: "review.ba9876543210" },
  ];
  expect(renderQueue(rows, { color: false, unicode: true, width: 100 })).toMatchInlineSnapshot(`
    "                     workers  waiting  under way  done  failed
    hosting                    4      612          8   380       0
    review.0123456789ab        0      612          8   380       2
    review.ba9876543210        4      612          8   380       0

    1 service without a worker: run setpoint worker --queue."
  `);
  expect(renderQueue([], { color: false, unicode: true, width: 100 })).toBe(
    "The queue has no jobs, and has had none yet.",
  );
});
