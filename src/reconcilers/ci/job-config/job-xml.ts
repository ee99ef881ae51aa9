import { inOrder } from "../../../core/text/words.ts";
import { escapeXml, readDocument, type XmlElement, type XmlNode } from "../../../core/text/xml.ts";

/**
 * Returns a document in canonical form, in which documents with the same meaning to the server have equal text: no
 * declaration, comments or processing instructions, and no actions of the job, which builds record; attributes sorted and
 * without `plugin`, in which the server records which version of a plugin wrote the element; CDATA and references as text;
 * no white space between elements and no lines of only white space in an element; empty elements in the short form. The
 * order of elements is significant. A document that is not well-formed is returned unchanged.
 */
export function canonicalXml(document: string): string {
  const root = configured(document);
  return root === undefined ? document : lines(root).join("\n");
}

/** Returns what a document configures; undefined if not well-formed. @see docs/facts.md, CI: What builds and plugins record */
function configured(document: string): XmlElement | undefined {
  const reading = readDocument(document);
  if (reading.is === "malformed") return undefined;
  const children = reading.root.children
    .filter((child) => child.is !== "element" || child.name !== "actions")
    // Its class in the document does not matter to the server, which leaves it out.
    .map((child) => (child.is === "element" && child.name === "triggers" ? { ...child, attributes: {} } : child));
  return withPipelineProperties({ ...reading.root, children });
}

/**
 * Removes from a live document what the server changed in the stated one; if anything changed, the result is canonical.
 * When the server saves a posted document, it adds omitted fields as empty, `false` or 0, drops those that it does not know, and
 * uses its own order of fields. A dropped field with a value stays a difference.
 * @see docs/facts.md, CI: `config.xml` is core
 */
export function withoutAdditions(live: string, stated: string): string {
  const [there, wanted] = [configured(live), configured(stated)];
  if (there === undefined || wanted === undefined) return live;
  const left = lines(pruned(there, wanted)).join("\n");
  return left === lines(there).join("\n") ? live : left;
}

/** Undoes what was added to and dropped from a live element. Elements of the same name are matched in order. */
function pruned(live: XmlElement, stated: XmlElement): XmlElement {
  const counterparts = Map.groupBy(elementsOf(stated), ({ name }) => name);
  const met = new Map<string, number>();
  const children = live.children.flatMap((child) => {
    if (child.is !== "element") return child;
    const named = counterparts.get(child.name);
    if (named === undefined) return saysNothing(child) ? [] : child;
    const index = met.get(child.name) ?? 0;
    met.set(child.name, index + 1);
    const counterpart = named[index];
    return counterpart === undefined ? child : pruned(child, counterpart);
  });
  // The first element in an entry of a map is its key.
  if (live.name === "entry") return { ...live, children };
  const fields = elementsOf(stated);
  // A text on its own is an entry of a list, and no field.
  const isDropped = (one: XmlElement) => one.name !== "string" && saysNothing(one) && !child(live, one.name);
  const dropped = areFields(fields) ? fields.filter(isDropped) : [];
  return { ...live, children: inStatedOrder([...children, ...dropped], fields) };
}

/** Returns the children of a live element with its fields in the stated order. Any other field follows its predecessor. */
function inStatedOrder(children: readonly XmlNode[], stated: readonly XmlElement[]): readonly XmlNode[] {
  const fields = children.filter((child) => child.is === "element");
  if (!areFields(fields) || !areFields(stated)) return children;
  const places = new Map(stated.map(({ name }, index) => [name, index]));
  let place = -1;
  const placed = fields.map((field) => {
    place = places.get(field.name) ?? place;
    return { field, place };
  });
  const ordered = placed.sort((a, b) => a.place - b.place).map(({ field }) => field);
  return [...children.filter((child) => child.is !== "element"), ...ordered];
}

/** Whether elements are the fields of an object. Entries of a list have a dot in their name, or share their name. */
function areFields(elements: readonly XmlElement[]): boolean {
  const names = new Set(elements.map(({ name }) => name));
  return names.size === elements.length && elements.every(({ name }) => !name.includes("."));
}

/** Classes whose objects have no meaning if they are empty. */
const emptyClass = /^(boolean|(empty-)?list|(java|hudson)\.util\.[\w.]+|hudson\.scm\.NullSCM)$/;

