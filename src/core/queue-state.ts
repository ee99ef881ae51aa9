/** What a queue has of one service, as one version and one workspace know it. */
export interface QueueState {
  readonly service: string;
  /** Tells queues of one service apart: versions, or workspaces, that do not agree on it. */
  readonly queue: string;
  readonly workers: number;
  readonly waiting: number;
  readonly underWay: number;
  /** Results that are kept. */
  readonly done: number;
  /** Jobs that no worker will try again. */
  readonly failed: number;
}
