import type { XmlElement } from "../../../core/text/xml.ts";

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
export function withPipelineProperties(job: XmlElement): XmlElement {
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
  const said = field?.children.map((node) => ("text" in node ? node.text : "")).join("");
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

function child({ children }: XmlElement, name: string): XmlElement | undefined {
  return children.filter((node) => node.is === "element").find((node) => node.name === name);
}

function without(parent: XmlElement, gone: XmlElement | undefined): XmlElement {
  return { ...parent, children: parent.children.filter((node) => node !== gone) };
}

function replacing(parent: XmlElement, old: XmlElement, by: XmlElement): XmlElement {
  return { ...parent, children: parent.children.map((node) => (node === old ? by : node)) };
}
