/** The middle of the page of work: the string with what is known about it, and the form for its translation. */
import { useHive } from "../requests/context.tsx";
import { codeOf } from "../../../domain/hives/locale.ts";
import type { HistoryEntry } from "../../../service/content/history.ts";
import type { PageItem, PageWork } from "../../../service/work/work-page.ts";
import type { PlacedComment } from "../../../service/content/comment-lists.ts";
import { Thread } from "../notes/comments.tsx";
import { NoteDetails } from "../notes/notes.tsx";
import { Editor, nameOf, type Refused } from "../editor/editor.tsx";
import type { AskedEngine } from "../editor/suggesting.tsx";
import { stringLink, type LinkQuery } from "../requests/links.ts";
import { Key, Name, Text, Time } from "../parts/text.tsx";
import { StringPictures } from "../pictures/pictures.tsx";
import { WorkMark } from "./queue.tsx";
import { comma, t } from "../texts/texts.ts";

/** The id of the form on its page. */
export const formId = "work";

/** The form that answers one string of the queue. */
export function WorkForm(props: {
  work: PageWork;
  item: PageItem;
  filters: LinkQuery;
  /** The address of the string before. */
  previous: string | undefined;
  /** The last change of the translation. */
  latest: HistoryEntry | undefined;
  thread: readonly PlacedComment[];
  /** The engines that can be asked. */
  engines: readonly AskedEngine[];
  refused: Refused | undefined;
}) {
  const { work, item, filters, previous, latest, thread, engines, refused } = props;
  const { hiveLink } = useHive();
  const { locale, settings } = work;
  const lang = settings.sourceLocale.code;
  const empty = item.forms.filter(({ translation }) => translation === undefined);
  return (
    <>
      <p class="where">
        <Key name={item.key} href={stringLink(hiveLink, item.file, item.key)} />{" "}
        <Name
          name={item.file}
          href={hiveLink(["translate", codeOf(locale)], { ...filters, file: item.file })}
          class="file"
        />{" "}
        {item.isOpen && <WorkMark state={item.state} />}
        {latest !== undefined && item.forms.some(({ waiting }) => waiting !== undefined) && (
          <span class="soft small">
            <Writer entry={latest} />
          </span>
        )}
      </p>
      {item.ask !== undefined && (
        <p class="notice">
          {t("work-form.asked", {
            ask: <Text text={item.ask} />,
            link: <a href="#comments">{t("comments.answer")}</a>,
          })}
        </p>
      )}
      {item.rejected !== undefined && (
        <p class="notice warn">{t("work-form.rejected", { rejected: <Text text={item.rejected} /> })}</p>
      )}
      {empty.length > 0 && empty.length < item.forms.length && (
        <p class="notice">
          {t("work-form.forms_without_text", { forms: empty.map(({ form }) => form).join(comma()) })}
        </p>
      )}
      <Editor
        item={item}
        locale={locale}
        lang={lang}
        id={formId}
        frame={{
          in: "queue",
          filters,
          previous,
          next: hiveLink(["translate", codeOf(locale)], { ...filters, after: nameOf(item) }),
          isHidden: item.state === "skipped",
          ahead: work.next.slice(0, 1).find(({ translation }) => translation === undefined),
          engines: item.isUnsent ? [] : engines,
        }}
        refused={refused}
      >
        <NoteDetails notes={item.notes} />
      </Editor>
      <Thread
        thread={thread}
        at={{ file: item.file, key: item.key }}
        locales={[locale]}
        place={{ in: "work", locale, filters }}
      />
      <StringPictures
        pictures={item.pictures}
        strings={item.forms.map(({ key }) => ({ file: item.file, key }))}
      />
    </>
  );
}

/** Who or what wrote a text, and when. */
function Writer({ entry: { author, origin, time } }: { entry: HistoryEntry }) {
  const { name = author.name, prompt } = origin ?? {};
  return (
    <>
      <Name name={name} />
      {prompt !== undefined && (
        <>
          {" · "}
          <Name name={prompt} />
        </>
      )}
      {" · "}
      <Time seconds={time} />
    </>
  );
}
