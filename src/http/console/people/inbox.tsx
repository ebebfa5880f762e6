/** The inbox: what others did with one's texts and questions, and what work waits. */
import { z } from "zod";
import { pageQuery, toOffsetLimit } from "../../../api/page.ts";
import { inboxDays } from "../../../domain/inbox/limits.ts";
import { codeOf, type Locale } from "../../../domain/hives/locale.ts";
import { countWork, type HiveCounts, type InboxCounts } from "../../../service/inbox/counts.ts";
import {
  countNew,
  markSeen,
  readInbox,
  showEvents,
  type Inbox,
  type ShownEvent,
} from "../../../service/inbox/inbox.ts";
import { keepNews } from "../../../service/inbox/news.ts";
import { check } from "../../schemas/schemas.ts";
import { workQuery } from "../desk/choose.tsx";
import { nameOf } from "../editor/editor.tsx";
import { Empty, Pager } from "../parts/navigation.tsx";
import { PostForm } from "../parts/post-form.tsx";
import { Facts, Key, Name, Text, TimeOf, WordDiff } from "../parts/text.tsx";
import { useReader } from "../requests/context.tsx";
import { stringLink, type Link } from "../requests/links.ts";
import type { PageResult, PageRoute, TeamFormRequest, TeamRequest, View } from "../requests/page.ts";
import { languageName, t } from "../texts/texts.ts";

const perPage = 50;
/** How long a page counts what waits; what is left is counted for the next. */
const patienceMs = 500;
/** How much of a text is shown. */
const maxText = 500;
/** Of how many languages of a Hive one line tells each. */
const maxLocales = 6;

const inboxQuery = pageQuery.pick({ page: true }).extend({ show: z.literal("answers").optional() });

async function show(request: TeamRequest): Promise<View> {
  const { storage, session, query, link, signal } = request;
  const { caller } = session;
  const { page, show: only } = check(inboxQuery, query, "query");
  const paging = { page, per_page: perPage };
  const all = await readInbox(storage, caller, signal);
  const { person } = caller.principal;
  const count = countNew(all);
  if (person !== undefined) keepNews(storage, person, count);
  const until = performance.now() + patienceMs;
  const work = await countWork(storage, caller, () => performance.now() > until, signal);
  const answers = all.events.filter(({ kind }) => kind === "answered");
  const inbox = only === undefined ? all : { ...all, events: answers };
  const shown = await showEvents(storage, inbox, toOffsetLimit(paging));
  const newest = all.events[0]?.at;
  return {
    title: t("inbox.inbox"),
    above: [],
    action:
      newest !== undefined && count > 0 ? (
        <PostForm to={link(["inbox"])} hidden={{ until: newest }}>
          <button>{t("inbox.mark_all_as_read")}</button>
        </PostForm>
      ) : undefined,
    body: (
      <>
        <Waiting work={work} />
        {person !== undefined && (
          <section aria-labelledby="events">
            <h2 id="events">{t("inbox.what_others_did")}</h2>
            <p class="actions">
              <Choice to={link(["inbox"])} isChosen={only === undefined} text={t("inbox.all_events")} />
              <Choice
                to={link(["inbox"], { show: "answers" })}
                isChosen={only !== undefined}
                text={t("inbox.my_questions")}
              />
            </p>
            <Events inbox={inbox} shown={shown.entries} />
            <Pager paging={paging} total={shown.total} path={["inbox"]} query={{ show: only }} />
          </section>
        )}
      </>
    ),
  };
}

function Choice({ to, isChosen, text }: { to: string; isChosen: boolean; text: string }) {
  return (
    <a class="button quiet" href={to} aria-current={isChosen ? "page" : undefined}>
      {isChosen ? <strong>{text}</strong> : text}
    </a>
  );
}

function Waiting({ work: { hives, isAll } }: { work: InboxCounts }) {
  return (
    <section aria-labelledby="waiting">
      <h2 id="waiting">{t("inbox.waiting_for_you")}</h2>
      {hives.length === 0 && isAll && (
        <Empty text={t("inbox.nothing_waits")} to={useReader().link([])} action="common.hives" />
      )}
      {hives.length > 0 && (
        <ul class="cards">
          {hives.map((one) => (
            <WaitingHive counts={one} />
          ))}
        </ul>
      )}
      {!isAll && <p class="soft">{t("inbox.not_all_counted")}</p>}
    </section>
  );
}

