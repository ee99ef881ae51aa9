import type { ProblemCode } from "../problem.ts";
import { exits, type GuideEntry } from "./entry.ts";

/** Mistakes in the workspace file and the manifests, and why a plan of them is refused. */
export const manifestGuide = {
  SP1001: {
    why: "The file breaks a rule of YAML: a quote that is not closed, a tab, fields of one mapping in different columns, or a colon in text without quotes.",
    example: "reason: Frozen: see mail",
    remedy:
      "Correct the marked line. What follows from it is not shown, so validate again afterwards. Put text with a colon in quotes.",
  },
  SP1002: {
    why: "A field has text where a number, a list or a mapping belongs, or a value that is not one of those allowed.",
    example: 'enabled: "true"',
    remedy: "Write what the message expects. setpoint explain <Kind> shows the type of every field.",
  },
  SP1003: {
    why: "A field without a default is left out, or its name has nothing behind the colon.",
    example: "spec: { branch: release-2.4 }",
    remedy: "Add the field. setpoint explain <Kind> shows which fields are required.",
  },
  SP1004: {
    why: "A name is misspelt, stands at the wrong level, or belongs to another kind. Unknown fields are not passed over, because a typo would then manage nothing.",
    example: "projekt: platform/core",
    remedy: "Write the name that is meant. Fields of a kind belong under spec.",
  },
  SP1005: {
    why: "One name stands twice in a mapping; it would not be clear which value holds. Often a line --- between two documents is missing.",
    example: "{ branch: main, branch: release-2.4 }",
    remedy: "Remove one of the two, or separate the documents with a line ---.",
  },
  SP1006: {
    why: "Two documents, or two repetitions of one, have the same service, kind and key.",
    example: '"review/BranchLock/platform/core:main" is declared twice.',
    remedy: "Keep one of the documents. See also names the place of the other.",
  },
  SP1007: {
    why: "A placeholder names a variable that is not declared, or an entry of forEach that has no such name; or --var names what nothing takes.",
    example: "project: ${var.projct}",
    remedy:
      "Give the variable a value under variables in the workspace file, with --values or with --var. A plain ${ is written $${.",
  },
  SP1008: {
    why: "The kind is misspelt, or this version does not have it.",
    example: "kind: BranchLok",
    remedy: "Write the kind that is meant. setpoint kinds lists them all.",
  },
  SP1009: {
    why: "The document names a service that the workspace does not have or that is of another type, or several could be meant.",
    example: "metadata: { service: reviews }",
    remedy: "Name one of the workspace's services in metadata.service.",
  },
  SP1010: {
    why: "A resource refers to another one that no manifest declares and the service does not have, or that is to be deleted.",
    example: "AnalysisGroup quality refers to analysis/AnalysisUser/kai, which is declared absent.",
    remedy: "Declare what is referred to, or take the reference out.",
  },
  SP1011: {
    why: "Files, aliases, variables or forEach come to more than the limits that protect the machine which reads them.",
    example: "With this, the manifests declare more than 20,000 resources.",
    remedy:
      "Split the file or declare less; if the size is intended, raise the limit under limits in the workspace file.",
  },
  SP1012: {
    why: "The file is in another encoding, such as Latin-1, or is not text at all.",
    example: "A name with an umlaut, saved by an editor that is set to Latin-1.",
    remedy: "Save the file as UTF-8.",
  },
  SP1013: {
    why: "setpoint runs in another folder than the workspace, a glob matches no file, no glob finds a manifest because of its ending, or a file is named that is not there.",
    example: "setpoint.yaml:1:1  SP1013  The file cannot be read: there is no such file.",
    remedy: "Change to the folder of setpoint.yaml, or name it with --workspace; correct the glob or the name.",
  },
  SP1014: {
    why: "The name would reach into the program that reads it.",
    example: "__proto__: {}",
    remedy: "Choose another name.",
  },
  SP1015: {
    why: "A secret is written out, or a reference to one stands in a field that is not secret. Manifests are in git, and what is in git stays there.",
    example: "password: hunter2",
    remedy:
      "Refer to it with ${env:NAME} or ${file:path} in a field that its kind marks as secret. A secret that was committed is known: replace it.",
  },
  SP1016: {
    why: "Two resources decide the same thing, so that each apply of one would undo the other.",
    example: "An AccessRule and a BranchLock that both set the push permission of one branch.",
    remedy: "Let one of the two manage it. See also names the place of the other.",
  },
  SP1017: {
    why: "A file that the command line or a manifest names is missing, is a folder, may not be read or written, or already exists; or a folder where a glob may find manifests may not be read.",
    example: "The file plan.json cannot be read: there is no such file.",
    remedy: "Correct the name or the permissions. Files of a manifest are named from its own folder.",
  },
  SP1018: {
    why: "A run is narrowed to something that is not declared. A run that silently checks nothing would look like a success.",
    example: "setpoint drift --service reveiw",
    remedy: "Correct the name of the service, kind, label, address or run.",
  },
  SP1019: {
    why: "The document is sound, but a rule under policies in the workspace file does not allow it.",
    example: 'Policy locks-have-tickets: "Frozen for 2.4 GA" does not match "[A-Z]+-[0-9]+".',
    remedy: "Change the document as the hint says, or discuss the policy with those who own it.",
    exit: exits.refused,
  },
  SP1020: {
    why: "adopt found a live value that the manifest cannot state in its form: it comes from a variable, an alias or forEach, or several documents would disagree.",
    example: "permissions: The value comes from the variable permissions.",
    remedy: "Change the manifest by hand, or apply to bring the old value back.",
    exit: exits.refused,
  },
  SP1021: {
    why: "The file given to apply or report was not written by plan --out, was cut, or is of another version.",
    example: "setpoint apply setpoint.yaml",
    remedy: "Make the plan again with setpoint plan --out.",
  },
  SP1022: {
    why: "With --trust the rules of another ref judge the manifests; those of this branch would judge differently.",
    example: "Once merged, no guard refuses this any more.",
    remedy: "Read what the change does to the rules before you merge it. Nothing needs to be corrected.",
    exit: "that of the plan: it is a remark",
  },
  SP1023: {
    why: "With --trust only services that are already merged are asked, since a new address could be anybody's.",
    example: "The rules at origin/main have no service review of this type, so nothing was asked of it.",
    remedy: "Merge the service first; a plan can look at it then.",
    exit: exits.skipped,
  },
  SP2001: {
    why: "Each of some resources refers to the next, and the last one to the first, so that none can be made first.",
    example: "These resources need each other: a needs b, b needs a.",
    remedy: "Take one of the references out. setpoint graph shows them.",
  },
  SP2002: {
    why: "The plan deletes, widens access or cannot be undone beyond what guards, protect or the command line allow.",
    example: "The plan deletes 7 resources; the workspace allows 5.",
    remedy:
      "If it is intended, consent for this run with the option that the message names. Otherwise look at what left the manifests.",
    exit: exits.refused,
  },
  SP2003: {
    why: "Something that the resource refers to could not be read, so that a change could rest on a wrong assumption.",
    example: "It needs analysis/AnalysisUser/kai, whose state is unknown.",
    remedy: "Solve the problem of the other resource, and plan again.",
    exit: exits.skipped,
  },
  SP2004: {
    why: "A saved plan has expired, or its manifests, rules or versions are others by now.",
    example: "The manifests are not those of the plan: manifests/locks.yaml differs.",
    remedy: "Make a new plan and review it.",
    exit: exits.refused,
  },
  SP2005: {
    why: "A saved plan has calls that making it again does not lead to: somebody edited the file, or setpoint has another version.",
    example: "review.modifyProjectAccess: this call is in the plan, but does not follow from the manifests.",
    remedy: "Find out who changed the file. Make a new plan.",
    exit: exits.refused,
  },
  SP2006: {
    why: "The files are shards of different runs: of another commit, of other options, or cut into another number of shards; or one came twice.",
    example:
      "shard-2.json does not belong to shard-1.json: its commit is 3f0c1a2b4d5e and the other one's is 91ab27c0ffee.",
    remedy: "Run all shards of one commit with the same options, and merge these.",
  },
  SP2007: {
    why: "A job of the matrix failed or its file was not handed on, or a service's list changed while the shards ran. What nobody looked at is not fine.",
    example: "Shard 3 of 8, which would have looked at it, is missing.",
    remedy: "Run that shard again and merge all of them.",
    exit: exits.read,
  },
} as const satisfies Partial<Record<ProblemCode, GuideEntry>>;
