import { once } from "node:events";
import { createServer } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { isMocking, mockHttp } from "../support/http-mock.ts";

/** The answer of a server on this machine. */
async function answerOfServer(): Promise<string> {
  const server = createServer((_request, response) => response.end("real")).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return (await fetch(`http://127.0.0.1:${port}/`)).text();
}

test("importing the mock alone does not keep requests from the network", async () => {
  expect([isMocking(), await answerOfServer()]).toEqual([false, "real"]);
});

describe("while answers are mocked", () => {
  const mock = mockHttp();

  test("requests get the prepared answers", async () => {
    mock("http://wiki.example.com").get("/").reply(200, "mocked");
    const answer = await fetch("http://wiki.example.com/");
    expect([isMocking(), await answer.text()]).toEqual([true, "mocked"]);
  });
});

test("the next file of the worker reaches real servers", async () => {
  expect([isMocking(), await answerOfServer()]).toEqual([false, "real"]);
});
