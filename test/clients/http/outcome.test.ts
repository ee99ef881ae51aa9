import { errors } from "undici";
import { expect, test } from "vitest";
import { brokenAttempt } from "../../../src/clients/http/outcome.ts";

const origin = "https://review.example.com";

test("a connection that does not come up is not called an answer that does not come, and has half of the time", () => {
  const error = new errors.ConnectTimeoutError();
  expect(brokenAttempt(error, { origin, timeout: 10_000, stopped: undefined, stage: "connecting" })).toEqual({
    is: "unsent",
    problem: {
      code: "SP3101",
      message: "No connection to https://review.example.com within 5 s.",
      hint: "Check the service's url, the network, and HTTPS_PROXY and NO_PROXY.",
    },
  });
});

test("a request that waits for its connection until all of its time is over was not sent", () => {
  const error = new errors.RequestAbortedError();
  const circumstances = { origin, timeout: 10_000, stopped: "late" } as const;
  expect(brokenAttempt(error, { ...circumstances, stage: "connecting" })).toMatchObject({
    is: "unsent",
    problem: { message: "No connection to https://review.example.com within 10 s." },
  });
  expect(brokenAttempt(error, { ...circumstances, stage: "sent" })).toMatchObject({
    is: "lost",
    problem: { message: "No answer from https://review.example.com within 10 s." },
  });
});
