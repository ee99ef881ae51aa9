import { hash } from "node:crypto";
import { problemCodes } from "../../core/problem.ts";
import type { Place } from "../../core/resource.ts";
import { own } from "../../core/text/json.ts";
import { acknowledgementText } from "../acknowledged.ts";
import { type Finding, findingsOf } from "../findings.ts";
import { neutralJson } from "../neutral.ts";
import { repositoryPath } from "../places.ts";
import { visible } from "../text/style.ts";
import { commandOf, type RunResult } from "../text/summary.ts";

const schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/** What the verdicts mean. Problem codes have descriptions of their own. */
const verdictRules: Readonly<Record<string, string>> = {
  drift: "The service was changed, and the manifests were not.",
  conflict: "Both the service and the manifests were changed.",
  pending: "The manifests were changed, and an apply would change the service.",
  check: "The service differs in a way that only a person can close.",
  unknown: "The live state could not be read, or a call was not answered.",
};

/**
 * Renders the findings of a run as SARIF 2.1.0, at the lines of the manifests, for the host's code scanning. Fingerprints are by
 * address, so that an alert stays the same alert while lines move and values change.
 */
export function renderSarif(result: RunResult): string {
  const findings = findingsOf(result);
  const rules = [...new Set(findings.map(({ rule }) => rule))].sort();
  const indexOf = new Map(rules.map((rule, index) => [rule, index]));
  const { folder } = result;
  const log = {
    $schema: schema,
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "setpoint", rules: rules.map(ruleOf) } },
        automationDetails: { id: categoryOf(result) },
        columnKind: "utf16CodeUnits",
        results: findings.map((finding) => resultOf(finding, indexOf.get(finding.rule) ?? -1, folder)),
      },
    ],
  };
  return neutralJson(`${JSON.stringify(log, null, 2)}\n`);
}

/** Names the alerts that a host replaces by these: those of the same command, workspace and environment. */
function categoryOf(result: RunResult): string {
  const environment = "plan" in result ? result.plan.about.environment : result.environment;
  const parts = [commandOf(result), result.folder, environment === undefined ? undefined : `(${environment})`];
  return `setpoint/${parts.filter((part) => part !== undefined).join("/")}/`;
}

function ruleOf(rule: Finding["rule"]): object {
  const text = own<string>(problemCodes, rule) ?? verdictRules[rule] ?? rule;
  return { id: rule, shortDescription: { text } };
}

/** A result of the log. JSON leaves out its undefined members. */
function resultOf(finding: Finding, ruleIndex: number, folder: string | undefined): object {
  const { rule, level, message, place, other, address, field, risks = [], acknowledged } = finding;
  return {
    ruleId: rule,
    ruleIndex,
    level,
    // A message keeps its line ends; all other invisible characters are escaped.
    message: { text: message.split("\n").map(visible).join("\n") },
    locations: [
      {
        // Hosts refuse a result without a file, so findings without a place are placed in the workspace file.
        physicalLocation: physical(place ?? workspaceFile, folder),
        logicalLocations: address && [{ fullyQualifiedName: visible(address), kind: "resource" }],
      },
    ],
    relatedLocations: other && [{ id: 0, physicalLocation: physical(other, folder) }],
    partialFingerprints: fingerprintsOf(finding),
    suppressions: acknowledged && [
      { kind: "external", justification: visible(acknowledged.reason ?? acknowledgementText(acknowledged)) },
    ],
    properties: {
      address: address && visible(address),
      field: field && visible(field),
      risks: risks.length === 0 ? undefined : risks,
    },
  };
}

const workspaceFile: Place = { file: "setpoint.yaml", line: 1, column: 1 };

function physical({ file, line, column, length }: Place, folder: string | undefined): object {
  const uri = repositoryPath(file, folder).split("/").map(encodeSegment).join("/");
  return {
    artifactLocation: { uri, uriBaseId: "%SRCROOT%" },
    region: { startLine: line, startColumn: column, endColumn: length === undefined ? undefined : column + length },
  };
}

function encodeSegment(segment: string): string {
  return encodeURIComponent(segment.toWellFormed()).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  );
}

/** The fingerprints of a finding. GitHub identifies an alert by `primaryLocationLineHash`. */
function fingerprintsOf({ rule, address, field = "", message, place }: Finding): object {
  const about = address === undefined ? [rule, place?.file ?? "", message] : [address, field];
  const print = hash("sha256", JSON.stringify(about)).slice(0, 32);
  return { "setpoint/v1": print, primaryLocationLineHash: `${print}:1` };
}
