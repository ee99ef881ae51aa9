import type { ProblemCode } from "../problem.ts";
import { exits, type GuideEntry } from "./entry.ts";

/** Errors in the workspace file and the manifests, and why a plan made from them is refused. */
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
    why: "A field without a default is left out, or its name has nothing after the colon.",
    example: "spec: { branch: release-2.4 }",
    remedy: "Add the field. setpoint explain <Kind> shows which fields are required.",
  },
  SP1004: {
    why: "A name is misspelt, is at the wrong level, or belongs to another kind. Unknown fields are not ignored, because a typo would then manage nothing.",
    example: "projekt: platform/core",
    remedy: "Write the intended name. Fields of a kind belong under spec.",
  },
  SP1005: {
    why: "A name appears twice in a mapping, so it is not clear which value applies. Often a --- line between two documents is missing.",
    example: "{ branch: main, branch: release-2.4 }",
    remedy: "Remove one of the two, or separate the documents with a --- line.",
  },
  SP1006: {
    why: "Two documents, or two repetitions of one, have the same service, kind and key.",
    example: '"review/BranchLock/platform/core:main" is declared twice.',
    remedy: 'Keep one of the documents. The "See also" line shows where the other one is.',
  },
  SP1007: {
    why: "A placeholder names a variable that is not declared, or a name that the entry of forEach does not have; or --var names a variable that nothing uses.",
    example: "project: ${var.projct}",
    remedy:
      "Give the variable a value under variables in the workspace file, with --values or with --var. Write a literal ${ as $${.",
  },
  SP1008: {
    why: "The kind is misspelt, or this version does not have it.",
    example: "kind: BranchLok",
    remedy: "Write the intended kind. setpoint kinds lists them all.",
  },
  SP1009: {
    why: "The document names a service that the workspace does not have or that is of another type, or several services match.",
    example: "metadata: { service: reviews }",
    remedy: "Name one of the workspace's services in metadata.service.",
  },
  SP1010: {
    why: "A resource refers to another one that no manifest declares and the service does not have, or that is to be deleted.",
    example: "AnalysisGroup quality refers to analysis/AnalysisUser/kai, which is declared absent.",
    remedy: "Declare what is referred to, or remove the reference.",
  },
  SP1011: {
    why: "Files, aliases, variables or forEach exceed the limits that protect the machine that reads them.",
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
    why: "setpoint runs in a folder other than the workspace's, a glob matches no file, a manifest has a file extension that no glob matches, or a named file does not exist.",
    example: "setpoint.yaml:1:1  SP1013  The file cannot be read: there is no such file.",
    remedy: "Change to the folder of setpoint.yaml, or name it with --workspace; correct the glob or the name.",
  },
  SP1014: {
    why: "The name has a meaning of its own in the program that reads it.",
    example: "__proto__: {}",
    remedy: "Choose another name.",
  },
  SP1015: {
    why: "A secret is written out, or a reference to one is in a field that is not secret. Manifests are in git, and what is in git stays there.",
    example: "password: hunter2",
    remedy:
      "Refer to it with ${env:NAME} or ${file:path} in a field that its kind marks as secret. A secret that was committed is known: replace it.",
  },
  SP1016: {
    why: "Two resources decide the same thing, so that each apply of one would undo the other.",
    example: "An AccessRule and a BranchLock that both set the push permission of one group on one branch.",
    remedy: 'Let one of the two manage it. The "See also" line shows where the other one is.',
  },
  SP1017: {
    why: "A file that the command line or a manifest names is missing, is a folder, cannot be read or written, or already exists; or a folder in which a glob might find manifests cannot be read.",
    example: "The file plan.json cannot be read: there is no such file.",
    remedy: "Correct the name or the permissions. A manifest names files relative to its own folder.",
  },
  SP1018: {
    why: "A run is narrowed to something that is not declared. A run that silently checks nothing would look like a success. As a warning of a plan: a pattern under match fits no name of the list.",
    example: "setpoint drift --service reveiw",
    remedy: "Correct the name of the service, kind, label, address or run.",
    exit: "1; as a warning, that of the plan",
  },
  SP1019: {
    why: "The document is valid, but a rule under policies in the workspace file does not allow it.",
    example: 'Policy locks-have-tickets: "Frozen for 2.4 GA" does not match ^[A-Z]+-[0-9]+.',
    remedy: "Change the document as the hint says, or discuss the policy with its owners.",
    exit: exits.refused,
  },
  SP1020: {
    why: "adopt found a live value that the manifest cannot state in its present form: it comes from a variable, an alias or forEach, or several documents would disagree. Or import, or the list of an exclusive kind, left out an object that no manifest can state.",
    example: "permissions: The value comes from ${var.permissions}.",
    remedy:
      "Change the manifest manually, or apply to restore the old value. What is left out stays as it is: change it manually, or name it under except of the exclusive kind.",
    exit: "4 after adopt, 3 if an object is left out",
  },
  SP1021: {
    why: "The file given to apply or report was not written by plan --out, was truncated, or is of another version.",
    example: "setpoint apply setpoint.yaml",
    remedy: "Make the plan again with setpoint plan --out.",
  },
  SP1022: {
    why: "With --trust the rules of another ref judge the manifests; those of this branch would judge differently.",
    example: "Once merged, no guard will refuse this: The plan deletes 7 resources; the workspace allows 5.",
    remedy: "Read what the change does to the rules before you merge it. Nothing needs to be corrected.",
    exit: "that of the plan: it is a remark",
  },
  SP1023: {
    why: "With --trust only services that are already merged are queried, since a new address could be anyone's.",
    example: 'The rules at origin/main have no service "review" of this type, so nothing was asked of it.',
    remedy: "Merge the service first; a plan can look at it then.",
    exit: exits.skipped,
  },
  SP2001: {
    why: "Resources refer to each other in a circle, so none of them can be created first.",
    example: "These resources need each other: a needs b, b needs a.",
    remedy: "Remove one of the references. setpoint graph shows them.",
  },
  SP2002: {
    why: "The plan deletes, widens access or cannot be undone beyond what guards, protect or the command line allow.",
    example: "The plan deletes 7 resources; the workspace allows 5.",
    remedy:
      "If it is intended, allow it for this run only with the option that the message names. Otherwise check what was removed from the manifests.",
    exit: exits.refused,
  },
  SP2003: {
    why: "Something that the resource refers to could not be read, so a change could rest on a wrong assumption.",
    example: "It needs analysis/AnalysisUser/kai, whose state is unknown.",
    remedy: "Solve the problem of the other resource, and plan again.",
    exit: exits.skipped,
  },
  SP2004: {
    why: "A saved plan has expired, or its manifests, rules or versions have changed since.",
    example:
      "The manifests are not those of the plan: removed: review/BranchLock/platform/ui:main (manifests/locks.yaml).",
    remedy: "Make a new plan and review it.",
    exit: exits.refused,
  },
  SP2005: {
    why: "A saved plan has calls that are not in the plan when it is made again: someone edited the file, or setpoint has another version.",
    example: "review.modifyProjectAccess: this call is in the plan, but does not follow from the manifests.",
    remedy: "Find out who changed the file. Make a new plan.",
    exit: exits.refused,
  },
  SP2006: {
    why: "The files are shards of different runs, which differ in their commit, options, number of shards or night; or one shard was given twice.",
    example:
      "shard-2.json does not belong to shard-1.json: its commit is 3f0c1a2b4d and the other one's is 91ab27c0ff.",
    remedy: "Run all shards of one commit with the same options, and merge those.",
  },
  SP2007: {
    why: "A job of the matrix failed, its file was not passed on, or a service's list changed while the shards ran. A resource that no shard looked at is not assumed to be in sync.",
    example: "Not looked at: shard 3 of 8 is missing.",
    remedy: "Run that shard again and merge all of them.",
    exit: exits.skipped,
  },
} as const satisfies Partial<Record<ProblemCode, GuideEntry>>;
