import { z } from "zod";

/** A JSON value in a specification, a call or a service's answer. */
export const Json: z.ZodType<Json> = z.json().meta({ id: "Json", description: "Any JSON." });
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [name: string]: Json | undefined;
}

/** Whether `value` is a plain object: neither null nor an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a JSON value is a list. */
export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** Whether JSON can express all of a value, so that writing and reading it gives the same value. */
export function isJsonObject(value: unknown): value is JsonObject {
  return isObject(value) && Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every(isJson);
}

function isJson(value: unknown): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      // JSON has no negative zero either.
      return Number.isFinite(value) && !Object.is(value, -0);
    default:
      // `every` would skip the holes of an array, which JSON writes as null.
      return value === null || (Array.isArray(value) ? [...value].every(isJson) : isJsonObject(value));
  }
}

/** The part of a plain value at a step; undefined if there is none. */
export function member(value: unknown, step: PropertyKey): unknown {
  if (Array.isArray(value)) return value[Number(step)];
  return isObject(value) && Object.hasOwn(value, step) ? value[String(step)] : undefined;
}

/** The value under a name of the object's own, so not under `constructor`, for example; undefined if there is none. */
export function own<Value>(values: Readonly<Record<string, Value>> | undefined, name: string): Value | undefined {
  return values !== undefined && Object.hasOwn(values, name) ? values[name] : undefined;
}

/** An object in which what could be undefined can be missing instead. */
type Defined<Members> = {
  [Name in keyof Members as undefined extends Members[Name] ? never : Name]: Members[Name];
} & { [Name in keyof Members as undefined extends Members[Name] ? Name : never]?: Exclude<Members[Name], undefined> };

/** Returns the members that are not undefined. A plan has no others, although its JSON would be the same with them. */
export function defined<const Members extends object>(members: Members): Defined<Members>;
export function defined(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/**
 * JSON text with the names of every object in code unit order and undefined members left out, so that equal values
 * have equal text whatever order they were built in.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) => (isObject(part) ? inNameOrder(part) : part));
}

function inNameOrder(part: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.keys(part)
      .sort()
      .map((name) => [name, part[name]]),
  );
}

/** Returns the values without repetitions of the same JSON. */
export function withoutRepeats<Value>(values: readonly Value[]): readonly Value[] {
  return [...new Map(values.map((value) => [canonicalJson(value), value])).values()];
}

/** Whether two values are the same JSON; the order of an object's names does not matter, that of an array does. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  // Most differences are between strings and booleans, which can be compared without writing them as JSON.
  if (isWord(a) && isWord(b)) return false;
  return canonicalJson(a) === canonicalJson(b);
}

function isWord(value: unknown): boolean {
  return typeof value === "string" || typeof value === "boolean";
}
