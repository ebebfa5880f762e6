/** What the operations of mirrors do. */
import { mirrors, type MirrorAnswer } from "../../api/mirrors.ts";
import { toPageOf } from "../../api/page.ts";
import { teamOfMirror, type MirrorSummary } from "../../service/admin/mirrors.ts";
import {
  addTeamMirror,
  changeTeamMirror,
  findTeamMirror,
  pushTeamMirror,
  removeTeamMirror,
  teamMirrors,
} from "../../service/admin/team-mirrors.ts";
import { implement } from "./implement.ts";

/** A mirror as answers have it. */
export function toMirror({ slug, id, url, status, state, problem }: MirrorSummary): MirrorAnswer {
  const { mirror, pushed, failure } = state ?? {};
  return {
    id: id ?? null,
    hive: slug,
    url: url ?? null,
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

export const mirrorOperations = implement(
  mirrors,
  {
    listMirrors: async ({ storage, caller, query }) => ({
      result: toPageOf(await teamMirrors(storage, caller), query, toMirror),
    }),
    getMirror: ({ storage, caller, param }) => answer(findTeamMirror(storage, caller, param("mirror"))),
    addMirror: (request) => answer(addTeamMirror(request.storage, request, request.body)),
    updateMirror: (request) =>
      answer(changeTeamMirror(request.storage, request, request.param("mirror"), request.body)),
    removeMirror: (request) => answer(removeTeamMirror(request.storage, request, request.param("mirror"))),
    pushMirror: (request) =>
      answer(pushTeamMirror(request.storage, request, request.param("mirror"), request.event.req.signal)),
  },
  teamOfMirror,
);