/** Whether an element is a field without a value. A name with a dot is a class: an entry of a list, such as a build step. */
function saysNothing(element: XmlElement): boolean {
  const { name, attributes } = element;
  if (name.includes(".") || Object.keys(attributes).some((key) => key !== "class" && key !== "plugin")) return false;
  if (attributes.class !== undefined && !emptyClass.test(attributes.class)) return false;
  const elements = elementsOf(element);
  // An entry of a map begins with its key.
  const values = name === "entry" ? elements.slice(1) : elements;
  return /^(false|0)?$/.test(textOf(element).trim()) && values.every(saysNothing);
}

function elementsOf({ children }: XmlElement): readonly XmlElement[] {
  return children.filter((child) => child.is === "element");
}

function lines(element: XmlElement): readonly string[] {
  const { name, attributes } = element;
  const stated = Object.entries(attributes)
    .filter(([key]) => key !== "plugin")
    .sort(([a], [b]) => inOrder(a, b))
    .map(([key, value]) => ` ${key}="${escapeXml(value, "attribute")}"`)
    .join("");
  const elements = elementsOf(element);
  const text = textOf(element);
  const said = text.trim() === "" && (elements.length > 0 || text.includes("\n")) ? "" : escapeXml(text, "content");
  if (elements.length === 0) return [said === "" ? `<${name}${stated}/>` : `<${name}${stated}>${said}</${name}>`];
  const inner = elements.flatMap(lines).map((line) => `  ${line}`);
  return [`<${name}${stated}>${said}`, ...inner, `</${name}>`];
}

/** Returns the text of an element. The server saves XML 1.1, in which two more characters are line ends. */
function textOf({ children }: XmlElement): string {
  const text = children.map((child) => (child.is === "text" || child.is === "cdata" ? child.text : "")).join("");
  return text.replace(/[\u0085\u2028]/g, "\n");
}

/** What a pipeline's document can state in a field of the job, and the server keeps as a property of it. */
const properties = "org.jenkinsci.plugins.workflow.job.properties";
const triggersProperty = `${properties}.PipelineTriggersJobProperty`;
const singleProperty = `${properties}.DisableConcurrentBuildsJobProperty`;

/** Fields of other types of job that jenkins-job-builder writes for a pipeline too: the server drops them. */
const foreign = /^(canRoam|blockBuildWhen(Down|Up)streamBuilding)$/;

/**
 * Returns a job with the old fields of a pipeline in their present form: when the server loads a job, it moves its
 * `triggers` and `concurrentBuild` to properties. Any other job is returned unchanged.
 * @see docs/facts.md, CI: the server moves two fields of a pipeline
 */
function withPipelineProperties(job: XmlElement): XmlElement {
  if (job.name !== "flow-definition") return job;
  const children = job.children.filter((node) => node.is !== "element" || !foreign.test(node.name));
  return movingConcurrency(movingTriggers({ ...job, children }));
}

function movingTriggers(job: XmlElement): XmlElement {
  const triggers = child(job, "triggers");
  if (triggers === undefined || !triggers.children.some(({ is }) => is === "element")) return job;
  return withProperty(without(job, triggers), triggersProperty, triggers);
}

/** A pipeline whose builds may run at the same time has no property, and a property that exists already stays as it is. */
function movingConcurrency(job: XmlElement): XmlElement {
  const field = child(job, "concurrentBuild");
  const said = field && textOf(field);
  if (field === undefined || (said !== "true" && said !== "false")) return job;
  const rest = without(job, field);
  const list = child(rest, "properties");
  const property = list && child(list, singleProperty);
  if (said === "false") return property === undefined ? withProperty(rest, singleProperty) : rest;
  return list === undefined ? rest : replacing(rest, list, without(list, property));
}

/** Returns a job with a property, in place of one of the same name, at the end of its properties. */
function withProperty(job: XmlElement, name: string, ...children: readonly XmlElement[]): XmlElement {
  const added = { is: "element", name, attributes: {}, children, start: job.start } as const;
  const list = child(job, "properties");
  if (list === undefined)
    return { ...job, children: [...job.children, { ...added, name: "properties", children: [added] }] };
  const others = without(list, child(list, name)).children;
  return replacing(job, list, { ...list, children: [...others, added] });
}

function child(element: XmlElement, name: string): XmlElement | undefined {
  return elementsOf(element).find((node) => node.name === name);
}

function without(parent: XmlElement, gone: XmlElement | undefined): XmlElement {
  return { ...parent, children: parent.children.filter((node) => node !== gone) };
}

function replacing(parent: XmlElement, old: XmlElement, by: XmlElement): XmlElement {
  return { ...parent, children: parent.children.map((node) => (node === old ? by : node)) };
}
