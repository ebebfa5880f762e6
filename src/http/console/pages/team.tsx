/** The team: its quota, its mirrors, its deleted Hives, and the caller's session. */
import { writerOf } from "../../../domain/access/principal.ts";
import { allows, reachedOf } from "../../../domain/access/token.ts";
import { trashExpiry } from "../../../domain/hives/trash.ts";
import { mirrorsOf, type MirrorSummary } from "../../../service/admin/mirrors.ts";
import { usageOf } from "../../../service/admin/teams.ts";
import { listTrash, restoreHive } from "../../../service/admin/trash.ts";
import { countOf } from "../parts/facts.tsx";
import { Listing } from "../parts/listing.tsx";
import { PostForm } from "../parts/post-form.tsx";
import { UsageBar } from "../parts/progress.tsx";
import { teamPage, teamTabs } from "../parts/navigation.ts";
import { Code, Name } from "../parts/text.tsx";
import { Day, Time, TimeOf } from "../parts/time.tsx";
import { manageTeam } from "../requests/manage.ts";
import type { FormOf, PageResult, PageRoute, SignedInRequest, View } from "../requests/page.ts";
import { figure } from "../requests/reader.ts";

async function show(request: SignedInRequest): Promise<View> {
  const { storage, session, link, isCopy } = request;
  const { principal, team } = session.caller;
  const reached = reachedOf(principal, team.hives);
  const { strings } = await usageOf(storage, { ...team, hives: reached });
  const limit = principal.hives === "all" ? team.maxStrings : undefined;
  return {
    title: team.name,
    above: [],
    tabs: teamTabs(request, "Team"),
    body: (
      <>
        <p>
          {countOf(strings, "source string")} in {countOf(reached.length, "Hive")}
          {limit !== undefined && `, of at most ${figure(limit)}`}
        </p>
        {limit !== undefined && <UsageBar used={strings} limit={limit} />}
        {!allows(principal, "admin") && (
          <p>Tokens, webhooks, mirrors and deleted Hives are shown to those with the ability admin.</p>
        )}
        <h2>Your session</h2>
        <p>
          You are signed in {principal.person === undefined && "with the token "}
          {principal.name !== undefined && <Name name={principal.name} />}{" "}
          <Code name={writerOf(principal) ?? ""} />.{" "}
          {!isCopy &&
            principal.person === undefined &&
            "Signing out everywhere ends all sessions that were begun with it, in every browser; the token itself stays valid."}
        </p>
        {!isCopy && (
          <PostForm session={session} to={link(["sign-out"])}>
            <button name="everywhere" value="yes">
              Sign out everywhere
            </button>
          </PostForm>
        )}
      </>
    ),
  };
}

/** The name and the mark of each status. */
const statuses: Readonly<Record<MirrorSummary["status"], readonly [mark: string, words: string]>> = {
  pushed: ["translated", "up to date"],
  waiting: ["waiting", "has changes to get"],
  failed: ["failing", "the last push failed"],
  rejected: ["failing", "has other commits, so pushes are rejected"],
  "no-git": ["failing", "cannot be pushed to: this machine has no git"],
  unreadable: ["failing", "its settings cannot be read"],
};

async function showMirrors(request: SignedInRequest): Promise<View> {
  const { storage, session, link } = request;
  const { caller } = session;
  manageTeam(request, false);
  const slugs = reachedOf(caller.principal, caller.team.hives);
  const mirrors = (await Promise.all(slugs.map((slug) => mirrorsOf(storage, slug)))).flat();
  return teamPage(
    request,
    "Mirrors",

    mirrors.length === 0 ? (
      <p>
        None of the Hives is pushed to another repository. <code>skep mirror add SLUG URL</code> adds one on
        the server's machine.
      </p>
    ) : (
      <Listing
        columns={["Hive", "Address", "State", "Last push", "Next try"]}
        rows={mirrors.map(({ slug, url, status, state, problem }) => ({
          cells: [
            <a href={link(["hives", slug])}>
              <Code name={slug} />
            </a>,
            url === undefined ? "" : <Name name={url} />,
            <>
              <span class={`mark ${statuses[status][0]}`}>{statuses[status][1]}</span>
              <Problem text={problem ?? state?.failure?.error} />
            </>,
            <TimeOf at={state?.pushed?.at} />,
            <TimeOf at={status === "failed" ? state?.failure?.retryAt : undefined} />,
          ],
        }))}
      />
    ),
  );
}

/** An error message of a program. */
function Problem({ text }: { readonly text: string | undefined }) {
  return text === undefined ? null : (
    <p class="aside-text">
      <Name name={text} />
    </p>
  );
}

async function showDeleted(request: SignedInRequest): Promise<View> {
  const { storage, session, link, isCopy } = request;
  const { caller } = session;
  manageTeam(request, true);
  const entries = await listTrash(storage, caller.team.name);
  return teamPage(
    request,
    "Deleted Hives",

    entries.length === 0 ? (
      <p>There are none.</p>
    ) : (
      <Listing
        columns={["Hive", "Deleted", "Can be restored until"]}
        rows={entries.map(({ id, slug, deleted }) => ({
          cells: [
            <Code name={slug} />,
            <Time seconds={deleted / 1000} />,
            <Day seconds={trashExpiry(deleted) / 1000} />,
          ],
          action: isCopy ? undefined : (
            <PostForm session={session} to={link(["team", "deleted"])}>
              <button name="entry" value={id}>
                Restore <span class="visually-hidden">{slug}</span>
              </button>
            </PostForm>
          ),
        }))}
      />
    ),
  );
}

async function restore({ form, ...request }: FormOf<SignedInRequest>): Promise<PageResult> {
  const { caller } = manageTeam(request, true).context;
  const slug = await restoreHive(request.storage, { text: form.text("entry"), caller });
  return { to: request.link(["hives", slug]), notice: "restored" };
}

export const teamPages: readonly PageRoute[] = [
  { kind: "signed-in", path: "/team", handler: show },
  { kind: "signed-in", path: "/team/mirrors", handler: showMirrors },
  { kind: "signed-in", path: "/team/deleted", handler: showDeleted },
  { kind: "signed-in-form", path: "/team/deleted", handler: restore },
];
