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
  /** The help of all commands shows its first sentence: one line of at most 60 characters. */
  readonly description: string;
  readonly load: () => Promise<Command>;
}

/** In the order of the help. */
export const commands: readonly CommandRow[] = [
  {
    name: "init",
    group: "app",
    description: "Find the app's translation files, and write a skep.yaml.",
    load: async () => (await import("./client/init.ts")).initCommand(),
  },
  {
    name: "push",
    group: "app",
    description:
      "Send the app's source files to the Hive. Strings that the files no longer have are deleted from it. With --translations, also send the app's translations.",
    load: async () => (await import("./client/push.ts")).pushCommand(),
  },
  {
    name: "pull",
    group: "app",
    description:
      "Write the Hive's translations into the app's files. Each file keeps its format. Either all files are written or none. Source files are never written.",
    load: async () => (await import("./client/pull.ts")).pullCommand(),
  },
  {
    name: "status",
    group: "app",
    description:
      "Show how much is translated, and what differs from the Hive. With --fail-on-missing, --fail-on-stale or --min it is a check for CI, and exits with 3 if the check fails.",
    load: async () => (await import("./client/status.ts")).statusCommand(),
  },
  {
    name: "check",
    group: "app",
    description:
      "Check the app's translations without a server: arguments, plurals, markup. In a clone of a Hive, check the clone. With --hive, list the findings of a Hive on the server. Exits with 3 if there are errors.",
    load: async () => (await import("./client/check.ts")).checkCommand(),
  },
  {
    name: "diff",
    group: "app",
    description: "Show each key that a push and a pull would change.",
    load: async () => (await import("./client/diff.ts")).diffCommand(),
  },
  {
    name: "move",
    group: "app",
    description:
      "Rename a string, a group of strings or a file of the Hive. Its translations and its history are kept. Rename it in the app's files too before the next push. If you rename it only there, the push detects the move itself.",
    load: async () => (await import("./client/move.ts")).moveCommand(),
  },
  {
    name: "note",
    group: "app",
    description:
      "Tell translators what a text of the Hive is for. The note follows its string through renames and merges. Without a text and a flag, show what is said about it.",
    load: async () => (await import("./client/note.ts")).noteCommand(),
  },
  {
    name: "picture",
    group: "app",
    description: "Add, list and remove pictures that show texts in the app.",
    load: async () => (await import("./client/picture.ts")).pictureCommand(),
  },
  {
    name: "untranslated",
    group: "app",
    description:
      "List the missing and stale texts of a locale. Their source texts are beside them; translators get them as CSV, XLIFF or PO.",
    load: async () => (await import("./client/untranslated.ts")).untranslatedCommand(),
  },
  {
    name: "import",
    group: "app",
    description:
      "Send translations from a file: CSV, XLIFF, or any format of the app's files. The changes are shown first.",
    load: async () => (await import("./client/import.ts")).importCommand(),
  },
  {
    name: "translate",
    group: "app",
    description:
      "Have a command translate what is missing, stale or failing. It reads strings as lines of JSON, and writes answers. Exits with 3 if an answer was refused twice, or there was none.",
    load: async () => (await import("./client/translate.ts")).translateCommand(),
  },
  {
    name: "mcp",
    group: "app",
    description:
      "Serve editors and agents by the Model Context Protocol. They talk over standard input and output.",
    load: async () => (await import("./client/mcp.ts")).mcpCommand(),
  },
  {
    name: "review",
    group: "app",
    description: "List, approve and reject translations that wait for a review.",
    load: async () => (await import("./client/review.ts")).reviewCommand(),
  },
  {
    name: "glossary",
    group: "app",
    description: "List, add, import, export and remove the terms of the Hive.",
    load: async () => (await import("./client/glossary.ts")).glossaryCommand(),
  },
  {
    name: "style",
    group: "app",
    description: "Show or set the style of a locale: how to address the reader, tone, punctuation.",
    load: async () => (await import("./client/style.ts")).styleCommand(),
  },
  {
    name: "branch",
    group: "app",
    description: "List, create, compare, merge and delete branches of the Hive.",
    load: async () => (await import("./client/branch.ts")).branchCommand(),
  },
  {
    name: "login",
    group: "app",
    description:
      "Sign in to a server in your browser, with a code. The browser may be on another machine. The commands here and git then work in your name.",
    load: async () => (await import("./people/login.ts")).loginCommand(),
  },
  {
    name: "logout",
    group: "app",
    description: "Revoke the token that login got, and forget it.",
    load: async () => (await import("./people/login.ts")).logoutCommand(),
  },
  {
    name: "completion",
    group: "app",
    description: "Print a script for completion in bash, zsh or fish.",
    load: async () => (await import("./completion.ts")).completionCommand(),
  },
  {
    name: "format",
    group: "clone",
    description: "Bring files into the layout that Skep stores. A push requires it.",
    load: async () => (await import("./clone/format.ts")).formatCommand(),
  },
  {
    name: "merge-driver",
    group: "clone",
    description: "Merge a file key by key, as a merge driver of git.",
    load: async () => (await import("./clone/merge-driver.ts")).mergeDriverCommand(),
  },
  {
    name: "git-credential",
    group: "clone",
    description: "Tell git the token that login got, as a credential helper.",
    load: async () => (await import("./people/git-credential.ts")).gitCredentialCommand(),
  },
  {
    name: "serve",
    group: "server",
    description:
      "Serve the Hives of a storage folder over HTTP. The API is described at /docs, and as OpenAPI at /openapi.json.",
    load: async () => (await import("./serve.ts")).serveCommand(),
  },
  {
    name: "team",
    group: "server",
    description: "Create, change and list teams.",
    load: async () => (await import("./team.ts")).teamCommand(),
  },
  {
    name: "hive",
    group: "server",
    description: "Create, change, list and delete Hives.",
    load: async () => (await import("./hive.ts")).hiveCommand(),
  },
  {
    name: "locale",
    group: "server",
    description: "Add, change and remove locales of a Hive.",
    load: async () => (await import("./locale.ts")).localeCommand(),
  },
  {
    name: "file",
    group: "server",
    description: "Remove source files from a Hive.",
    load: async () => (await import("./file.ts")).fileCommand(),
  },
  {
    name: "token",
    group: "server",
    description: "Create, list and revoke access tokens.",
    load: async () => (await import("./token.ts")).tokenCommand(),
  },
  {
    name: "person",
    group: "server",
    description: "Add, change, invite, list and remove persons. They sign in and write under their own name.",
    load: async () => (await import("./people/person.ts")).personCommand(),
  },
  {
    name: "audit",
    group: "server",
    description:
      "Show who signed in, was refused, or changed rights. The newest entry is first. Entries are kept for 400 days.",
    load: async () => (await import("./people/audit.ts")).auditCommand(),
  },
  {
    name: "mirror",
    group: "server",
    description: "Push Hives to other git repositories.",
    load: async () => (await import("./mirror.ts")).mirrorCommand(),
  },
  {
    name: "webhook",
    group: "server",
    description: "Send commits to webhooks, as signed requests.",
    load: async () => (await import("./webhook.ts")).webhookCommand(),
  },
  {
    name: "follower",
    group: "server",
    description: "Let other servers copy this storage and answer reads.",
    load: async () => (await import("./follower.ts")).followerCommand(),
  },
  {
    name: "promote",
    group: "server",
    description: "Make a follower's copy the primary, if the old one is gone.",
    load: async () => (await import("./promote.ts")).promoteCommand(),
  },
  {
    name: "demote",
    group: "server",
    description: "Make a storage read-only, if a follower was promoted.",
    load: async () => (await import("./promote.ts")).demoteCommand(),
  },
  {
    name: "channel",
    group: "server",
    description: "Publish Hives to apps and caches, without a token.",
    load: async () => (await import("./channel.ts")).channelCommand(),
  },
  {
    name: "log",
    group: "server",
    description:
      "Show the history of a Hive, newest first. With --key, show how each commit changed that key.",
    load: async () => (await import("./log.ts")).logCommand(),
  },
  {
    name: "show",
    group: "server",
    description: "Show what a commit changed, key by key and word by word.",
    load: async () => (await import("./show.ts")).showCommand(),
  },
  {
    name: "undo",
    group: "server",
    description:
      "Revert a commit, or the translations of an origin. This is a new commit. If one of these texts has changed since, nothing is reverted. Settings stay as they are.",
    load: async () => (await import("./undo.ts")).undoCommand(),
  },
  {
    name: "verify",
    group: "server",
    description:
      "Check the whole storage, and repair it with --repair: repositories (with git fsck where git is installed), the content of files, settings, quotas and leftovers. Exits with 1 if anything is wrong and was not repaired.",
    load: async () => (await import("./verify.ts")).verifyCommand(),
  },
  {
    name: "maintain",
    group: "server",
    description:
      "Pack Hives with git, and remove what has expired. Packed Hives stay fast and small over thousands of commits. Hives leave the trash after 30 days. Entries of the audit log leave after 400 days. The server does this by itself; both may run at any time, and packing removes no data. Exits with 1 if a Hive could not be packed.",
    load: async () => (await import("./maintain.ts")).maintainCommand(),
  },
  {
    name: "backup",
    group: "server",
    description:
      "Copy the storage to another folder, while servers run. Exits with 1 if a Hive could not be copied as it is, in which case the backup keeps its earlier copy of that Hive, or if what was copied is damaged.",
    load: async () => (await import("./backup.ts")).backupCommand(),
  },
  {
    name: "restore",
    group: "server",
    description:
      "Fill an empty storage from a backup. The backup is checked first, as skep verify does. Its tokens are valid again. Exits with 1 and leaves the storage empty if anything is wrong.",
    load: async () => (await import("./restore.ts")).restoreCommand(),
  },
];
