import type { ServiceExample } from "../example.ts";
import { basicCredentials } from "../fixtures.ts";

const json = "application/json";

/** What the tests of all clients need to know about this one. */
export const wikiExample: ServiceExample = {
  exchange: {
    credentials: basicCredentials,
    read: ["getPage", { pageId: "1" }],
    method: "GET",
    path: "/rest/api/content/1?expand=body.storage%2Cversion%2Cspace%2Cancestors",
    error: (statusCode, message) => ({ body: JSON.stringify({ statusCode, data: {}, message }), type: json }),
    success: {
      body: JSON.stringify({
        id: "1",
        type: "page",
        title: "t",
        space: { key: "s" },
        version: { number: 1 },
        body: { storage: { value: "", representation: "storage" } },
      }),
      type: json,
    },
  },
  typed: { write: "deleteToken", args: "{ tokenId: 1 }", less: "{}" },
  calls: {
    getServerManifest: "",
    getCurrentUser: "",
    getPage: "--page-id 48213",
    updatePage:
      '--page-id 48213 --type page --title Dates --version {"number":3} --arg-body {"storage":{"value":"<p/>","representation":"storage"}}',
    listTokens: "",
    createToken: "--token-description nightly",
    updateToken: "--token-id 9 --token-description drift",
    deleteToken: "--token-id 9",
    filterTokens: "--description-filter release",
  },
};
