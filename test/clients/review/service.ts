import type { ServiceExample } from "../example.ts";
import { basicCredentials } from "../fixtures.ts";

const json = "application/json";

/** What the tests of all clients need to know about this one. */
export const reviewExample: ServiceExample = {
  exchange: {
    credentials: basicCredentials,
    read: ["getProjectAccess", { projectName: "p" }],
    method: "GET",
    path: "/a/projects/p/access",
    error: (_status, message) => ({ body: `${message}\n`, type: "text/plain; charset=utf-8" }),
    success: { body: ')]}\'\n{"revision":"r"}', type: json },
  },
  typed: { write: "modifyProjectAccess", args: '{ projectName: "p" }', less: "{}" },
  calls: {
    getServerVersion: "",
    getChange: "--change-id 311 --o CURRENT_REVISION --o ALL_FILES",
    getChangeDetail: "--change-id platform/core~main~I6f1b0c9d3e5a47820b14c8d7e9f0a1b2c3d4e5f6",
    moveChange: "--change-number 311 --destination-branch release-2.4",
    queryChanges: '--q {"project":"platform/core","not":{"branch":"release-2.4"}}',
    listChangeComments: "--change-id 311",
    listRevisionComments: "--change-id 311 --revision-id current",
    getRevisionComment: "--change-id 311 --revision-id 2 --comment-id {comment}",
    setReview: '--change-id 311 --revision-id 2 --message Seen --labels {"Code-Review":2}',
    listProjects: "--n 2",
    getBranch: "--project-name platform/core --branch-id release-2.4",
    getGroup: "--group-id global:Registered-Users",
    listGroups: "",
    getProjectConfig: "--project-name platform/core",
    getProjectAccess: "--project-name platform/core",
    getCommit: "--project-name platform/core --commit-id {revision}",
    listAccess: "--project tools --project platform%2Fui",
    modifyProjectAccess:
      '--project-name tools --add {"refs/heads/x":{"permissions":{"push":{"rules":{"global:Registered-Users":{}}}}}}',
  },
};
