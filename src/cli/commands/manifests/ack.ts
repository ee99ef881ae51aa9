import { defined } from "../../../core/text/json.ts";
import { counted } from "../../../core/text/words.ts";
import { filePatch, renderFileDiff } from "../../../reports/file-diff.ts";
import { wrap } from "../../../reports/text/layout.ts";
import { type ExitCode, exitCodes } from "../../exit.ts";
import { type ManifestOptions, openFrom } from "../../options/options.ts";
import { failWith, openOutput, show } from "../../terminal/output.ts";

/** Options of `setpoint ack`, whose arguments are addresses. */
export interface AckOptions extends ManifestOptions {
  readonly until: string;
  readonly reason: string;
  readonly field: readonly string[];
  readonly by?: string;
  readonly dryRun: boolean;
}

/** `setpoint ack`: writes acknowledgements into manifests. Sends no request. Throws what `Acknowledging.write` throws. */
export async function ack(addresses: readonly string[], options: AckOptions): Promise<ExitCode> {
  const output = openOutput(options);
  const { until, reason, field: fields, by, dryRun } = options;
  const named = fields.length === 0 ? undefined : [...new Set(fields)];
  const acknowledgement = defined({ fields: named, until, reason, by });
  const done = await openFrom(options).acknowledge({ addresses, acknowledgement });
  if (done.is === "wrong") return failWith(output, done, "Nothing was written.");
  if (!dryRun) await done.write();
  const files = done.files.map((file) => ({ file: file.file, diff: filePatch(file) }));
  const resources = counted(done.addresses.length, "resource");
  const said =
    files.length === 0
      ? `Nothing was written: ${resources} already acknowledged like this until ${until}.`
      : `${dryRun ? "Nothing was written. To acknowledge: " : "Acknowledged "}${resources} until ${until}, in ${counted(files.length, "file")}.`;
  show(output, { written: !dryRun && files.length > 0, files, acknowledged: done.addresses }, () =>
    [...done.files.map((file) => renderFileDiff(file, output)), ...wrap(said, output.width)].join("\n"),
  );
  return exitCodes.ok;
}
