/** All commands, with their descriptions in `skep --help` and the modules that are loaded when a command runs. */
import type { Command } from "commander";

/** The groups in which the help shows the commands. */
export const groupTitles = {
  app: "In an app's repository:",
  clone: "In a clone of a Hive:",
  server: "On the server's machine:",
  other: "Commands:",
} as const;

export interface CommandRow {
  readonly name: string;
  readonly group: keyof typeof groupTitles;
  /** The arguments after its name, as the help shows them. */
  readonly takes: string;
  readonly description: string;
  readonly load: () => Promise<Command>;
}

/** In the order of the help. */
export const commands: readonly CommandRow[] = [
  {
    name: "init",
    group: "app",
    takes: "[options]",
    description: "Find the translation files of the app in this folder, and write a skep.yaml for them.",
    load: async () => (await import("./client/init.ts")).initCommand(),
  },
  {
    name: "push",
    group: "app",
    takes: "[options]",
    description:
      "Send the app's source files to the Hive, and delete strings from it that the files no longer have. With --translations, also send the app's translations.",
    load: async () => (await import("./client/push.ts")).pushCommand(),
  },
  {
    name: "pull",
    group: "app",
    takes: "[options]",
    description:
      "Write the Hive's translations into the app's files, each in its own format. Either all files are written or none. Source files are never written.",
    load: async () => (await import("./client/pull.ts")).pullCommand(),
  },
  {
    name: "status",
    group: "app",
    takes: "[options]",
    description:
      "Show how much of each file is translated, and how the app's files differ from the Hive. With --fail-on-missing, --fail-on-stale or --min it is a check for CI, and exits with 3 if the check fails.",
    load: async () => (await import("./client/status.ts")).statusCommand(),
  },
  {
    name: "check",
    group: "app",
    takes: "[options]",
    description:
      "Compare the app's translations with its source texts, without a server: arguments, plurals, markup. In a clone of a Hive, check the clone. With --hive, list the findings of a Hive on the server. Exits with 3 if there are errors.",
    load: async () => (await import("./client/check.ts")).checkCommand(),
  },
  {
    name: "diff",
    group: "app",
    takes: "[options]",
    description: "Show each key that a push and a pull would change.",
    load: async () => (await import("./client/diff.ts")).diffCommand(),
  },
  {
    name: "move",
    group: "app",
    takes: "[options] <from> <to>",
    description:
      "Give a string, a group of strings or a file of the Hive another name. Its translations and its history are kept. Rename it in the app's files too before the next push. If you rename it only there, the push detects the move itself.",
    load: async () => (await import("./client/move.ts")).moveCommand(),
  },
  {
    name: "note",
    group: "app",
    takes: "[options] <string> [text]",
    description:
      "Say what a text of the Hive is for: to translators, with their string through renames and merges. Without a text and a flag, show what is said about it.",
    load: async () => (await import("./client/note.ts")).noteCommand(),
  },
  {
    name: "picture",
    group: "app",
    takes: "",
    description: "Add, list and remove pictures of where texts stand in the app.",
    load: async () => (await import("./client/picture.ts")).pictureCommand(),
  },
  {
    name: "untranslated",
    group: "app",
    takes: "[options] <locale>",
    description:
      "List the missing and stale texts of a locale with their source texts, also as CSV or XLIFF for translators.",
    load: async () => (await import("./client/untranslated.ts")).untranslatedCommand(),
  },
  {
    name: "import",
    group: "app",
    takes: "[options] <locale> <file>",
    description:
      "Send translations from a file: CSV, XLIFF, or any format of the app's files. The changes are shown first.",
    load: async () => (await import("./client/import.ts")).importCommand(),
  },
  {
    name: "translate",
    group: "app",
    takes: "[options] <locale>",
    description:
      "Have a command translate what is missing, stale or failing in a locale: it reads strings as lines of JSON, and writes answers. Exits with 3 if an answer was refused twice, or there was none.",
    load: async () => (await import("./client/translate.ts")).translateCommand(),
  },
  {
    name: "mcp",
    group: "app",
    takes: "[options]",
    description:
      "Let an editor or an agent work on the server by the Model Context Protocol, over standard input and output.",
    load: async () => (await import("./client/mcp.ts")).mcpCommand(),
  },
  {
    name: "review",
    group: "app",
    takes: "",
    description: "List the translations that wait for a review, approve and reject them.",
    load: async () => (await import("./client/review.ts")).reviewCommand(),
  },
  {
    name: "glossary",
    group: "app",
    takes: "",
    description: "List, add, import, export and remove the terms of the Hive.",
    load: async () => (await import("./client/glossary.ts")).glossaryCommand(),
  },
  {
    name: "style",
    group: "app",
    takes: "[options] <locale> [text]",
    description: "Show or set the style of a locale: how to address the reader, tone, punctuation.",
    load: async () => (await import("./client/style.ts")).styleCommand(),
  },
  {
    name: "branch",
    group: "app",
    takes: "",
    description: "List, create, compare, merge, update, delete and restore branches of the Hive.",
    load: async () => (await import("./client/branch.ts")).branchCommand(),
  },
  {
    name: "login",
    group: "app",
    takes: "<server>",
    description:
      "Sign in to a server: a code is shown, which you allow in a browser, also on another machine. The commands here and git then work in your name.",
    load: async () => (await import("./people/login.ts")).loginCommand(),
  },
  {
    name: "logout",
    group: "app",
    takes: "<server>",
    description: "Revoke the token that login got, and forget it.",
    load: async () => (await import("./people/login.ts")).logoutCommand(),
  },
  {
    name: "completion",
    group: "app",
    takes: "<shell>",
    description: "Print a script with which bash, zsh or fish completes commands and flags.",
    load: async () => (await import("./completion.ts")).completionCommand(),
  },
  {
    name: "format",
    group: "clone",
    takes: "[options] [files...]",
    description:
      "Bring the files of a clone of a Hive into the layout in which Skep stores them, which a push requires.",
    load: async () => (await import("./clone/format.ts")).formatCommand(),
  },
  {
    name: "merge-driver",
    group: "clone",
    takes: "<base> <ours> <theirs>",
    description: "Merge a file of a clone of a Hive key by key, as a merge driver of git.",
    load: async () => (await import("./clone/merge-driver.ts")).mergeDriverCommand(),
  },
  {
    name: "git-credential",
    group: "clone",
    takes: "<operation>",
    description: "Tell git the token that login got, as a credential helper.",
    load: async () => (await import("./people/git-credential.ts")).gitCredentialCommand(),
  },
  {
    name: "serve",
    group: "server",
    takes: "[options]",
    description:
      "Serve the Hives of a storage folder over HTTP. The API is described at /docs, and as OpenAPI at /openapi.json.",
    load: async () => (await import("./serve.ts")).serveCommand(),
  },
  {
    name: "team",
    group: "server",
    takes: "",
    description: "Create, change and list teams.",
    load: async () => (await import("./team.ts")).teamCommand(),
  },
  {
    name: "hive",
    group: "server",
    takes: "",
    description: "Create, change, list and delete Hives.",
    load: async () => (await import("./hive.ts")).hiveCommand(),
  },
  {
    name: "locale",
    group: "server",
    takes: "",
    description: "Add, change and remove locales of a Hive.",
    load: async () => (await import("./locale.ts")).localeCommand(),
  },
  {
    name: "file",
    group: "server",
    takes: "",
    description: "Remove source files from a Hive.",
    load: async () => (await import("./file.ts")).fileCommand(),
  },
  {
    name: "token",
    group: "server",
    takes: "",
    description: "Create, list and revoke access tokens.",
    load: async () => (await import("./token.ts")).tokenCommand(),
  },
  {
    name: "person",
    group: "server",
    takes: "",
    description: "Add, change, invite, list and remove persons, who sign in and write under their own name.",
    load: async () => (await import("./people/person.ts")).personCommand(),
  },
  {
    name: "audit",
    group: "server",
    takes: "[options]",
    description:
      "Show who signed in, who was refused, and who changed what others may do, newest first. Entries are kept for 400 days.",
    load: async () => (await import("./people/audit.ts")).auditCommand(),
  },
  {
    name: "mirror",
    group: "server",
    takes: "",
    description: "Push Hives to other git repositories.",
    load: async () => (await import("./mirror.ts")).mirrorCommand(),
  },
  {
    name: "webhook",
    group: "server",
    takes: "",
    description: "Send commits to webhooks, as signed requests.",
    load: async () => (await import("./webhook.ts")).webhookCommand(),
  },
  {
    name: "follower",
    group: "server",
    takes: "",
    description: "Let other servers copy this storage and answer reads from the copy.",
    load: async () => (await import("./follower.ts")).followerCommand(),
  },
  {
    name: "promote",
    group: "server",
    takes: "[options]",
    description: "Make a follower's copy the new primary storage, because the old primary is gone.",
    load: async () => (await import("./promote.ts")).promoteCommand(),
  },
  {
    name: "demote",
    group: "server",
    takes: "[options]",
    description: "Make a storage read-only, because one of its followers was promoted.",
    load: async () => (await import("./promote.ts")).demoteCommand(),
  },
  {
    name: "channel",
    group: "server",
    takes: "",
    description: "Publish Hives to apps and caches, without a token.",
    load: async () => (await import("./channel.ts")).channelCommand(),
  },
  {
    name: "log",
    group: "server",
    takes: "[options] <slug>",
    description:
      "Show the history of a Hive, newest first. With --key, show how each commit changed that key.",
    load: async () => (await import("./log.ts")).logCommand(),
  },
  {
    name: "show",
    group: "server",
    takes: "[options] <slug> <commit>",
    description: "Show what a commit changed, key by key and word by word.",
    load: async () => (await import("./show.ts")).showCommand(),
  },
  {
    name: "undo",
    group: "server",
    takes: "[options] <slug> [commit]",
    description:
      "Revert what one commit changed in source strings and translations, or the translations of an origin, with a new commit. If one of these texts has changed since, nothing is reverted. Settings stay as they are.",
    load: async () => (await import("./undo.ts")).undoCommand(),
  },
  {
    name: "verify",
    group: "server",
    takes: "[options] [slug]",
    description:
      "Check the whole storage: repositories (with git fsck where git is installed), the content of files, settings, quotas and leftovers. Exits with 1 if anything is wrong and was not repaired.",
    load: async () => (await import("./verify.ts")).verifyCommand(),
  },
  {
    name: "maintain",
    group: "server",
    takes: "[options] [slug]",
    description:
      "Pack Hives with git, so that they stay fast and small over thousands of commits, and remove Hives that have been in the trash for 30 days. Entries of the audit log leave after 400 days. The server does this by itself; both may run at any time, and packing removes no data. Exits with 1 if a Hive could not be packed.",
    load: async () => (await import("./maintain.ts")).maintainCommand(),
  },
  {
    name: "backup",
    group: "server",
    takes: "[options] <dir>",
    description:
      "Copy teams, tokens, mirrors and Hives with their history to another folder. Exits with 1 if a Hive could not be copied as it is, in which case the backup keeps its earlier copy of that Hive, or if what was copied is damaged.",
    load: async () => (await import("./backup.ts")).backupCommand(),
  },
  {
    name: "restore",
    group: "server",
    takes: "[options] <dir>",
    description:
      "Fill an empty storage from a backup, after checking it as skep verify does. Its tokens are valid again. Exits with 1 and leaves the storage empty if anything is wrong.",
    load: async () => (await import("./restore.ts")).restoreCommand(),
  },
];
