/** A refused request, not yet in the words of the service: without a message the service has its own for the status. */
export class Refusal extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Further facts of the error, for services whose errors carry some. */
  readonly details: unknown;
  constructor(status: number, message?: string, headers: Readonly<Record<string, string>> = {}, details?: unknown) {
    super(message ?? "");
    this.name = "Refusal";
    this.status = status;
    this.headers = headers;
    this.details = details;
  }
}
