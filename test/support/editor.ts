import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  CodeLensRequest,
  type CompletionItem,
  CompletionRequest,
  ConfigurationRequest,
  createProtocolConnection,
  type Diagnostic,
  DidOpenTextDocumentNotification,
  HoverRequest,
  InitializedNotification,
  InitializeRequest,
  MarkupContent,
  PublishDiagnosticsNotification,
  RegistrationRequest,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver-protocol/node";
import { editorFiles } from "../../src/manifests/new-workspace/new-files.ts";
import { temporaryFolder } from "./commands.ts";

const root = join(import.meta.dirname, "../..");

/** A workspace that is open in the YAML language server, with the settings that `init` writes. */
export interface Editor extends AsyncDisposable {
  /** Returns the errors that the server marks in a text, as `line: message`. */
  mistakes(text: string, path?: string): Promise<readonly string[]>;
  /** Returns the completions that the server offers at the `|` in a text. */
  offers(text: string, path?: string): Promise<readonly CompletionItem[]>;
  /** Returns what the server says about the word that contains a `|`. */
  hover(text: string): Promise<string>;
  /** The hosts to which the server tried to connect. */
  readonly asked: readonly string[];
}

export interface EditorOptions {
  /** The package that is installed in the workspace; by default this checkout. */
  readonly installed?: string;
  /** Settings in place of those of `init`. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** Refuses every connection of the server, and records its target. */
const refusal = `require("node:net").Socket.prototype.connect = (options) => {
  require("node:fs").appendFileSync(process.env.ASKED, options.host + "\\n");
  throw new Error("There is no network.");
};
`;

/** Opens an editor on an empty workspace. Each text is a separate file, in a new folder for the `*` of its path. */
export async function openEditor({ installed = root, settings }: EditorOptions = {}): Promise<Editor> {
  const folder = await temporaryFolder();
  await folder.write("refusal.cjs", refusal);
  await mkdir(join(folder.path, "node_modules"));
  await symlink(installed, join(folder.path, "node_modules/setpoint"));
  const [settingsFile] = editorFiles(["manifests/**/*.yaml"], "node_modules/setpoint/schema");
  const configured = { ...JSON.parse(settingsFile?.content ?? "{}"), ...settings };
  const asked = join(folder.path, "asked");
  const server = spawn(
    process.execPath,
    [
      ...["--require", join(folder.path, "refusal.cjs")],
      join(root, "node_modules/yaml-language-server/bin/yaml-language-server"),
      "--stdio",
    ],
    { env: { PATH: process.env.PATH, ASKED: asked }, stdio: ["pipe", "pipe", "inherit"] },
  );
  const ended = once(server, "exit");
  const connection = createProtocolConnection(
    new StreamMessageReader(server.stdout),
    new StreamMessageWriter(server.stdin),
  );
  const awaited = new Map<string, (found: readonly Diagnostic[]) => void>();
  connection.onNotification(PublishDiagnosticsNotification.type, ({ uri, diagnostics }) =>
    awaited.get(uri)?.(diagnostics),
  );
  connection.onRequest(ConfigurationRequest.type, ({ items }) =>
    items.map(({ section = "" }) => sectionOf(configured, section)),
  );
  connection.onRequest(RegistrationRequest.type, () => {});
  connection.listen();
  const workspace = pathToFileURL(folder.path).href;
  await connection.sendRequest(InitializeRequest.type, {
    processId: process.pid,
    rootUri: workspace,
    workspaceFolders: [{ uri: workspace, name: "workspace" }],
    capabilities: {
      workspace: { configuration: true, didChangeConfiguration: { dynamicRegistration: true }, workspaceFolders: true },
      textDocument: {
        completion: { completionItem: { snippetSupport: true, documentationFormat: ["markdown"] } },
        hover: { contentFormat: ["markdown"] },
      },
    },
  });
  await connection.sendNotification(InitializedNotification.type, {});

  let opened = 0;
  async function open(path: string, text: string) {
    opened += 1;
    const uri = pathToFileURL(join(folder.path, path.replace("*", String(opened)))).href;
    const found = new Promise<readonly Diagnostic[]>((resolve) => awaited.set(uri, resolve));
    await connection.sendNotification(DidOpenTextDocumentNotification.type, {
      textDocument: { uri, languageId: "yaml", version: 1, text },
    });
    return { uri, found };
  }
  async function at(path: string, text: string) {
    const before = text.slice(0, text.indexOf("|")).split("\n");
    const { uri } = await open(path, text.replace("|", ""));
    const position = { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
    return { textDocument: { uri }, position };
  }
  async function offers(text: string, path = "manifests/*/a.yaml") {
    const answer = await connection.sendRequest(CompletionRequest.type, await at(path, text));
    if (answer === null) return [];
    return "items" in answer ? answer.items : answer;
  }
  // This request, unlike others, is answered only after the settings have been read.
  await connection.sendRequest(CodeLensRequest.type, { textDocument: { uri: workspace } });

  return {
    offers,
    async mistakes(text, path = "manifests/*/a.yaml") {
      const { found } = await open(path, text);
      return (await found).map(({ range, message }) => `${range.start.line + 1}: ${message}`);
    },
    async hover(text) {
      const answer = await connection.sendRequest(HoverRequest.type, await at("manifests/*/a.yaml", text));
      return MarkupContent.is(answer?.contents) ? answer.contents.value : "";
    },
    get asked() {
      return existsSync(asked) ? readFileSync(asked, "utf8").trim().split("\n") : [];
    },
    async [Symbol.asyncDispose]() {
      connection.dispose();
      server.kill();
      await ended;
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Returns a section of the settings as editors do: for `yaml.schemaStore.enable`, `yaml` is `{ schemaStore: { enable } }`. */
function sectionOf(settings: Readonly<Record<string, unknown>>, section: string): Readonly<Record<string, unknown>> {
  const own = Object.entries(settings).filter(([name]) => name.startsWith(`${section}.`));
  const members = own.map(([name, value]): readonly [string, unknown] => {
    const [first = "", second] = name.slice(section.length + 1).split(".");
    return [first, second === undefined ? value : { [second]: value }];
  });
  return Object.fromEntries(members);
}
