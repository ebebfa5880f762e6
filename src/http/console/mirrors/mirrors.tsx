/** The mirrors of a team's Hives with their states. */
import { useReader } from "../requests/context.tsx";
import type { Child } from "hono/jsx";
import { z } from "zod";
import { reachedOf } from "../../../domain/access/token.ts";
import type { MirrorSummary } from "../../../service/admin/mirrors.ts";
import {
  addTeamMirror,
  changeTeamMirror,
  mirrorFolders,
  pushTeamMirror,
  removeTeamMirror,
  teamMirrors,
} from "../../../service/admin/team-mirrors.ts";
import { check } from "../../schemas/schemas.ts";
import { Listing, teamPage } from "../parts/navigation.tsx";
import { PageForm, teamForm, type TeamForm } from "../parts/page-form.tsx";
import type { FormField } from "../parts/fields.tsx";
import { Confirm, PostForm, Unseen } from "../parts/post-form.tsx";
import { Code, Name, TimeOf } from "../parts/text.tsx";
import type { FormState } from "../requests/form.ts";
import type { PageResult, PageRoute, TeamRequest, View, TeamFormRequest } from "../requests/page.ts";
import { t } from "../texts/texts.ts";

const statusMarks: Readonly<Record<MirrorSummary["status"], string>> = {
  pushed: "translated",
  waiting: "waiting",
  failed: "failing",
  rejected: "failing",
  "no-git": "failing",
  unreadable: "failing",
};

/** `change` names the mirror that the form changes. */
const mirrorsQuery = z.object({ change: z.string().optional() });

async function show(request: TeamRequest, submitted?: FormState, notice?: string): Promise<View> {
  const { storage, session, link, query } = request;
  const { caller } = session;
  const mirrors = await teamMirrors(storage, caller);
  const { change } = check(mirrorsQuery, submitted?.values ?? query, "query");
  const changed = mirrors.find(({ id }) => id !== undefined && id === change);
  const folders = mirrorFolders(storage.limits, caller.team.name);
  const slugs = reachedOf(caller.principal, caller.team.hives);
  const page = teamPage(
    request,
    "Mirrors",
    <>
      <Listing
        none={t("mirrors.none_of_the_hives")}
        columns={["hive", "address", "gets", "state", "last_push", "next_try"]}
        rows={mirrors.map((mirror) => ({
          cells: cellsOf(mirror, link),
          action: mirror.id === undefined ? undefined : <Actions mirror={mirror} id={mirror.id} />,
        }))}
      />
      {(folders.length > 0 && slugs.length > 0) || changed !== undefined ? (
        <PageForm
          title={
            changed === undefined ? t("mirrors.new_mirror") : t("mirrors.change", { hive: changed.slug })
          }
          of={mirrorForm}
          submitted={submitted}
          fields={fieldsOf(slugs, folders, changed)}
          hidden={changed?.id === undefined ? {} : { change: changed.id }}
        />
      ) : (
        <p>
          {t("mirrors.the_operator_adds_mirrors", {
            command: <code>skep mirror add SLUG URL</code>,
            setting: <code>--mirror-allow</code>,
          })}
        </p>
      )}
    </>,
  );
  return { ...page, notice };
}

function cellsOf(
  { slug, url, status, state, problem }: MirrorSummary,
  link: TeamRequest["link"],
): readonly Child[] {
  const error = problem ?? state?.failure?.error;
  return [
    <Code name={slug} href={link(["hives", slug])} />,
    url === undefined ? "" : <Name name={url} />,
    state === undefined ? "" : t(state.mirror.branches === true ? "mirrors.all_branches" : "mirrors.main"),
    <>
      <span class={`mark ${statusMarks[status]}`}>{t(`mirror.${status}`)}</span>
      {error !== undefined && (
        <p class="aside-text">
          <Name name={error} />
        </p>
      )}
    </>,
    <TimeOf at={state?.pushed?.at} />,
    <TimeOf at={status === "failed" ? state?.failure?.retryAt : undefined} />,
  ];
}

function Actions({ mirror: { url = "" }, id }: { mirror: MirrorSummary; id: string }) {
  const { link } = useReader();
  const to = link(["team", "mirrors", id]);
  return (
    <>
      <PostForm to={to}>
        <button name="change" value="push">
          {t("mirrors.push_now")} <Unseen name={url} />
        </button>
      </PostForm>
      <a href={link(["team", "mirrors"], { change: id })}>
        {t("common.change")} <Unseen name={url} />
      </a>
      <Confirm
        of="team/mirrors/remove"
        to={to}
        what={url}
        button={t("common.remove_3")}
        hidden={{ change: "remove" }}
      />
    </>
  );
}

function fieldsOf(
  slugs: readonly string[],
  folders: readonly string[],
  changed: MirrorSummary | undefined,
): readonly FormField[] {
  const hive = { kind: "one", name: "hive", options: slugs.map((slug) => [slug, slug] as const) } as const;
  const isOn = changed?.state?.mirror.branches === true;
  return [
    ...(changed === undefined ? [hive] : []),
    {
      name: "url",
      required: true,
      value: changed?.url,
      placeholder: "https://git.example.org/acme/web.git",
      hint: folders.length === 0 ? undefined : t("mirrors.below", { folders: folders.join(", ") }),
    },
    { kind: "switch", name: "branches", isOn },
  ];
}

const mirrorForm: TeamForm = {
  path: "team/mirrors",
  button: "common.save",
  needs: "admin",
  take: async ({ storage, session, grant, link, form }) => {
    const admin = { caller: session.caller, grant };
    const id = form.text("change");
    const wanted = { url: form.word("url") ?? "", branches: form.text("branches") === "true" };
    if (id === "") await addTeamMirror(storage, admin, { hive: form.text("hive"), ...wanted });
    else await changeTeamMirror(storage, admin, id, wanted);
    return { to: link(["team", "mirrors"]), notice: id === "" ? "mirror-added" : "saved" };
  },
};

async function act(request: TeamFormRequest): Promise<PageResult> {
  const { storage, session, grant, link, param, form, signal } = request;
  const admin = { caller: session.caller, grant };
  const id = param("mirror");
  if (form.text("change") === "remove") {
    await removeTeamMirror(storage, admin, id);
    return { to: link(["team", "mirrors"]), notice: "deleted" };
  }
  const { status } = await pushTeamMirror(storage, admin, id, signal);
  return show(request, undefined, t(pushed(status)));
}

function pushed(status: MirrorSummary["status"]) {
  if (status === "pushed") return "mirrors.pushed" as const;
  return status === "waiting" ? ("mirrors.still_pushing" as const) : ("mirrors.the_push_failed" as const);
}

const path = "/team/mirrors";

export const mirrorPages: readonly PageRoute[] = [
  { kind: "team", path, needs: "admin", handler: (request) => show(request) },
  teamForm(mirrorForm, show),
  { kind: "team-form", path: `${path}/:mirror`, needs: "admin", handler: act },
];
