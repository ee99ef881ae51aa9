import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Ajv, type ValidateFunction } from "ajv";
import { isObject } from "../../src/core/text/json.ts";

/** An operation in the published document of the code hosting service. */
export interface PublishedOperation {
  readonly method: string;
  /** The path with `{}` for each argument. */
  readonly path: string;
  readonly required: readonly string[];
  /** Validators of the query's parameters, each given the value as it was sent. */
  readonly query: Readonly<Record<string, (text: string) => boolean>>;
  /** Validates a request's body; undefined if the operation takes none. */
  readonly body: ValidateFunction | undefined;
  /** The published choices of an argument, in the query or the body. */
  readonly choices: Readonly<Record<string, readonly unknown[]>>;
  /** Returns the validator of an answer: undefined if the status is not published, null if its answer has no JSON. */
  answer(status: number): ValidateFunction | null | undefined;
  /** Published examples of successful answers. */
  readonly examples: readonly unknown[];
}

type Node = Readonly<Record<string, unknown>>;

const require = createRequire(import.meta.url);
const file = require.resolve("@octokit/openapi/generated/api.github.com.json");
const document = object(withNullAlternatives(JSON.parse(readFileSync(file, "utf8"))));
// Formats are not validated: some of the service's URLs are templates, whatever the document says.
const ajv = new Ajv({ strict: false, validateFormats: false, validateSchema: false, allErrors: true });
ajv.addSchema({ paths: document.paths, components: document.components }, "openapi");

/** Returns the validator of a schema of the document. */
export function publishedSchema(name: string): ValidateFunction {
  return compile("components", "schemas", name);
}

/** Finds an operation by its id. Throws if the document has none. */
export function publishedOperation(id: string): PublishedOperation {
  for (const [path, methods] of Object.entries(object(document.paths)))
    for (const [method, operation] of Object.entries(object(methods)))
      if (isObject(operation) && operation.operationId === id) return described(path, method, operation);
  throw new Error(`no published operation ${id}`);
}

function described(path: string, method: string, operation: Node): PublishedOperation {
  const at = ["paths", path, method] as const;
  const parameters = list(operation.parameters)
    .map(resolved)
    .filter((parameter) => parameter.in === "query");
  const requestBody = isObject(operation.requestBody) ? jsonContent(operation.requestBody) : undefined;
  const bodySchema = requestBody === undefined ? {} : resolved(requestBody.schema);
  const properties = isObject(bodySchema.properties) ? bodySchema.properties : {};
  const responses = object(operation.responses);
  const schemas = [
    ...parameters.map((parameter): [string, unknown] => [String(parameter.name), parameter.schema]),
    ...Object.entries(properties),
  ];
  return {
    method: method.toUpperCase(),
    path: path.replace(/\{[^}]*\}/g, "{}"),
    required: [
      ...parameters.filter((parameter) => parameter.required === true).map((parameter) => String(parameter.name)),
      ...list(bodySchema.required).map(String),
    ],
    query: Object.fromEntries(parameters.map(({ name, schema }) => [String(name), textValidator(resolved(schema))])),
    body:
      requestBody === undefined ? undefined : compile(...at, "requestBody", "content", "application/json", "schema"),
    choices: Object.fromEntries(
      schemas.flatMap(([name, schema]) => {
        const { enum: choices } = resolved(schema);
        return Array.isArray(choices) ? [[name, choices]] : [];
      }),
    ),
    answer(status) {
      const response = responses[status];
      if (response === undefined) return undefined;
      if (jsonContent(resolved(response)) === undefined) return null;
      const direct = isObject(response) && typeof response.$ref === "string" ? response.$ref.split("/").slice(1) : [];
      const where = direct.length > 0 ? direct : [...at, "responses", String(status)];
      return compile(...where, "content", "application/json", "schema");
    },
    examples: Object.entries(responses)
      .filter(([status]) => status.startsWith("2"))
      .flatMap(([, response]) => {
        const content = jsonContent(resolved(response));
        return Object.values(isObject(content?.examples) ? content.examples : {}).map(
          (example) => resolved(example).value,
        );
      }),
  };
}

/** Returns the validator of a query's value, in which numbers and booleans are strings. */
function textValidator(schema: Node): (text: string) => boolean {
  const validate = ajv.compile(schema);
  return (text) => {
    const isText = schema.type === "string";
    return validate(isText ? text : JSON.parse(text));
  };
}

function compile(...path: readonly string[]): ValidateFunction {
  const pointer = path.map((step) => encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/");
  return ajv.compile({ $ref: `openapi#/${pointer}` });
}

function jsonContent({ content }: Node): Node | undefined {
  const json = isObject(content) ? content["application/json"] : undefined;
  return isObject(json) ? json : undefined;
}

/** Returns the node itself, or the node to which its reference points. */
function resolved(node: unknown): Node {
  const { $ref } = object(node);
  if (typeof $ref !== "string") return object(node);
  return object(
    $ref
      .split("/")
      .slice(1)
      .reduce<unknown>((inner, step) => object(inner)[step], document),
  );
}

/** Replaces `nullable` beside anything but a type, which only this document's version of OpenAPI knows. */
function withNullAlternatives(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withNullAlternatives);
  if (!isObject(node)) return node;
  const inner = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, withNullAlternatives(value)]));
  if (inner.nullable !== true) return inner;
  const { nullable: _nullable, ...schema } = inner;
  return { anyOf: [schema, { type: "null" }] };
}

function object(value: unknown): Node {
  if (isObject(value)) return value;
  throw new Error(`expected an object, got ${JSON.stringify(value)}`);
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