function WaitingHive({ counts }: { counts: HiveCounts }) {
  const { link } = useReader();
  const { hive, locales, reviews, toTranslate, questions, conflicts } = counts;
  const at: Link = (path, query) => link(["hives", hive.slug, ...path], query);
  const isShort = locales.length <= maxLocales;
  return (
    <li class="card">
      <h3>
        <Name name={hive.name} href={at([])} />
      </h3>
      <Facts
        items={[
          !isShort && reviews > 0 && <a href={at(["review"])}>{t("inbox.reviews", { count: reviews })}</a>,
          !isShort && toTranslate > 0 && (
            <a href={at(["translate"])}>{t("inbox.to_translate", { count: toTranslate })}</a>
          ),
          questions > 0 && (
            <a href={at(["comments"], { show: "others" })}>{t("inbox.questions", { count: questions })}</a>
          ),
          conflicts > 0 && <a href={at(["branches"])}>{t("inbox.conflicts", { count: conflicts })}</a>,
        ]}
      />
      {isShort &&
        locales.map(({ locale, ...own }) => (
          <Facts
            items={[
              languageName(locale),
              own.reviews > 0 && (
                <a href={at(["translate", codeOf(locale)], workQuery("review"))}>
                  {t("inbox.reviews", { count: own.reviews })}
                </a>
              ),
              own.toTranslate > 0 && (
                <a href={at(["translate", codeOf(locale)])}>
                  {t("inbox.to_translate", { count: own.toTranslate })}
                </a>
              ),
            ]}
          />
        ))}
    </li>
  );
}

function Events({ inbox, shown }: { inbox: Inbox; shown: readonly ShownEvent[] }) {
  if (shown.length === 0) return <p>{t("inbox.no_events", { days: inboxDays })}</p>;
  return (
    <ol class="thread">
      {shown.map((event) => (
        <Event event={event} isNew={event.at > (inbox.seen ?? "")} />
      ))}
    </ol>
  );
}

function Event({ event, isNew }: { event: ShownEvent; isNew: boolean }) {
  const { link } = useReader();
  const { kind, hive, file, key, item, locale, author, at } = event;
  const hiveLink: Link = (path, query) => link(["hives", hive.slug, ...path], query);
  const to = stringLink(hiveLink, file, item);
  const said = {
    author: <Name name={author ?? t("comments.somebody")} />,
    key: <Key name={key} href={kind === "answered" ? `${to}#comments` : to} />,
    locale: locale === undefined ? "" : <LocaleOf event={event} locale={locale} at={hiveLink} />,
  };
  const isRemoved = kind === "changed" && event.after === undefined;
  return (
    <li>
      <div class="heading">
        <p>
          {isNew && <span class="mark waiting">{t("inbox.new")}</span>}{" "}
          {t(`inbox.${isRemoved ? "removed" : kind}`, said)}
        </p>
        <Facts
          items={[
            <Name name={hive.name} href={hiveLink([])} />,
            kind === "answered" ? (
              <TimeOf at={at} />
            ) : (
              <a href={hiveLink(["history", event.commit])}>
                <TimeOf at={at} />
              </a>
            ),
          ]}
        />
      </div>
      {kind === "answered" ? (
        <p class="said">
          <Text text={event.text} limit={maxText} />
        </p>
      ) : (
        <p class="said">
          <WordDiff before={event.before} after={event.after} lang={locale?.code} />
        </p>
      )}
      {event.reason !== undefined && (
        <p class="said">
          {t("inbox.reason")} <Text text={event.reason} limit={maxText} />
        </p>
      )}
    </li>
  );
}

/** The language of a text; of one that was rejected, it leads to where that is mended. */
function LocaleOf(props: { event: ShownEvent; locale: Locale; at: Link }) {
  const { event, locale, at } = props;
  if (event.kind !== "rejected") return <>{languageName(locale)}</>;
  const string = nameOf({ file: event.file, key: event.item });
  return <a href={at(["translate", codeOf(locale)], { at: string })}>{languageName(locale)}</a>;
}

async function seen({ storage, session, form, link }: TeamFormRequest): Promise<PageResult> {
  const { caller } = session;
  const until = check(z.iso.datetime(), form.text("until"), "until");
  await markSeen(storage, caller, until);
  const { person } = caller.principal;
  if (person !== undefined) keepNews(storage, person, countNew(await readInbox(storage, caller)));
  return { to: link(["inbox"]), notice: "seen" };
}

export const inboxPages: readonly PageRoute[] = [
  { kind: "team", path: "/inbox", isSlow: true, handler: show },
  { kind: "team-form", path: "/inbox", handler: seen },
];
