import { confirm, isCancel, multiselect, text, updateSettings } from "@clack/prompts";
import type { ServiceDescriptor } from "../../clients/service.ts";
import { addressMistake, addressOf, type NewService, nameMistake } from "../../manifests/new-workspace/new-service.ts";

interface Asking {
  readonly signal: AbortSignal;
  readonly color: boolean;
}

// Ctrl-D ends the input: without this, a question would never be answered, and the run would end as if it had succeeded.
updateSettings({ aliases: { "\u0004": "cancel" } });

/** Turns off the colours of the library, which reads only the environment. */
function paintBy(color: boolean): void {
  if (!color) process.env.NO_COLOR = "1";
}

/** Asks which services a workspace has, and for the name and address of each. Undefined after Ctrl-C, Ctrl-D or Escape. */
export async function askServices(
  types: readonly ServiceDescriptor[],
  { signal, color }: Asking,
): Promise<readonly NewService[] | undefined> {
  paintBy(color);
  const ask = { signal, withGuide: false };
  const products = types.flatMap((one) => one.types.map((type) => ({ value: type, label: type, hint: one.role })));
  const chosen = await multiselect({
    ...ask,
    message: "Which products should setpoint manage? Space selects, Enter continues.",
    options: products,
    required: true,
    showInstructions: false,
  });
  if (isCancel(chosen)) return undefined;
  const services: NewService[] = [];
  for (const type of chosen) {
    const descriptor = types.find((one) => one.types.includes(type));
    const taken = services.map((service) => service.name);
    const name = await text({
      ...ask,
      message: `Name of the ${type} service, with which its addresses begin:`,
      initialValue: descriptor?.role ?? type,
      validate: (given) => nameMistake(given ?? "", taken),
    });
    if (isCancel(name)) return undefined;
    const address = await text({
      ...ask,
      message: `URL of ${name} (${type}):`,
      ...(descriptor?.hosted === undefined ? {} : { initialValue: descriptor.hosted }),
      placeholder: `https://${name}.example.com`,
      validate: (given) => addressMistake(given ?? ""),
    });
    if (isCancel(address)) return undefined;
    services.push({ name, type, url: addressOf(address) });
  }
  return services;
}

/** Asks whether to import what a service has. Ctrl-C, Ctrl-D and Escape are a no. */
export async function askImport(service: string, { signal, color }: Asking): Promise<boolean> {
  paintBy(color);
  const answer = await confirm({
    signal,
    withGuide: false,
    message: `Write manifests for what ${service} has now?`,
    initialValue: true,
  });
  return answer === true;
}
