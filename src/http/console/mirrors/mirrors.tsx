/** The mirrors of a team's Hives with their states. */
import type { Child } from "hono/jsx";
import { z } from "zod";
import type { MirrorAnswer } from "../../../api/mirrors.ts";
import { mirrorFolders, teamMirrors } from "../../../service/admin/team-mirrors.ts";
import { mirrorOperations, toMirror } from "../../operations/mirrors.ts";
import { check } from "../../schemas/schemas.ts";
import { Listing, teamPage, ListWithForm } from "../parts/navigation.tsx";
import { needsOf, OperationButtons, OperationForm, operationForms } from "../parts/operation-form.tsx";
import { offersOf } from "../parts/member-fields.ts";
import { Code, Name, TimeOf } from "../parts/text.tsx";
import type { FormState } from "../requests/form.ts";
import type { PageRoute, TeamRequest, View } from "../requests/page.ts";
import { comma, t } from "../texts/texts.ts";
import { saidNow } from "../texts/reasons.ts";

const statusMarks: Readonly<Record<MirrorAnswer["state"], string>> = {
  pushed: "translated",
  waiting: "waiting",
  failed: "failing",
  rejected: "failing",
  "no-git": "failing",
  unreadable: "failing",
};

/** `change` names the mirror that the form edits. */
const mirrorsQuery = z.object({ change: z.string().optional() });

const mirrorPage = { implemented: mirrorOperations, path: "team/mirrors" };

async function mirrorsOf({ storage, session }: TeamRequest): Promise<readonly MirrorAnswer[]> {
  return (await teamMirrors(storage, session.caller)).map(toMirror);
}

async function show(request: TeamRequest, submitted?: FormState, notice?: string): Promise<View> {
  const { storage, session, link, query } = request;
  const { caller } = session;
  const mirrors = await mirrorsOf(request);
  const { change } = check(mirrorsQuery, submitted?.values ?? query, "query");
  const edited = mirrors.find(({ id }) => id !== null && id === change);
  const folders = mirrorFolders(storage.limits, caller.team.name);
  const offers = offersOf(caller);
  const hint = folders.length === 0 ? undefined : t("mirrors.below", { folders: folders.join(comma()) });
  const page = teamPage(
    request,
    "Mirrors",
    <>
      <ListWithForm
        list={
          <Listing
            none={t("mirrors.none_of_the_hives")}
            columns={["hive", "address", "gets", "state", "last_push", "next_try"]}
            rows={mirrors.map((mirror) => ({
              cells: cellsOf(mirror, link),
              action: mirror.id === null ? undefined : <OperationButtons page={mirrorPage} entity={mirror} />,
            }))}
          />
        }
        form={
          (folders.length > 0 && offers.hives.length > 0) || edited !== undefined ? (
            <OperationForm
              page={mirrorPage}
              offers={offers}
              edited={edited}
              title={edited && t("mirrors.change", { hive: edited.hive })}
              hints={{ url: hint }}
              submitted={submitted}
            />
          ) : (
            <p>
              {t("mirrors.the_operator_adds_mirrors", {
                command: <code>skep mirror create HIVE URL</code>,
                setting: <code>--mirror-allow</code>,
              })}
            </p>
          )
        }
      />
    </>,
  );
  return { ...page, notice };
}

function cellsOf(
  { id, hive, url, branches, state, error, pushed, retry }: MirrorAnswer,
  link: TeamRequest["link"],
): readonly Child[] {
  return [
    <Code name={hive} href={link(["hives", hive])} />,
    url === null ? "" : <Name name={url} />,
    id === null ? "" : t(branches ? "mirrors.all_branches" : "mirrors.main"),
    <>
      <span class={`mark ${statusMarks[state]}`}>{t(`mirror.${state}`)}</span>
      {error !== null && (
        <p class="aside-text">
          <Name name={saidNow(error)} />
        </p>
      )}
    </>,
    <TimeOf at={pushed ?? undefined} />,
    <TimeOf at={state === "failed" ? (retry ?? undefined) : undefined} />,
  ];
}

/** What a push came to. */
function noticeOf(state: unknown) {
  if (state === "pushed") return "mirrors.pushed" as const;
  return state === "waiting" ? ("mirrors.still_pushing" as const) : ("mirrors.the_push_failed" as const);
}

const notices = { create: "mirror-added", edit: "saved", delete: "deleted" } as const;

export const mirrorPages: readonly PageRoute[] = [
  {
    kind: "team",
    path: "/team/mirrors",
    needs: needsOf(mirrorOperations),
    handler: (request) => show(request),
  },
  ...operationForms({
    ...mirrorPage,
    show,
    editing: async (request, wanted) => {
      const entity = (await mirrorsOf(request)).find(({ id }) => id === wanted);
      return entity && { entity, offers: offersOf(request.session.caller) };
    },
    done: async ({ verb }, { state }, request) => {
      if (verb === "create" || verb === "edit" || verb === "delete")
        return { to: request.link(["team", "mirrors"]), notice: notices[verb] };
      return show(request, undefined, t(noticeOf(state)));
    },
  }),
];
