import { shellWord } from "../../core/text/words.ts";
import type { PreparedFile } from "../../engine/new-workspace.ts";
import type { NewService } from "../../manifests/new-workspace/new-service.ts";
import { legend } from "../../reports/meanings.ts";
import { pad, widest, wrap } from "../../reports/text/layout.ts";
import { type ScreenOptions, styleOf, visible } from "../../reports/text/style.ts";

/** A service, with the names of its credentials. */
export interface Described extends NewService {
  /** The variable that ties the credentials to the address. */
  readonly urlVariable: string;
  /** Sets of variables, the preferred one first. One set is also needed. */
  readonly credentials: readonly (readonly string[])[];
  /** Where to create the secret of an account. */
  readonly source: string;
  /** Whether there are credentials in the environment or a netrc file. */
  readonly hasCredentials: boolean;
}

const glyphs = { created: "+", extended: "~", kept: " " } as const;
const meanings = { created: "create", extended: "update", kept: "aside" } as const;

/** What happened to each file. */
export function renderFiles(files: readonly PreparedFile[], options: ScreenOptions): string {
  const { paint } = styleOf(options);
  return files
    .map(({ file, is }) => paint(legend[meanings[is]].paint, `  ${glyphs[is]} ${pad(is, 8)}  ${file}`))
    .join("\n");
}

/** The variables to set for the services without credentials, ready to paste, and where to create the secrets. */
export function renderCredentials(services: readonly Described[], options: ScreenOptions): string {
  const { paint, width } = styleOf(options);
  const missing = services.filter(({ hasCredentials }) => !hasCredentials);
  if (missing.length === 0) return "";
  const intro = "Set the credentials in your shell or in the pipeline, never in a file of the repository:";
  return [
    ...wrap(intro, width),
    ...missing.flatMap(({ name, type, url, urlVariable, credentials: [first = [], ...others], source }) => [
      "",
      paint("bold", `${name} (${type})`),
      `  export ${urlVariable}=${visible(shellWord(url))}`,
      ...first.map((variable) => `  export ${variable}=`),
      ...others.map((variables) => `  # or ${variables.join(" and ")}${variables.length === 1 ? " alone" : ""}`),
      ...wrap(`made in: ${source}`, width, "  # ", "  #   "),
    ]),
  ].join("\n");
}

/** What to type next. */
export function renderNext(
  state: {
    readonly folder: string;
    readonly services: readonly Described[];
    readonly imported: boolean;
    /** Whether every service has just been examined, and nothing is wrong. */
    readonly isWell: boolean;
    /** Whether the schemas that the editors' settings name are installed. */
    readonly hasSchemas: boolean;
  },
  options: ScreenOptions,
): string {
  const { folder, services, imported, isWell, hasSchemas } = state;
  const importable = (services.find(({ hasCredentials }) => hasCredentials) ?? services[0])?.name;
  const steps = [
    ...(folder === "." ? [] : [[`cd ${visible(shellWord(folder))}`, ""]]),
    ...(hasSchemas ? [] : [["npm install --save-dev setpoint", "editors read its schemas"]]),
    ...(isWell ? [] : [["setpoint doctor", "can they be reached, and who am I there?"]]),
    ...(imported || importable === undefined
      ? []
      : [[`setpoint import ${importable}`, "write the first manifests, from what exists"]]),
    ["setpoint plan", "what an apply would do; only reads"],
  ];
  const { paint } = styleOf(options);
  const commands = widest(steps, ([command = "", why]) => (why === "" ? "" : command));
  return [
    "Next:",
    ...steps.map(([command = "", why = ""]) =>
      why === "" ? `  ${command}` : `  ${pad(command, commands)}  ${paint("dim", `# ${why}`)}`,
    ),
  ].join("\n");
}
