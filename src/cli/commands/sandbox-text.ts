import { pad, widest, wrap } from "../../reports/text/layout.ts";
import { type ScreenOptions, styleOf } from "../../reports/text/style.ts";

/** A service of the sandbox, as a workspace declares it. */
export interface ServedService {
  readonly name: string;
  readonly type: string;
  readonly url: string;
  /** Whether its one address is enough to reach all of it. */
  readonly isWhole: boolean;
}

/** Renders what the sandbox serves, and how to try it. */
export function renderServed(
  served: {
    readonly url: string;
    readonly services: readonly ServedService[];
    /** A netrc file with the account's credentials for every service. */
    readonly netrc: string;
    readonly account: { readonly username: string; readonly secret: string };
  },
  options: ScreenOptions,
): string {
  const { paint, width } = styleOf(options);
  const { url, services, netrc, account } = served;
  const names = widest(services, ({ name }) => name);
  const types = widest(services, ({ type }) => type);
  const tried = services.filter(({ isWhole }) => isWhole);
  const words = tried.map(({ name, type, url: at }) => `    --service ${name}=${type}:${at}`);
  return [
    ...wrap("The sandbox stands in for a company's services on this machine:", width),
    "",
    ...services.map(({ name, type, url: at }) => `  ${pad(name, names)}  ${pad(type, types)}  ${paint("bold", at)}`),
    "",
    ...wrap(
      `On every service, the user ${account.username} has the password or token ${account.secret}. In another terminal:`,
      width,
    ),
    "",
    `  export NETRC=${netrc}`,
    `  setpoint init try --yes --import \\`,
    words.join(" \\\n"),
    "  cd try && setpoint plan",
    "",
    ...wrap(`${url}/_sandbox/requests lists the requests. Ctrl-C stops the sandbox.`, width),
  ].join("\n");
}
