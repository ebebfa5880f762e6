/** The frame of all pages: head, header, breadcrumb and footer. */
import type { PropsWithChildren } from "hono/jsx";
import { ForReader } from "../requests/context.tsx";
import { toOneLine } from "../../../domain/text.ts";
import type { Session } from "../../../service/sessions.ts";
import { assetFolder, type Assets } from "../requests/assets.ts";
import { themes, type Theme } from "../../../domain/access/person.ts";
import type { Link } from "../requests/links.ts";
import type { Tab, View } from "../requests/page.ts";
import { PostForm } from "./post-form.tsx";
import { pageLanguageAttributes } from "./languages.ts";
import { attributeText, Name } from "./text.tsx";
import { pageLanguages } from "../texts/catalogues.ts";
import { t } from "../texts/texts.ts";

export interface Frame {
  readonly view: View;
  readonly link: Link;
  readonly assets: ReturnType<Assets["names"]>;
  readonly session: Session | undefined;
  /** How much is new in the inbox of whoever is signed in. */
  readonly news: number;
  /** The colours that were chosen; undefined where the system decides. */
  readonly theme?: Theme;
  /** The code of the language that was chosen; undefined where the browser decides. */
  readonly language?: string;
  /** The address of the page, as forms send it that lead back to it. */
  readonly here?: string;
  /** The slug in the address of a Hive's page. */
  readonly hive?: string;
  /** The branch of the page, if it is not main, and the address of the same page for main. */
  readonly branch?: { readonly name: string; readonly toMain: string };
  /** The result of the form that led to this page, and the address at which it can be undone. */
  readonly notice?: { readonly text: string; readonly undo?: string };
}

/** The title of the page, then its Hive, since browser tabs show only the beginning. */
function windowTitle({ title, above: [hive] = [] }: View): string {
  const names = [title, ...(hive === undefined ? [] : [hive.label]), "Skep"];
  return names.map((name) => toOneLine(name, 200)).join(" · ");
}

function Head({ view, link, assets, theme }: Frame) {
  return (
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content={theme ?? "light dark"} />
      <meta name="robots" content="noindex" />
      <title>{windowTitle(view)}</title>
      <link rel="icon" href={link([assetFolder, assets.icon])} />
      <link rel="stylesheet" href={link([assetFolder, assets.style])} />
      <script
        type="module"
        src={link([assetFolder, assets.script])}
        data-checks={link([assetFolder, assets.checks])}
      ></script>
      {view.usesPasskeys === true && (
        <script type="module" src={link([assetFolder, assets.passkeys])}></script>
      )}
    </head>
  );
}

function Header({ view, link, session, assets, hive, news }: Frame) {
  return (
    <header class="top">
      <a class="brand" href={link([])}>
        <img src={link([assetFolder, assets.icon])} alt="" width="20" height="20" />
        {t("layout.skep")}
      </a>
      <Breadcrumb view={view} link={link} />
      {session !== undefined && (
        <div class="who">
          <a
            class="button quiet"
            href={link(["search"], { hive })}
            data-palette={t("search.what")}
            aria-keyshortcuts="Control+K"
          >
            {t("search.search")}
            <kbd aria-hidden="true">Ctrl K</kbd>
          </a>
          {session.caller.principal.person !== undefined && (
            <>
              <a href={link(["inbox"])}>
                {t("inbox.inbox")}
                {news > 0 && (
                  <>
                    {" "}
                    <strong>{t("inbox.count_new", { count: news })}</strong>
                  </>
                )}
              </a>
              <a href={link(["account"])} title={attributeText(session.caller.principal.name ?? "")}>
                <span class="visually-hidden">{t("layout.your_account")} </span>
                <Name name={session.caller.principal.name ?? ""} />
              </a>
            </>
          )}
          <a href={link(["team"])} title={attributeText(session.caller.team.name)}>
            <span class="visually-hidden">{t("layout.signed_in_to_the_team")} </span>
            <Name name={session.caller.team.name} />
          </a>
          <PostForm to={link(["sign-out"])}>
            <button class="quiet">{t("layout.sign_out")}</button>
          </PostForm>
        </div>
      )}
    </header>
  );
}

function Breadcrumb({ view: { above, title }, link }: Pick<Frame, "view" | "link">) {
  if (above === undefined) return null;
  return (
    <nav class="breadcrumb" aria-label={t("layout.breadcrumb")}>
      <ol>
        <li>
          <a href={link([])}>{t("common.hives")}</a>
        </li>
        {above.map(({ label, href }) => (
          <li title={attributeText(label)}>
            <Name name={label} href={href} />
          </li>
        ))}
        <li aria-current="page" title={attributeText(title)}>
          <Name name={title} />
        </li>
      </ol>
    </nav>
  );
}

/** The band that names the branch on every page of a branch other than main. */
function BranchBand({ branch: { name, toMain } }: { branch: NonNullable<Frame["branch"]> }) {
  return (
    <aside>
      <p class="band">
        {t("layout.you_are_on_the_branch", {
          name: (
            <strong>
              <Name name={name} />
            </strong>
          ),
          link: <a href={toMain}>{t("layout.see_this_in_main")}</a>,
        })}
      </p>
    </aside>
  );
}

