/** The state of a queue for one service, as one version and one workspace see it. */
export interface QueueState {
  readonly service: string;
  /** Distinguishes the queues of one service: those of versions, or workspaces, that do not agree on it. */
  readonly queue: string;
  readonly workers: number;
  readonly waiting: number;
  readonly underWay: number;
  /** Results that are kept. */
  readonly done: number;
  /** Jobs that no worker will try again. */
  readonly failed: number;
}
