import { tracker } from "../../support/worlds/tracker.ts";
import type { ServiceExample } from "../example.ts";
import { basicCredentials } from "../fixtures.ts";

const json = "application/json";

/** What the tests of all clients need to know about this one. */
export const trackerExample: ServiceExample = {
  exchange: {
    credentials: basicCredentials,
    read: ["getMyself", {}],
    method: "GET",
    path: "/rest/api/2/myself",
    error: (_status, message) => ({ body: JSON.stringify({ errorMessages: [message], errors: {} }), type: json }),
    success: { body: '{"name":"robot"}', type: "application/json;charset=UTF-8" },
  },
  typed: { write: "setPreference", args: '{ key: "k", value: "v" }', less: '{ key: "k" }' },
  calls: {
    getServerInfo: "",
    getMyself: "",
    getUser: "--username jdoe",
    getPreference: "--key jira.user.timezone",
    setPreference: "--key jira.user.timezone --value Asia/Kolkata",
    getLocale: "",
    setLocale: "--locale nb_NO",
    getIssue: "--issue-key FW-12 --fields summary --fields attachment",
    listProjects: "",
    searchIssues: "--jql key=FW-12 --max-results 2",
    downloadAttachment: "--attachment-url {url}/secure/attachment/20001/boot%20log.txt --to {folder}/boot.log",
    listTokens: "",
    createToken: "--token-description nightly --token-validity-time-in-months 3",
    updateToken: "--token-id 1 --token-description drift",
    deleteToken: "--token-id 1",
    filterTokens: "--description-filter nightly",
  },
  parts: [tracker],
};