function isShown({ isLess, isCurrent }: Tab): boolean {
  return isLess !== true || isCurrent;
}

/** The pages of a Hive or team. The current one is always in sight, also if it is of those in the menu. */
function Tabs({ tabs }: { tabs: readonly Tab[] }) {
  const [shown, less] = [tabs.filter(isShown), tabs.filter((tab) => !isShown(tab))];
  return (
    <nav class="tabs" aria-label={t("common.sections")}>
      {shown.map((tab) => (
        <TabLink tab={tab} />
      ))}
      {less.length > 0 && (
        <details class="menu">
          <summary>{t("layout.more")}</summary>
          <ul>
            {less.map((tab) => (
              <li>
                <TabLink tab={tab} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </nav>
  );
}

function TabLink({ tab: { name, href, isCurrent } }: { tab: Tab }) {
  return (
    <a href={href} aria-current={isCurrent ? "page" : undefined}>
      {name}
    </a>
  );
}

function Heading({ view: { title, isNamedByTab, action } }: { view: View }) {
  const heading = (
    <h1 class={isNamedByTab === true ? "visually-hidden" : undefined}>
      <Name name={title} />
    </h1>
  );
  if (action === undefined) return heading;
  return (
    <div class="heading">
      {heading}
      {/* A form ends a paragraph. */}
      <div class="actions">{action}</div>
    </div>
  );
}

/** The choice of colours: of a person wherever they sign in, of anybody else in this browser. */
function Themes({ theme, ...frame }: Frame) {
  return (
    <ChoiceForm {...frame} of="theme" class="actions themes">
      <span id="themes">{t("layout.colours")}</span>
      {(["system", ...themes] as const).map((each) => (
        <button
          class="quiet"
          name="theme"
          value={each}
          aria-describedby="themes"
          aria-pressed={(theme ?? "system") === each ? "true" : "false"}
        >
          {t(`theme.${each}`)}
        </button>
      ))}
    </ChoiceForm>
  );
}

/** The choice of the language of the pages: of a person wherever they sign in, of anybody else in this browser. */
function Languages({ language, ...frame }: Frame) {
  return (
    <ChoiceForm {...frame} of="language" class="actions">
      <label>
        {t("layout.language")}{" "}
        <select name="language">
          <option value="">{t("layout.language_of_the_browser")}</option>
          {pageLanguages.map(({ code, name }) => (
            <option value={code} lang={code} selected={code === language}>
              {name}
            </option>
          ))}
        </select>
      </label>{" "}
      <button class="quiet">{t("layout.choose")}</button>
    </ChoiceForm>
  );
}

/** A form that keeps a choice about the pages, and leads back to this one. */
function ChoiceForm(
  props: PropsWithChildren<
    Pick<Frame, "link" | "here" | "session"> & { of: "theme" | "language"; class: string }
  >,
) {
  const { link, here = "", session, of, class: className, children } = props;
  const to = <input type="hidden" name="to" value={here} />;
  if (session?.caller.principal.person !== undefined)
    return (
      <PostForm to={link(["account", of])} class={className}>
        {to}
        {children}
      </PostForm>
    );
  return (
    <form method="post" action={link([of])} class={className}>
      {to}
      {children}
    </form>
  );
}

/** A whole page: the document with the frame around a view. */
export function Layout(frame: Frame) {
  const { view, branch } = frame;
  const { notice: said } = frame;
  const { notice, status = 200 } = view;
  const isRefused = notice !== undefined && status >= 400;
  return (
    <html {...pageLanguageAttributes()} data-theme={frame.theme}>
      <Head {...frame} />
      <ForReader link={frame.link} session={frame.session}>
        <body>
          <a class="skip" href="#main">
            {t("layout.skip_to_the_content")}
          </a>
          <Header {...frame} />
          {branch !== undefined && <BranchBand branch={branch} />}
          <main id="main" tabindex={-1} data-news={view.news}>
            {view.tabs !== undefined && <Tabs tabs={view.tabs} />}
            {isRefused ? (
              <p class="notice wrong" id="notice" role="alert">
                {notice}
              </p>
            ) : said !== undefined ? (
              <p class="notice done" id="notice" role="status">
                {said.text} {said.undo !== undefined && <a href={said.undo}>{t("common.undo")}</a>}
              </p>
            ) : (
              notice !== undefined && (
                <p class="notice done" id="notice" role="status" data-stays>
                  {notice}
                </p>
              )
            )}
            <Heading view={view} />
            {view.body}
          </main>
          {/* For what scripts say; it is never replaced, so that screen readers notice each change. */}
          <p id="status" class="status" role="status"></p>
          <footer class="bottom">
            <a href={frame.link(["docs"])}>{t("layout.api_reference")}</a>
            <Themes {...frame} />
            <Languages {...frame} />
          </footer>
        </body>
      </ForReader>
    </html>
  );
}
