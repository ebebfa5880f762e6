/** Mirrors of the caller's team: list, add, change, push to and remove them. */
import { z } from "zod";
import type { MirrorSummary } from "../../../service/admin/mirrors.ts";
import { count, named, nullableText, pageOf, text } from "../../../api/objects.ts";
import {
  addTeamMirror,
  changeTeamMirror,
  pushTeamMirror,
  removeTeamMirror,
  teamMirrors,
} from "../../../service/admin/team-mirrors.ts";
import { withExample } from "../../../api/operation.ts";
import { teamGroup, type TeamRoute } from "../../pipeline/route.ts";
import { pageQuery, toPageOf } from "../../../api/page.ts";

const time = z.iso.datetime();
const url = text.meta({
  description:
    "An https, ssh or file URL, `user@host:path` or an absolute path, without a password or token, below an address that the operator allows with `--mirror-allow`.",
  examples: ["https://git.example.org/acme/web.git"],
});
const branches = z.boolean("must be true or false").meta({
  description: "Whether it gets all branches instead of `main` alone.",
});

const newMirrorBody = named("NewMirror", {
  hive: text.meta({ examples: ["web"] }),
  url,
  branches: branches.optional(),
});

const mirrorBody = named("MirrorChange", {
  url: url.optional().meta({ description: "Another address. The address that is shown changes nothing." }),
  branches: branches.optional(),
});

const mirrorResponse = named("Mirror", {
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
type MirrorResponse = z.infer<typeof mirrorResponse>;

const mirrorsResponse = pageOf("MirrorPage", mirrorResponse);

/** A mirror as JSON has it. */
function toMirror({ slug, id, url: shown, status, state, problem }: MirrorSummary): MirrorResponse {
  const { mirror, pushed, failure } = state ?? {};
  return {
    id: id ?? null,
    hive: slug,
    url: shown ?? null,
    branches: mirror?.branches ?? false,
    added: mirror?.added ?? null,
    state: status,
    commit: pushed?.commit ?? null,
    pushed: pushed?.at ?? null,
    error: failure?.error ?? problem ?? null,
    attempts: failure?.attempts ?? 0,
    retry: status === "failed" || status === "no-git" ? (failure?.retryAt ?? null) : null,
  };
}

async function answer(mirror: Promise<MirrorSummary>) {
  return { result: toMirror(await mirror) };
}

const path = "/api/mirrors";
const exampleUrl = "https://git.example.org/acme/web.git";
const response = mirrorResponse;

const teamRoute = teamGroup("Management", { ability: "admin", requiresAllHives: false });

export const mirrorRoutes: readonly TeamRoute[] = [
  teamRoute("listMirrors", "GET", path, {
    summary: "List mirrors",
    description: "The mirrors of the Hives that the token reaches, with their states.",
    query: pageQuery,
    response: mirrorsResponse,
    async handler({ storage, caller, query }) {
      return { result: toPageOf(await teamMirrors(storage, caller), query, toMirror) };
    },
  }),
  teamRoute("addMirror", "POST", path, {
    summary: "Add a mirror",
    description:
      "The server pushes the whole history of the Hive to it, and each change from now on, with the credentials of the server's user. The operator allows addresses with `--mirror-allow`.",
    body: withExample(newMirrorBody, { hive: "web", url: exampleUrl }),
    status: 201,
    response: mirrorResponse,
    errors: ["conflict", "quota"],
    handler: (request) => answer(addTeamMirror(request.storage, request, request.body)),
  }),
  teamRoute("updateMirror", "PATCH", `${path}/:mirror`, {
    summary: "Change a mirror",
    description:
      "With another address it is another mirror, with another `id`, to which everything is pushed.",
    body: withExample(mirrorBody, { branches: true }),
    response: mirrorResponse,
    errors: ["conflict"],
    handler(request) {
      const { storage, body, param } = request;
      return answer(changeTeamMirror(storage, request, param("mirror"), body));
    },
  }),
  teamRoute("removeMirror", "DELETE", `${path}/:mirror`, {
    summary: "Remove a mirror",
    description: "The remote repository stays as it is.",
    response,
    handler: (request) => answer(removeTeamMirror(request.storage, request, request.param("mirror"))),
  }),
  teamRoute("pushMirror", "POST", `${path}/:mirror/push`, {
    summary: "Push to a mirror now",
    description:
      "Also if it rejected the last push. The response has the state after the push; after 15 s it is `waiting`, and the server goes on.",
    response,
    handler(request) {
      const { event, storage, param } = request;
      return answer(pushTeamMirror(storage, request, param("mirror"), event.req.signal));
    },
  }),
];
