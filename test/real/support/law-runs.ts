/** How often a law is tried on a real server, and from which seed; `SETPOINT_LAW_RUNS` and `SETPOINT_SEED` choose others. */
export function lawRuns(numRuns: number, seed = 1): { readonly numRuns: number; readonly seed: number } {
  const { SETPOINT_LAW_RUNS = numRuns, SETPOINT_SEED = seed } = process.env;
  return { numRuns: Number(SETPOINT_LAW_RUNS), seed: Number(SETPOINT_SEED) };
}
