/** The team: its quota, and for tokens that may manage it its tokens, mirrors and deleted Hives. */
import { Listing } from "../parts/listing.tsx";
import { allows, hasExpired, reachedOf, type Token } from "../../../domain/access/token.ts";
import { trashExpiry } from "../../../domain/hives/trash.ts";
import { mirrorsOf, type MirrorSummary } from "../../../service/admin/mirrors.ts";
import { listOwnTokens, revokeOwnToken } from "../../../service/admin/own-tokens.ts";
import { usageOf } from "../../../service/admin/teams.ts";
import type { LastUses } from "../../../service/storage.ts";
import { authorizeTeam, requireAbility } from "../../../service/access.ts";
import { listTrash, restoreHive } from "../../../service/admin/trash.ts";
import { teamWriteContext } from "../../../service/write-context.ts";
import { countOf } from "../parts/facts.tsx";
import { figure } from "../parts/progress.tsx";
import { Code, Name } from "../parts/text.tsx";
import { Day, Time } from "../parts/time.tsx";
import { PostForm } from "../parts/post-form.tsx";
import type { FormOf, PageResult, PageRoute, SignedInRequest, View } from "../requests/page.ts";

async function show(request: SignedInRequest): Promise<View> {
  const { storage, session, link, isCopy } = request;
  const { caller } = session;
  const { token, team } = caller;
  const isManager = allows(token, "admin");
  const reached = reachedOf(token, team.hives);
  const { strings } = await usageOf(storage, { ...team, hives: reached });
  const limit = token.hives === "all" ? team.maxStrings : undefined;
  return {
    title: team.name,
    body: (
      <>
        <p>
          {countOf(strings, "source string")} in {countOf(reached.length, "Hive")}
          {limit !== undefined && `, of at most ${figure(limit)}`}
        </p>
        {isManager ? (
          <>
            <h2>Tokens</h2>
            <Tokens
              request={request}
              tokens={await listOwnTokens(storage, caller)}
              uses={await storage.tokenUse.read()}
            />
            <h2>Mirrors</h2>
            <Mirrors mirrors={(await Promise.all(reached.map((slug) => mirrorsOf(storage, slug)))).flat()} />
            {token.hives === "all" && (
              <>
                <h2>Deleted Hives</h2>
                <Trash request={request} entries={await listTrash(storage, team.name)} />
              </>
            )}
          </>
        ) : (
          <p>Tokens, mirrors and deleted Hives are shown to tokens with the ability admin.</p>
        )}
        <h2>Your session</h2>
        <p>
          You are signed in with the token {token.name !== undefined && <Name name={token.name} />}{" "}
          <Code name={token.id} />.{" "}
          {!isCopy &&
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

function Tokens({
  request,
  tokens,
  uses,
}: {
  readonly request: SignedInRequest;
  readonly tokens: readonly Token[];
  readonly uses: LastUses;
}) {
  return (
    <Listing
      columns={["Token", "May", "Hives", "Made", "Last used", "Ends"]}
      rows={tokens.map((token) => {
        const { id, name, abilities, hives, locales, created, expires } = token;
        const ended = hasExpired(token, request.storage.now()) && "ended ";
        return {
          cells: [
            <>
              {name !== undefined && <Name name={name} />} <Code name={id} />
            </>,
            `${abilities.join(", ")}${locales === undefined ? "" : ` into ${locales.join(", ")} alone`}`,
            hives === "all" ? "all" : <Name name={hives.join(", ")} />,
            <Time seconds={Date.parse(created) / 1000} />,
            uses.get(id) ?? "never seen",
            expires === undefined ? (
              "never"
            ) : (
              <>
                {ended}
                <Day seconds={Date.parse(expires) / 1000} />
              </>
            ),
          ],
          action: request.isCopy ? undefined : <Revoke request={request} token={token} />,
        };
      })}
    />
  );
}

/** Two presses, because nobody can take it back. */
function Revoke({
  request: { session, link },
  token: { id, name },
}: {
  readonly request: SignedInRequest;
  readonly token: Token;
}) {
  const isOwn = id === session.caller.token.id;
  return (
    <details class="confirm">
      <summary>
        Revoke…{" "}
        <span class="visually-hidden">
          <Name name={name ?? id} />
        </span>
      </summary>
      <PostForm session={session} to={link(["team", "revoke"])}>
        <p>
          Nobody can use it any more, and it cannot be brought back.
          {isOwn && " You are signed in with it, so your session ends, too."}
        </p>
        <button name="token" value={id}>
          Revoke <Name name={name ?? id} />
        </button>
      </PostForm>
    </details>
  );
}

const statusWords: Readonly<Record<MirrorSummary["status"], string>> = {
  pushed: "up to date",
  waiting: "has changes to get",
  failed: "the last push failed",
  rejected: "has other commits, so pushes are rejected",
  "no-git": "cannot be pushed to: this machine has no git",
  unreadable: "its settings cannot be read",
};

function Mirrors({ mirrors }: { readonly mirrors: readonly MirrorSummary[] }) {
  if (mirrors.length === 0) return <p>None of the Hives is pushed to another repository.</p>;
  return (
    <Listing
      columns={["Hive", "Address", "State", "Last push", "Next try"]}
      rows={mirrors.map(({ slug, url, status, state, problem }) => ({
        cells: [
          <Code name={slug} />,
          url === undefined ? "" : <Name name={url} />,
          <>
            {statusWords[status]}
            <Problem text={problem ?? state?.failure?.error} />
          </>,
          <TimeOf at={state?.pushed?.at} />,
          <TimeOf at={status === "failed" ? state?.failure?.retryAt : undefined} />,
        ],
      }))}
    />
  );
}

/** What a program said was wrong. */
function Problem({ text }: { readonly text: string | undefined }) {
  return text === undefined ? null : (
    <p class="aside-text">
      <Name name={text} />
    </p>
  );
}

/** A time in ISO 8601. */
function TimeOf({ at }: { readonly at: string | undefined }) {
  return at === undefined ? <>–</> : <Time seconds={Date.parse(at) / 1000} />;
}

function Trash({
  request: { session, link, isCopy },
  entries,
}: {
  readonly request: SignedInRequest;
  readonly entries: Awaited<ReturnType<typeof listTrash>>;
}) {
  if (entries.length === 0) return <p>There are none.</p>;
  return (
    <Listing
      columns={["Hive", "Deleted", "Can be restored until"]}
      rows={entries.map(({ id, slug, deleted }) => ({
        cells: [
          <Code name={slug} />,
          <Time seconds={deleted / 1000} />,
          <Day seconds={trashExpiry(deleted) / 1000} />,
        ],
        action: isCopy ? undefined : (
          <PostForm session={session} to={link(["team", "restore"])}>
            <button name="entry" value={id}>
              Restore <span class="visually-hidden">{slug}</span>
            </button>
          </PostForm>
        ),
      }))}
    />
  );
}

async function restore({ storage, session, link, form }: FormOf<SignedInRequest>): Promise<PageResult> {
  requireAbility(session.caller, "admin");
  const { caller } = teamWriteContext(storage, authorizeTeam(session.caller, "admin", true), {});
  const slug = await restoreHive(storage, { text: form.text("entry"), caller });
  return { to: link(["hives", slug]), notice: "restored" };
}

async function revoke({ storage, session, link, form }: FormOf<SignedInRequest>): Promise<PageResult> {
  requireAbility(session.caller, "admin");
  await revokeOwnToken(storage, authorizeTeam(session.caller, "admin", false), form.text("token"));
  return { to: link(["team"]), notice: "revoked" };
}

export const teamPages: readonly PageRoute[] = [
  { kind: "signed-in", path: "/team", handler: show },
  { kind: "signed-in-form", path: "/team/restore", handler: restore },
  { kind: "signed-in-form", path: "/team/revoke", handler: revoke },
];
