import { onTestFinished } from "vitest";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../src/sandbox/sandbox.ts";

/** Starts a sandbox that ends with the test. */
export async function sandboxForTest(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** An answer that has been read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Sends one request and reads the answer. */
export async function ask(url: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Returns the `Authorization` header of basic authentication. */
export function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

/** Accounts: Ada is an administrator, Rex a reader and Max an ordinary user; each secret is the name in capitals. */
export const accounts = [
  { username: "ada", name: "Ada", secret: "ADA", rights: "admin" as const },
  { username: "rex", name: "Rex", secret: "REX", rights: "reader" as const },
  { username: "max", name: "Max", secret: "MAX", rights: "member" as const },
];
