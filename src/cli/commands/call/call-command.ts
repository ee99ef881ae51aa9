import { Command, CommanderError, Help, Option } from "commander";
import { withoutPage } from "../../../core/beyond.ts";
import type { Operation } from "../../../core/operation.ts";
import { ProblemError } from "../../../core/problem.ts";
import type { Json, JsonObject } from "../../../core/text/json.ts";
import { alternativesOf, itemSchema, type Schema } from "../../../core/text/json-schema.ts";
import { shellWord } from "../../../core/text/words.ts";
import { commanderSentence } from "../../help.ts";
import { addCallOptions } from "../../options/options.ts";
import { type ArgumentOption, argumentOptions, argumentValue, flagOf } from "./call-arguments.ts";

export interface CalledOperation {
  readonly service: string;
  readonly name: string;
  readonly operation: Operation;
}

/** Reads the arguments from the options after `setpoint call <service> <operation>`. Throws `ProblemError` SP5001. */
export function readArguments(called: CalledOperation, words: readonly string[]): JsonObject {
  const options = shownOptions(called.operation);
  const command = commandOf(called);
  try {
    command.parse(words, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const { service, name } = called;
    throw wrongCall(commanderSentence(error.message), `setpoint call ${service} ${name} --help shows the arguments.`);
  }
  return Object.fromEntries(
    options.flatMap(({ argument, option }) => {
      const texts: unknown = command.getOptionValue(option.attributeName());
      return Array.isArray(texts) ? [[argument.name, argumentValue(argument, texts.map(String))]] : [];
    }),
  );
}

/** The least room in columns for descriptions beside the arguments; with less, they are below. */
const narrowest = 28;

const usual = new Help();

/** The help of an operation: what it does, every argument, and an example. */
export function operationHelp(called: CalledOperation, width: number): string {
  let text = "";
  const { operation } = called;
  commandOf(called)
    .description(`${operation.summary}\n\n${facts(operation).join("\n")}`)
    .configureHelp({
      helpWidth: width,
      minWidthToWrap: narrowest,
      formatItem(term, termWidth, description, help) {
        if (width - termWidth >= narrowest + 4) return usual.formatItem.call(help, term, termWidth, description, help);
        return `  ${term}\n${help.boxWrap(description, width - 6)}`.replaceAll("\n", "\n      ");
      },
      visibleOptions: ({ options }) => options.filter(({ helpGroupHeading }) => helpGroupHeading === argumentsHeading),
      optionDescription: ({ description }) => description,
    })
    .configureOutput({
      writeOut: (part) => {
        text += part;
      },
      getOutHasColors: () => false,
    })
    .addHelpText("after", `\nExample:\n  ${example(called, width)}\n\nOptions of every call: setpoint call --help.`)
    .outputHelp();
  return text;
}

function facts({ effect, method, path, product, ext, paging }: Operation): readonly string[] {
  return [
    `${effect}  ${method} ${path}`,
    ...(product === undefined ? [] : [`under wire: product  ${method} ${product}`]),
    ...(ext === undefined ? [] : [`not in the API documents: ${withoutPage(ext)}`]),
    ...(paging?.cap === undefined
      ? []
      : [`one page if ${flagOf(paging.cap)} is given; all pages without it, or with --page-all`]),
  ];
}

function commandOf({ service, name, operation }: CalledOperation): Command {
  const command = addCallOptions(new Command(`setpoint call ${service} ${name}`))
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  for (const { option } of shownOptions(operation)) command.addOption(option);
  return command;
}

function shownOptions(operation: Operation) {
  return argumentOptions(operation).map((argument) => ({ argument, option: optionOf(operation, argument) }));
}

function optionOf(operation: Operation, argument: ArgumentOption): Option {
  const { flag, types, schema } = argument;
  const isSecret = operation.secrets?.includes(argument.name) === true;
  const value = types.has("boolean") ? "[true|false]" : `<${isSecret ? "reference" : valueWords(argument)}>`;
  const says = [
    schema.description ?? "",
    isSecret ? "A reference to a secret: ${env:NAME} or ${file:path}." : "",
    typeof schema.ext === "string" ? `Not in the API documents: ${withoutPage(schema.ext)}.` : "",
    `(${presence(argument)}${argument.entryTypes.size > 0 ? ", repeatable" : ""})`,
  ];
  return new Option(`${flag} ${value}`, says.filter((part) => part !== "").join(" "))
    .preset("true")
    .argParser((text, before: readonly string[] | undefined) => [...(before ?? []), text])
    .helpGroup(argumentsHeading);
}

const argumentsHeading = "Arguments:";

function presence({ required, schema }: ArgumentOption): string {
  if (required) return "required";
  return schema.default === undefined ? "optional" : `default: ${textOf(schema.default)}`;
}

/** The most alternatives that fit in front of a description. */
const mostChoices = 4;

/** The placeholder of a value in help, such as `text`, `text|json` or `all|selected`. */
function valueWords({ schema, types, entryTypes }: ArgumentOption): string {
  const choices = schema.const === undefined ? schema.enum : [schema.const];
  if (choices !== undefined && choices.length <= mostChoices) return choices.map(textOf).join("|");
  const all = [...types, ...entryTypes].map((type) => (type === "string" ? "text" : type === "number" ? type : "json"));
  return [...new Set(all)].join("|");
}

/** The problem of a call as it is typed. */
export function wrongCall(message: string, hint: string): ProblemError {
  return new ProblemError({ code: "SP5001", message, hint });
}

/** A call with every required argument. Words in capitals are placeholders. */
function example({ service, name, operation }: CalledOperation, width: number): string {
  const words = shownOptions(operation)
    .filter(({ argument }) => argument.required)
    .map(({ argument: { flag, schema, name: argument } }) => `${flag} ${shellWord(textOf(sample(schema, argument)))}`);
  const secretFile = operation.yields === undefined ? [] : ["--secret-file FILE"];
  const parts = [`setpoint call ${service} ${name}`, ...words, ...secretFile];
  const line = parts.join(" ");
  return line.length <= width - 2 ? line : parts.join(" \\\n    ");
}

/** A simple value for a schema, or a placeholder in capitals. */
function sample(schema: Schema, name: string): Json {
  const [branch = schema] = alternativesOf(schema, schema);
  const [choice] = branch.const === undefined ? (branch.enum ?? []) : [branch.const];
  if (choice !== undefined) return choice;
  switch (branch.type) {
    case "integer":
    case "number":
      return branch.minimum !== undefined && branch.minimum > 0 ? branch.minimum : 1;
    case "boolean":
      return true;
    case "array": {
      const entry = itemSchema(branch);
      return entry === undefined ? [] : sample(entry, name);
    }
    case "object":
      return sampleObject(branch);
    default:
      return name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toUpperCase();
  }
}

function sampleObject({ properties = {}, required = [] }: Schema): JsonObject {
  return Object.fromEntries(
    required.map((name) => {
      const schema = properties[name];
      const below = typeof schema === "object" ? schema : {};
      return [name, below.type === "array" ? [sample(below, name)] : sample(below, name)];
    }),
  );
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
