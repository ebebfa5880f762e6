/** All commands, with their descriptions in `skep --help` and the modules that are loaded when a command runs. */
import type { CommandUnknownOpts } from "@commander-js/extra-typings";

/** The groups in which the help shows the commands. */
export const groupTitles = {
  app: "In an app's repository:",
  clone: "In a clone of a Hive:",
  manage: "With a token from anywhere, or on the server's machine:",
  server: "On the server's machine:",
} as const;

type GroupName = keyof typeof groupTitles;

interface NamedCommand {
  /** The help of all commands shows its first sentence: one line of at most 60 characters. */
  readonly description: string;
  readonly load: () => Promise<CommandUnknownOpts>;
}

/** By name, in the order of the help. One line a command. */
// oxfmt-ignore
const groups: Readonly<Record<GroupName, Readonly<Record<string, NamedCommand>>>> = {
  app: {
    init: { load: async () => (await import("./init/init.ts")).initCommand(), description: "Find the app's translation files, and write a skep.yaml. On a terminal it also signs in, chooses or creates the Hive, and offers the first push." },
    push: { load: async () => (await import("./client/push.ts")).pushCommand(), description: "Send the app's source files to the Hive. Strings that the files no longer have are deleted from it. With --translations, also send the app's translations." },
    pull: { load: async () => (await import("./client/pull.ts")).pullCommand(), description: "Write the Hive's translations into the app's files. Each file keeps its format. Either all files are written or none. Source files are never written." },
    status: { load: async () => (await import("./client/status.ts")).statusCommand(), description: "Show how much is translated, and what differs from the Hive. With --fail-on-missing, --fail-on-stale or --min it is a check for CI, and exits with 3 if the check fails." },
    open: { load: async () => (await import("./client/open.ts")).openCommand(), description: "Show the address of a page of the console, and open it. The page is of the Hive, of a string, or of the work of a locale. A browser is opened only on a terminal that has one, and not where CI is set." },
    check: { load: async () => (await import("./client/check.ts")).checkCommand(), description: "Check the app's translations without a server: arguments, plurals, markup. In a clone of a Hive, check the clone. With --hive, list the findings of a Hive on the server. Exits with 3 if there are errors." },
    types: { load: async () => (await import("./code/types.ts")).typesCommand(), description: "Write the app's keys and arguments as TypeScript. A misspelt key or a missing argument then does not compile, with i18next, FormatJS and vue-i18n. Needs no server." },
    diff: { load: async () => (await import("./client/diff.ts")).diffCommand(), description: "Show each key that a push and a pull would change." },
    move: { load: async () => (await import("./client/move.ts")).moveCommand(), description: "Rename a string, a group of strings or a file of the Hive. Its translations and its history are kept. Rename it in the app's files too before the next push. If you rename it only there, the push detects the move itself." },
    note: { load: async () => (await import("./client/note.ts")).noteCommand(), description: "Tell translators what a text of the Hive is for. The note follows its string through renames and merges." },
    picture: { load: async () => (await import("./client/picture.ts")).pictureCommand(), description: "Create, list and delete pictures that show texts in the app." },
    untranslated: { load: async () => (await import("./client/untranslated.ts")).untranslatedCommand(), description: "List the missing and stale texts of a locale. Their source texts are beside them; translators get them as CSV, XLIFF or PO." },
    import: { load: async () => (await import("./moving/import.ts")).importCommand(), description: "Send translations from a file, or another tool's export. A file is CSV, XLIFF, or in any format of the app's files. With --from, the export of Weblate, Tolgee, Crowdin, Lokalise, Phrase or Pontoon comes with its states, notes, pictures and terms. All is shown first." },
    export: { load: async () => (await import("./moving/export.ts")).exportCommand(), description: "Write all that the Hive has into a folder, in open formats. These are the app's own formats, JSON, XLIFF with states and notes, TMX, TBX, and the pictures. skep import --from skep reads it." },
    replace: { load: async () => (await import("./client/replace.ts")).replaceCommand(), description: "Find and replace text in the Hive's translations. Arguments and tags stay as they are. The changes are shown first, and are one commit." },
    translate: { load: async () => (await import("./client/translate.ts")).translateCommand(), description: "Have an engine translate what is missing. With --with, a command translates what is missing, stale or failing: it reads strings as lines of JSON, and writes answers. Exits with 3 if answers were refused, or there were none." },
    mcp: { load: async () => (await import("./client/mcp.ts")).mcpCommand(), description: "Serve editors and agents by the Model Context Protocol. They talk over standard input and output." },
    review: { load: async () => (await import("./client/review.ts")).reviewCommand(), description: "List, approve and reject translations that wait for a review." },
    glossary: { load: async () => (await import("./client/glossary.ts")).glossaryCommand(), description: "List, create, import, export and delete terms of the Hive." },
    style: { load: async () => (await import("./client/style.ts")).styleCommand(), description: "Show or set the style of a locale: how to address the reader, tone, punctuation." },
    branch: { load: async () => (await import("./client/branch.ts")).branchCommand(), description: "List, create, compare, merge and delete branches of the Hive." },
    tag: { load: async () => (await import("./client/tag.ts")).tagCommand(), description: "List and create tags of the Hive, which mark releases." },
    login: { load: async () => (await import("./people/login.ts")).loginCommand(), description: "Sign in to a server in your browser, with a code. The browser may be on another machine. The commands here and git then work in your name." },
    logout: { load: async () => (await import("./people/login.ts")).logoutCommand(), description: "Revoke the token of skep login, and forget it." },
    completion: { load: async () => (await import("./completion.ts")).completionCommand(), description: "Print a script for completion in bash, zsh, fish, PowerShell." },
  },
  clone: {
    format: { load: async () => (await import("./clone/format.ts")).formatCommand(), description: "Bring files into the layout that Skep stores. A push requires it." },
    "merge-driver": { load: async () => (await import("./clone/merge-driver.ts")).mergeDriverCommand(), description: "Merge a file key by key, as a merge driver of git." },
    "git-credential": { load: async () => (await import("./people/git-credential.ts")).gitCredentialCommand(), description: "Give git the token of skep login, as a credential helper." },
  },
  manage: {
    log: { load: async () => (await import("./log.ts")).logCommand(), description: "Show the history of a Hive, newest first. With --key, show how each commit changed that key." },
    show: { load: async () => (await import("./show.ts")).showCommand(), description: "Show what a commit changed, key by key and word by word." },
    undo: { load: async () => (await import("./undo.ts")).undoCommand(), description: "Revert a commit, or the translations of an origin. This is a new commit. If one of these texts has changed since, nothing is reverted. Settings stay as they are." },
    hive: { load: async () => (await import("./hive.ts")).hiveCommand(), description: "Create, change, list, show and delete Hives." },
    file: { load: async () => (await import("./operations/operation-command.ts")).nounCommand("file"), description: "Delete source files of a Hive." },
    comment: { load: async () => (await import("./operations/operation-command.ts")).nounCommand("comment"), description: "Ask about strings of a Hive, answer, and list both." },
    locale: { load: async () => (await import("./locale.ts")).localeCommand(), description: "Create, change, list and delete locales of a Hive." },
    channel: { load: async () => (await import("./channel.ts")).channelCommand(), description: "Publish Hives to apps and caches, without a token." },
    person: { load: async () => (await import("./person.ts")).personCommand(), description: "Create, change, invite, list and delete persons. They sign in and write under their own name." },
    token: { load: async () => (await import("./operations/operation-command.ts")).nounCommand("token"), description: "Create, list and revoke access tokens." },
    mirror: { load: async () => (await import("./mirror.ts")).mirrorCommand(), description: "Push Hives to other git repositories." },
    engine: { load: async () => (await import("./operations/operation-command.ts")).nounCommand("engine"), description: "Manage engines, the machines that translate. Their keys are write-only." },
    webhook: { load: async () => (await import("./webhook.ts")).webhookCommand(), description: "Send commits to webhooks, as signed requests." },
  },
  server: {
    serve: { load: async () => (await import("./serve.ts")).serveCommand(), description: "Serve the Hives of a storage folder over HTTP. The API is described at /docs, and as OpenAPI at /openapi.json." },
    server: { load: async () => (await import("./server.ts")).serverCommand(), description: "Run, back up, restore, verify and maintain a server. With settings, show which settings hold, and where each comes from." },
    database: { load: async () => (await import("./upkeep/database.ts")).databaseCommand(), description: "Move a storage into a database, and back. The database is PostgreSQL, and several servers can work on it." },
    team: { load: async () => (await import("./team.ts")).teamCommand(), description: "Create, change, show and list teams." },
    audit: { load: async () => (await import("./people/audit.ts")).auditCommand(), description: "Show who signed in, was refused, or changed rights. The newest entry is first. Entries are kept for 400 days." },
  },
};

/** Earlier names of commands, which help does not show, each with the present one. */
// oxfmt-ignore
export const earlierCommands: readonly (Pick<NamedCommand, "load"> & { readonly name: string; readonly now: string })[] = [
  { name: "verify", now: "server verify", load: async () => (await import("./upkeep/verify.ts")).verifyCommand() },
  { name: "maintain", now: "server maintain", load: async () => (await import("./upkeep/maintain.ts")).maintainCommand() },
  { name: "backup", now: "server backup", load: async () => (await import("./upkeep/backup.ts")).backupCommand() },
  { name: "restore", now: "server restore", load: async () => (await import("./upkeep/restore.ts")).restoreCommand() },
  { name: "record", now: "database", load: async () => (await import("./upkeep/database.ts")).databaseCommand("record") },
];

function inGroup(group: GroupName) {
  return Object.entries(groups[group]).map(([name, command]) => Object.assign({ name, group }, command));
}

export const commands = [...inGroup("app"), ...inGroup("clone"), ...inGroup("manage"), ...inGroup("server")];
