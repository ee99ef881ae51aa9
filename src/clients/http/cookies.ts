import { parseCookie } from "undici";
import type { Answer } from "./answer.ts";

/** Cookies of one origin, by name. */
export interface CookieJar {
  /** Keeps what an answer sets and drops what it expires. */
  store(answer: Answer, now: number): void;
  /** The header to send, if there is a cookie. */
  header(): { readonly cookie?: string };
}

export function cookieJar(): CookieJar {
  const cookies = new Map<string, string>();
  return {
    store(answer, now) {
      for (const line of [answer.headers["set-cookie"] ?? []].flat()) {
        const cookie = parseCookie(line);
        if (cookie === null) continue;
        const expired = cookie.maxAge === undefined ? Number(cookie.expires ?? Infinity) <= now : cookie.maxAge <= 0;
        if (expired) cookies.delete(cookie.name);
        else cookies.set(cookie.name, cookie.value);
      }
    },
    header: () =>
      cookies.size === 0 ? {} : { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
  };
}
