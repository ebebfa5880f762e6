/** The texts of mails, as plain text and as HTML. What they quote is escaped, and stands on one line in the plain text. */
import type { Child, PropsWithChildren } from "hono/jsx";
import type { Person } from "../../../domain/access/person.ts";
import { codeOf } from "../../../domain/hives/locale.ts";
import { digestLimits } from "../../../domain/inbox/digest.ts";
import { toOneLine } from "../../../domain/text.ts";
import type { HiveCounts } from "../../../service/inbox/counts.ts";
import type { ShownEvent } from "../../../service/inbox/inbox.ts";
import type { Digest, MailedLink, MailTexts } from "../../../service/mail/mailing.ts";
import { workQuery } from "../desk/choose.tsx";
import { directionOf, pageLanguageAttributes } from "../parts/languages.ts";
import { linksBelow, stringLink, type Link } from "../requests/links.ts";
import { forReader, languageName, t, type TextKey } from "../texts/texts.ts";

/** How long a name may be. */
const maxName = 100;

/** A quoted text or name, on one line and of limited length. */
function quoted(text: string, length: number = digestLimits.characters): string {
  return toOneLine(text, length);
}

async function html(title: string, body: Child): Promise<string> {
  const page = (
    <html {...pageLanguageAttributes()}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{title}</title>
      </head>
      <body>{body}</body>
    </html>
  );
  return `<!doctype html>${await page}`;
}

/** A mail about one link. */
async function linkMail(
  { person, url }: MailedLink,
  texts: { readonly subject: string; readonly lines: readonly string[]; readonly link: string },
): ReturnType<MailTexts["invitation"]> {
  const { subject, lines, link } = texts;
  const hello = t("mail.hello", { name: quoted(person.name, maxName) });
  const body = (
    <>
      <p>{hello}</p>
      {lines.slice(0, 1).map((line) => (
        <p>{line}</p>
      ))}
      <p>
        <a href={url}>{link}</a>
      </p>
      {lines.slice(1).map((line) => (
        <p>{line}</p>
      ))}
    </>
  );
  const [first = "", ...others] = lines;
  const text = [hello, first, url, ...others].join("\n\n");
  return { subject, text: `${text}\n`, html: await html(subject, body) };
}

const invitation: MailTexts["invitation"] = (link) =>
  linkMail(link, {
    subject: t("mail.invitation"),
    lines: [
      t("mail.invited_to_the_team", { team: link.person.team, id: link.person.id }),
      t("mail.works_once_for_a_day"),
      t("mail.not_expected"),
    ],
    link: t("mail.choose_how_to_sign_in"),
  });

const confirmation: MailTexts["confirmation"] = (link) =>
  linkMail(link, {
    subject: t("mail.confirmation"),
    lines: [t("mail.confirm_that_it_is_yours", { id: link.person.id }), t("mail.not_asked_for")],
    link: t("mail.confirm"),
  });

const reset: MailTexts["reset"] = (link) =>
  linkMail(link, {
    subject: t("mail.reset"),
    lines: [
      t("mail.somebody_asked", { id: link.person.id }),
      t("mail.works_once_for_an_hour"),
      t("mail.not_asked_for"),
    ],
    link: t("mail.choose_another"),
  });

/** One line of a digest: its words, and where they lead. */
interface Line {
  readonly text: string;
  readonly url: string;
  /** What it quotes, each with its language. */
  readonly quotes: readonly { readonly label?: string; readonly text: string; readonly lang?: string }[];
}

function lineOf(event: ShownEvent, link: Link): Line {
  const { kind, hive, file, key, item, locale, author } = event;
  const hiveLink: Link = (path, query) => link(["hives", hive.slug, ...path], query);
  const url = stringLink(hiveLink, file, item);
  const said = {
    author: quoted(author ?? t("comments.somebody"), maxName),
    key: quoted(key),
    locale: locale === undefined ? "" : languageName(locale),
  };
  const where = quoted(hive.name, maxName);
  if (event.kind === "answered") {
    const text = `${where}: ${t("inbox.answered", { author: said.author, key: said.key })}`;
    return { text, url: `${url}#comments`, quotes: [{ text: quoted(event.text) }] };
  }
  const { before, after, reason } = event;
  const lang = locale?.code;
  const what = kind === "changed" && after === undefined ? "removed" : event.kind;
  const quotes = [
    ...(before === undefined ? [] : [{ label: t("mail.yours"), text: quoted(before), lang }]),
    ...(after === undefined ? [] : [{ label: t("mail.now"), text: quoted(after), lang }]),
    ...(reason === undefined ? [] : [{ label: t("inbox.reason"), text: quoted(reason) }]),
  ];
  return { text: `${where}: ${t(`inbox.${what}`, said)}`, url, quotes };
}

