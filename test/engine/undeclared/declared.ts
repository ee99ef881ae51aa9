import type { Resource } from "../../../src/core/resource.ts";

export const place = { file: "", line: 1, column: 1 };
export const declared: Resource = {
  address: "one/AnalysisUser/ours",
  service: "one",
  role: "analysis",
  kind: "AnalysisUser",
  key: "ours",
  scope: "users",
  metadata: { labels: {}, protect: false, ignore: [], state: "present" },
  place,
  spec: { name: "ours" },
};
