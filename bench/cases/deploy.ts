import { randomBytes } from "node:crypto";
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Case } from "../harness/case.ts";
import { whyMissing } from "../harness/programs.ts";
import { checksumAndSend } from "../harness/references.ts";
import { ratio } from "../harness/statistics.ts";
import { token, used } from "../harness/workspace.ts";

const megabyte = 1024 * 1024;

const alone = "curl -T";
const withChecksum = "openssl dgst and curl -T";

/** A large file on its way to a service. */
export const deploy: Case = {
  name: "deploy",
  title: "Deploying 1 GB",
  how: "`apply` of one `DeployedFile` of 1 GB: its checksums are computed, it is sent, and what the service then says of it is read, against `curl -T`, which only sends it; against `curl -T` with the SHA-256 that `openssl` computes, as a script would do it; and against a program that does the same with undici. The service takes the file and keeps nothing.",
  async prepare(context) {
    const megabytes = context.isQuick ? 100 : 1024;
    const service = await context.fake("bench/fake/artifacts.ts");
    const cwd = join(context.folder, "artifacts");
    mkdirSync(join(cwd, "manifests"), { recursive: true });
    writeFileSync(
      join(cwd, "setpoint.yaml"),
      `version: 1\nservices:\n  artifacts: { type: artifactory, url: "${service.url}", limits: { timeout: 120s } }\nmanifests: [manifests/*.yaml]\n`,
    );
    writeFileSync(
      join(cwd, "manifests/file.yaml"),
      "kind: DeployedFile\nspec:\n  repo: libs\n  path: large.bin\n  source: large.bin\n",
    );
    const file = join(cwd, "manifests/large.bin");
    writeRandom(file, megabytes);
    const env = { SETPOINT_ARTIFACTS_TOKEN: token, SETPOINT_ARTIFACTS_URL: service.url };
    const send = 'curl -sS -T "$1" "$2"';
    const checksum = `$(openssl dgst -sha256 -r "$1" | cut -d ' ' -f 1)`;
    const scripts = [
      { name: alone, script: send, why: whyMissing("curl") },
      {
        name: withChecksum,
        script: `${send} -H "X-Checksum-Sha256: ${checksum}"`,
        why: whyMissing("curl") ?? whyMissing("openssl"),
      },
    ];
    return {
      is: "ready",
      rounds: context.isQuick ? 2 : 3,
      sides: [
        {
          name: "setpoint apply",
          async run() {
            await service.reset();
            rmSync(join(cwd, ".setpoint"), { recursive: true, force: true });
            return used(await context.setpoint(["apply", "--yes"], { cwd, env }));
          },
        },
        {
          name: "checksum and undici alone",
          run: () => checksumAndSend(context, file, `${service.url}/libs/alone.bin`),
        },
        ...scripts.flatMap(({ name, script, why }) => {
          const command = ["sh", "-c", script, "sh", file, `${service.url}/libs/curl.bin`];
          return why === undefined ? [{ name, run: async () => used(await context.run({ command, cwd })) }] : [];
        }),
      ],
      verdicts: (of) => [
        {
          what: "processor time, of curl's",
          value: ratio(of("setpoint apply", "processor"), of(alone, "processor")),
          unit: "times",
          target: { is: "at most", value: 3 },
        },
        {
          what: "processor time, of curl's and openssl's",
          value: ratio(of("setpoint apply", "processor"), of(withChecksum, "processor")),
          unit: "times",
        },
        {
          what: "curl's and openssl's processor time, of curl's",
          value: ratio(of(withChecksum, "processor"), of(alone, "processor")),
          unit: "times",
        },
        {
          what: "processor time, of checksum and undici alone",
          value: ratio(of("setpoint apply", "processor"), of("checksum and undici alone", "processor")),
          unit: "times",
        },
        {
          what: "memory",
          value: of("setpoint apply", "memory"),
          unit: "bytes",
          target: { is: "at most", value: 120e6 },
        },
      ],
      gaps: scripts.flatMap(({ name, why }) => (why === undefined ? [] : [{ what: name, why }])),
    };
  },
};

function writeRandom(path: string, megabytes: number): void {
  const block = randomBytes(megabyte);
  const file = openSync(path, "w");
  for (let written = 0; written < megabytes; written++) writeSync(file, block);
  closeSync(file);
}
