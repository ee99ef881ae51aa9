import type { ProblemCode } from "../problem.ts";
import { exits, type GuideEntry } from "./entry.ts";

/** What services answer, what an apply runs into, and what prevents a command. */
export const runGuide = {
  SP3001: {
    why: "The variables with the account of a service are not set, or one of them is empty.",
    example: "The environment has no credentials for review.",
    remedy: "Set the variables that the message names. setpoint doctor says which services have what they need.",
    exit: exits.read,
  },
  SP3002: {
    why: "The credentials are for one address, and the workspace names another, so they are not sent there.",
    example:
      "The credentials of review are bound to an origin other than https://review.example.org, so they are not sent there.",
    remedy: "If the new address is right, set SETPOINT_<SERVICE>_URL to it.",
    exit: exits.read,
  },
  SP3003: {
    why: "The user, password or token is wrong, has expired, or was revoked; or a login page is in front of the service.",
    example: "The service answered with a login page.",
    remedy: "Create a new token in the product, and set it. setpoint doctor checks it.",
    exit: exits.read,
  },
  SP3004: {
    why: "The service knows the account, but does not let it read or change this.",
    example: "The account may not read the access rules of the project.",
    remedy: "Give the account the permission that the message names, or use another account.",
    exit: exits.read,
  },
  SP3005: {
    why: "What the manifest names, such as a project, does not exist, or the account cannot see it.",
    example: "The service has no project platform/core.",
    remedy: "Correct the name, or create what a manifest cannot create.",
    exit: exits.read,
  },
  SP3006: {
    why: "Someone changed the object between setpoint's read and its write, and the service refuses to overwrite that change.",
    example: "A wiki page that was saved while the plan was being confirmed.",
    remedy: "Plan again, and look at what the other change did.",
  },
  SP3007: {
    why: "The service has a rule against the request; the message quotes the service.",
    example: "A label that is used cannot be deleted.",
    remedy: "Change the manifest as the service's message says.",
    exit: exits.read,
  },
  SP3008: {
    why: "The account has made more requests than the service allows, and the wait is too long for a run.",
    example: "The service answered 429: Too Many Requests. It asks to send nothing until 2027-01-13 18:30 UTC.",
    remedy: "Run again after the time that the message names, or lower limits.concurrency of the service.",
    exit: exits.read,
  },
  SP3009: {
    why: "The service answered with a failure of its own (5xx), even when asked again.",
    example: "The service answered 503: Service Unavailable.",
    remedy: "Look at the service, and run again. Nothing was concluded from the failure.",
    exit: exits.read,
  },
  SP3010: {
    why: "More than one object has the key of a resource, and it is not clear which one is meant.",
    example:
      '2 live tokens belong to one resource ("deploy", "deploy (2)"), and the manifest does not say where its secret is.',
    remedy: "Remove all but one on the service, or say in the manifest which it is.",
    exit: exits.read,
  },
  SP3101: {
    why: "The answer did not come within the service's timeout, or the connection within half of it. After a minute without any answer, nothing more is sent.",
    example: "No answer from https://review.example.com within 10 s.",
    remedy: "Run again; if the service is slow, raise limits.timeout of the service.",
    exit: exits.read,
  },
  SP3102: {
    why: "The address is wrong, the service is down, or a proxy or firewall is in between.",
    example: "No connection to https://review.example.com (ECONNREFUSED).",
    remedy: "Check the url in the workspace file and HTTPS_PROXY. setpoint doctor tests every service.",
    exit: exits.read,
  },
  SP3103: {
    why: "The answer lacks something or has something that setpoint does not understand; often a proxy answers, or the service is of another version.",
    example: "The answer about the role has fields that setpoint does not understand: createBuild.",
    remedy: "setpoint doctor shows the version. If it is supported, report the message as a bug.",
    exit: exits.read,
  },
  SP3104: {
    why: "A list was cut or changed while it was read. What a partial list lacks is not treated as absent.",
    example: "The list ended at its limit of 500: there may be more.",
    remedy: "Run again, or narrow the list.",
    exit: exits.read,
  },
  SP3105: {
    why: "The connection ended after a write was sent. The write may have been carried out, so it is not sent again.",
    example: "The write may have been carried out, but its answer was lost.",
    remedy: "Plan again: the plan shows whether it took effect.",
  },
  SP3106: {
    why: "The server's certificate has expired, is for another name, or was signed by a company's own authority. Or the server requires a client certificate.",
    example: "The certificate of https://wiki.example.com is not trusted (CERT_HAS_EXPIRED).",
    remedy:
      "Name the authority's certificate with SETPOINT_CA_FILE, or renew the server's. Name a client certificate and its key with SETPOINT_<SERVICE>_CLIENT_CERT and _CLIENT_KEY.",
    exit: exits.read,
  },
  SP4001: {
    why: "The service accepted a call, and reading again shows the old value: something else reset it, or the service ignores the field.",
    example: "The service accepted the call, but reading again shows that enabled did not take effect.",
    remedy: "Look at the object on the service and its history, and plan again.",
  },
  SP4002: {
    why: "An earlier call that this one needs failed or was left out.",
    example: "It needs analysis/AnalysisUser/kai, which was not applied.",
    remedy: "Solve the problem of the other resource and apply again: only what is missing is done.",
    exit: exits.skipped,
  },
  SP4003: {
    why: "Someone changed the object or the file after the plan was made, so it is not what was reviewed.",
    example: "It has changed since the plan, so the call was not made.",
    remedy: "Make a new plan and review what changed.",
    exit: exits.refused,
  },
  SP4004: {
    why: "A plan or a drift run was about to write, or a program called a write in mode read.",
    example: "createGroup is a write, but only reads are allowed here.",
    remedy: "In a program, pass mode write. Otherwise report it as a bug: nothing was sent.",
  },
  SP4005: {
    why: "A new token or password exists on the service, but the file or command that should receive it failed.",
    example: "The new secret was not stored: the command vault ended with 2.",
    remedy: "Repair the destination and apply again: the secret that no one has is replaced.",
  },
  SP4006: {
    why: "A call that is not in the shown plan was about to be made. This protects you from a bug in setpoint.",
    example: "The plan has no further call of setAccess with these arguments, so the call was not made.",
    remedy: "Plan again. If it happens again, report it as a bug.",
  },
  SP4007: {
    why: "revert cannot undo what is irreversible, what only a person can do, or what the journal does not record.",
    example: "A deleted token: its secret is not stored anywhere.",
    remedy: "Make the named change by hand.",
    exit: "2",
  },
  SP5001: {
    why: "An option is unknown, is missing, or contradicts another one; or a question needs a terminal.",
    example: "apply asks before it writes, and no terminal is attached.",
    remedy: "setpoint <command> --help shows the options.",
  },
  SP5002: {
    why: "There is no repository, the ref does not exist, or the clone is too shallow.",
    example: '"origin/main" is not a git ref.',
    remedy: "Fetch what the message names; in a pipeline set the depth of the clone.",
  },
  SP5003: {
    why: "Someone pressed Ctrl-C, or the job was cancelled.",
    example: "The run was interrupted before all services had answered.",
    remedy: "Run again. setpoint runs shows what an interrupted apply had done.",
    exit: "1, 3 if an apply left changes out, or 130 after a second interrupt",
  },
  SP5004: {
    why: "The disk is full, or .setpoint cannot be written. Without its journal an apply sends nothing more.",
    example: "The journal .setpoint/runs/2027-01-13T180400Z-4f1c.jsonl cannot be written: ENOSPC.",
    remedy: "Make room or correct the permissions, and apply again.",
  },
  SP5005: {
    why: "Another apply on this machine has not ended; two at a time would see each other's half-made changes.",
    example: "Another run is writing to https://review.example.com: kai on build-7 since 2027-01-13 18:04 UTC.",
    remedy: "Wait for it, with --wait if you like, and look at what it did.",
    exit: "4, or that of the plan if it is a warning",
  },
  SP5006: {
    why: "Another machine holds the lease of --lease, or this one could not renew it in time.",
    example:
      "Another run has the lease refs/setpoint/lease: kai@build-7 since 2027-01-13 18:04 UTC, until 2027-01-13 18:14 UTC unless it is renewed.",
    remedy: "Wait for it, with --wait if you like. A lease that is not renewed ends by itself.",
    exit: "4, or 3 if an apply lost it",
  },
  SP5007: {
    why: "A line of a journal is damaged, so no plan knows of a new secret that the line may have recorded.",
    example:
      "The journal of the run 2027-01-13T180400Z-4f1c is damaged, or was written by a newer setpoint, in line 3.",
    remedy: "See setpoint runs <run>, check its secrets, and remove the file.",
    exit: "that of the plan: it is a warning",
  },
  SP5008: {
    why: "Redis cannot be reached, refuses the sign-in, or is not a server for a queue; a package is missing; another process has taken over the run; or no setpoint worker runs for the service with the same setpoint.yaml and version.",
    example: "No worker takes jobs of hosting.",
    remedy:
      "setpoint queue shows the queue and its workers. Start workers, and run again with the same --run: what was read is not read again.",
    exit: "3 if a service has no worker, 1 if there is no queue",
  },
  SP5009: {
    why: "Workers died several times during a job, or what came back is not a result of the job.",
    example: "A worker returned something that is not a result of its job.",
    remedy: "Look at the output of the workers, and who can write to Redis. What is left out is unknown, never absent.",
    exit: "3",
  },
} as const satisfies Partial<Record<ProblemCode, GuideEntry>>;
