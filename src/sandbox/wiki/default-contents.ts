import type { z } from "zod";
import type { WikiState } from "./state.ts";

/** The wiki of the invented company. */
export const wikiContents: z.input<typeof WikiState> = {
  tokenPlugin: {
    tokens: [
      {
        id: 1,
        user: "jdoe",
        description: "release calendar",
        created: 1_769_904_000_000,
        validUntil: 1_798_761_600_000,
        scope: 2,
        secret: "wiki-token-of-jdoe",
      },
    ],
  },
  pages: {
    "48100": {
      space: "ENG",
      title: "Engineering",
      body: "<p>How we work.</p>",
      versions: [{ number: 1, by: "admin" }],
    },
    "48213": {
      space: "ENG",
      title: "Release calendar",
      body: "<p>Dates of the next releases.</p><table><tbody><tr><th>Release</th><th>Date</th></tr><tr><td>2.4 GA</td><td>1 March</td></tr><tr><td>2.5 beta</td><td>12 April</td></tr></tbody></table>",
      ancestors: ["48100"],
      versions: [
        { number: 1, by: "admin", message: "First dates" },
        { number: 2, by: "jdoe", message: "2.5 beta", minorEdit: true },
      ],
    },
    "48377": {
      space: "ENG",
      title: "How to release",
      body: '<p>Look at the <ac:link><ri:page ri:content-title="Release calendar" ri:version-at-save="2" /></ac:link> first, then:</p><ac:structured-macro ac:name="code" ac:schema-version="1" ac:macro-id="0d4c1f0e-7f0b-4b7e-9d51-2f3a6b8c9e10"><ac:parameter ac:name="language">bash</ac:parameter><ac:plain-text-body><![CDATA[git tag -s v2.4.0\ngit push origin v2.4.0]]></ac:plain-text-body></ac:structured-macro>',
      ancestors: ["48100"],
      versions: [{ number: 1, by: "jdoe" }],
    },
  },
};