/** What waits in a Hive, each as a line with its own address. */
function waitingIn({ hive, locales, questions, conflicts }: HiveCounts, link: Link): readonly Line[] {
  const at: Link = (path, query) => link(["hives", hive.slug, ...path], query);
  const line = (text: string, url: string): Line => ({
    text: `${quoted(hive.name, maxName)}: ${text}`,
    url,
    quotes: [],
  });
  const ofLocales = locales.flatMap(({ locale, reviews, toTranslate }) => {
    const [name, path] = [languageName(locale), ["translate", codeOf(locale)]];
    return [
      ...(reviews > 0
        ? [line(`${name}: ${t("inbox.reviews", { count: reviews })}`, at(path, workQuery("review")))]
        : []),
      ...(toTranslate > 0
        ? [line(`${name}: ${t("inbox.to_translate", { count: toTranslate })}`, at(path))]
        : []),
    ];
  });
  return [
    ...ofLocales,
    ...(questions > 0
      ? [line(t("inbox.questions", { count: questions }), at(["comments"], { show: "others" }))]
      : []),
    ...(conflicts > 0 ? [line(t("inbox.conflicts", { count: conflicts }), at(["branches"]))] : []),
  ];
}

function Lines({ title, lines }: { title: TextKey; lines: readonly Line[] }) {
  return (
    <>
      <h2>{t(title)}</h2>
      <ul>
        {lines.map(({ text, url, quotes }) => (
          <li>
            <a href={url}>{text}</a>
            {quotes.map(({ label, text: quote, lang }) => (
              <p>
                {label} <Quote lang={lang}>{quote}</Quote>
              </p>
            ))}
          </li>
        ))}
      </ul>
    </>
  );
}

function Quote({ lang, children }: PropsWithChildren<{ lang: string | undefined }>) {
  return (
    <bdi lang={lang} dir={directionOf(lang)}>
      {children}
    </bdi>
  );
}

function plain(title: TextKey, lines: readonly Line[]): string {
  const parts = lines.map(({ text, url, quotes }) => {
    const under = quotes.map(
      ({ label, text: quote }) => `  ${label === undefined ? "" : `${label} `}${quote}`,
    );
    return [`- ${text}`, ...under, `  ${url}`].join("\n");
  });
  return [t(title), ...parts].join("\n\n");
}

const digestOf: MailTexts["digest"] = async (digest: Digest, publicUrl: string) => {
  const { person, events, total, waiting, unsubscribe: path } = digest;
  const link = linksBelow(`${publicUrl}/`);
  const done = events.map((event) => lineOf(event, link));
  const waits = waiting.flatMap((hive) => waitingIn(hive, link)).slice(0, digestLimits.entries - done.length);
  const subject = total > 0 ? t("mail.digest_of", { count: total }) : t("mail.digest");
  const hello = t("mail.hello", { name: quoted(person.name, maxName) });
  const more = total > done.length ? t("mail.more_in_the_inbox", { count: total - done.length }) : undefined;
  const inbox = link(["inbox"]);
  const unsubscribe = publicUrl + path;
  const text = [
    hello,
    ...(done.length > 0 ? [plain("inbox.what_others_did", done)] : []),
    ...(more === undefined ? [] : [more]),
    ...(waits.length > 0 ? [plain("inbox.waiting_for_you", waits)] : []),
    `${t("inbox.inbox")}: ${inbox}`,
    `${t("mail.no_more_of_these")}: ${unsubscribe}`,
  ].join("\n\n");
  const body = (
    <>
      <p>{hello}</p>
      {done.length > 0 && <Lines title="inbox.what_others_did" lines={done} />}
      {more !== undefined && <p>{more}</p>}
      {waits.length > 0 && <Lines title="inbox.waiting_for_you" lines={waits} />}
      <p>
        <a href={inbox}>{t("inbox.inbox")}</a> · <a href={unsubscribe}>{t("mail.no_more_of_these")}</a>
      </p>
    </>
  );
  return { subject, text: `${text}\n`, html: await html(subject, body), unsubscribe };
};

/** Writes a mail in the language of who gets it. */
function forPerson<T>({ language }: Person, write: () => Promise<T>): Promise<T> {
  return forReader({ chosen: language, accepted: null }, write);
}

/** All mails that a server writes. */
export const mailTexts: MailTexts = {
  invitation: (link) => forPerson(link.person, () => invitation(link)),
  confirmation: (link) => forPerson(link.person, () => confirmation(link)),
  reset: (link) => forPerson(link.person, () => reset(link)),
  digest: (digest, publicUrl) => forPerson(digest.person, () => digestOf(digest, publicUrl)),
};
