import type { Lab } from "../../support/lab.ts";
import { document } from "../../support/manifest.ts";

export const config = (text: string) => `<project><description>${text}</description></project>`;
export const job = (text: string) => document("JobConfig", { job: "nightly-checks", config: config(text) });
export const switched = document("ActionsPermission", { org: "meridian-kites", repo: "website", enabled: false });
export const group = (metadata = {}) => document("AnalysisGroup", { name: "newcomers" }, metadata);
export const all = job("new") + switched + group();

export const shown = (changes: readonly { readonly address: string; readonly action: string }[]) =>
  changes.map(({ address, action }) => `${action} ${address}`);

/** Returns a function that changes what the account of a lab may do. */
export const rights =
  ({ sandbox }: Lab, is: "reader" | "admin") =>
  () =>
    sandbox.change(({ accounts: [account] }) => {
      if (account !== undefined) account.rights = is;
    });

export const rule = (...groups: readonly string[]) =>
  document("AccessRule", {
    ...{ project: "platform/ui", ref: "refs/heads/old", permission: "push" },
    rules: groups.map((group) => ({ group })),
  });
