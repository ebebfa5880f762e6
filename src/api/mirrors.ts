/** Mirrors of a team's Hives: git repositories elsewhere that each change is pushed to. */
import { z } from "zod";
import { count, named, nullableText, text } from "./objects.ts";
import { operations } from "./operation.ts";

const time = z.iso.datetime();
const exampleUrl = "https://git.example.org/acme/web.git";

const url = text.meta({
  description:
    "An https, ssh or file URL, `user@host:path` or an absolute path, without a password or token, below an address that the operator allows with `--mirror-allow`.",
  examples: [exampleUrl],
});
const branches = z.boolean("must be true or false").meta({
  description: "Whether it gets all branches instead of `main` alone.",
});

/** A mirror in an answer. */
export const mirror = named("Mirror", {
  id: nullableText.meta({ description: "Changes with the address; `null` where mirrors cannot be read." }),
  hive: z.string(),
  url: nullableText.meta({ description: "Without the user." }),
  branches: z.boolean(),
  added: time.nullable(),
  state: z.enum(["pushed", "waiting", "failed", "rejected", "no-git", "unreadable"]).meta({
    description:
      "`pushed`: it has everything. `waiting`: it is pushed to soon. `failed`: the last push failed and is tried again. `rejected`: it has other commits; the next push is made when the Hive changes, or by a request. `no-git`: the server has no git. `unreadable`: the Hive or its mirrors cannot be read.",
  }),
  commit: nullableText.meta({ description: "The commit of `main` that the last push brought." }),
  pushed: time.nullable().meta({ description: "When that was." }),
  error: nullableText.meta({ description: "Why the last push failed." }),
  attempts: count.meta({ description: "How many consecutive pushes have failed." }),
  retry: time.nullable().meta({ description: "When the push is tried again." }),
});
export type MirrorAnswer = z.infer<typeof mirror>;

const help = `The server (skep serve) pushes main and the tags after each commit, never by force, with the
installed git and the credentials that git finds for the server's user: credential helpers,
~/.netrc, ssh keys. After a failure, the push is repeated after 2 s, 4 s, and so on up to half
an hour. After a rejection, it is repeated when the Hive changes, or with skep mirror push.

With --branches, all branches are pushed. A branch that is deleted in the Hive is also deleted
at the remote, if it is still as Skep pushed it.

At a server, an address must lie below one that its operator allows with --mirror-allow.`;

export const mirrors = operations(
  {
    noun: "mirror",
    about: "Push Hives to other git repositories.",
    path: "/api/mirrors",
    key: "mirror",
    entity: mirror,
    label: "url",
    group: "Management",
    ability: "admin",
    columns: ["id", "hive", "url", "branches", "state", "pushed", "retry", "error"],
  },
  (op) => ({
    listMirrors: op.list({
      summary: "List mirrors",
      description: "The mirrors of the Hives that the token reaches, with their states.",
    }),
    getMirror: op.show({ summary: "Get a mirror" }),
    addMirror: op.create({
      summary: "Add a mirror",
      description:
        "The server pushes the whole history of the Hive to it, and each change from now on, with the credentials of the server's user. The operator allows addresses with `--mirror-allow`.",
      body: named("NewMirror", {
        hive: text.meta({ description: "The Hive that is mirrored.", examples: ["web"] }),
        url,
        branches: branches.optional(),
      }),
      example: { hive: "web", url: exampleUrl },
      errors: ["conflict", "quota", "too-many-attempts"],
      command: { args: ["hive", "url"], help },
      form: {
        title: "mirrors.new_mirror",
        button: "common.save",
        fields: { hive: { options: "hives" }, url: { placeholder: exampleUrl } },
      },
    }),
    updateMirror: op.edit({
      summary: "Change a mirror",
      description:
        "With another address it is another mirror, with another `id`, to which everything is pushed.",
      body: named("MirrorChange", {
        url: url
          .optional()
          .meta({ description: "Another address. The address that is shown changes nothing." }),
        branches: branches.optional(),
      }),
      example: { branches: true },
      errors: ["conflict", "too-many-attempts"],
      form: { button: "common.save" },
    }),
    removeMirror: op.delete({
      summary: "Remove a mirror",
      description: "The remote repository stays as it is.",
      form: { button: "common.remove_3", confirms: true },
    }),
    pushMirror: op.act("push", {
      summary: "Push to a mirror now",
      description:
        "Also if it rejected the last push. The response has the state after the push; after 15 s it is `waiting`, and the server goes on.",
      command: { fails: "error", done: "It was pushed to.", failed: "It was not pushed to" },
      form: { button: "mirrors.push_now" },
    }),
  }),
);
