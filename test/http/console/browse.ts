/** A browser without its engine: keeps cookies, follows nothing by itself, and reads pages as text. */
import type { AppOptions } from "../../../src/http/pipeline/shared.ts";
import type { Storage } from "../../../src/service/storage.ts";
import { appOn, makeToken, prepareWeb } from "../../helpers/storage.ts";

export interface Page {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** What stands on the page, without its markup. */
  readonly text: string;
}

export type Fields = Readonly<Record<string, string>>;
type Sent = Readonly<Record<string, string>>;

export interface ConsoleBrowser {
  readonly get: (path: string, headers?: Sent, method?: string) => Promise<Page>;
  /** Sends a form as its own page would. */
  readonly post: (path: string, fields: Fields, headers?: Sent) => Promise<Page>;
  /** Sends a form of the session. */
  readonly submit: (path: string, fields?: Fields) => Promise<Page>;
  /** The same as `post` for fields that are there several times. */
  readonly send: (path: string, fields: URLSearchParams, headers?: Sent) => Promise<Page>;
  /** Sends a form of the session with files, each with its name and its content. */
  readonly upload: (
    path: string,
    fields: Fields,
    files: Readonly<Record<string, readonly [name: string, content: string | Uint8Array]>>,
  ) => Promise<Page>;
  /** Signs in at `/`. */
  readonly signIn: (token: string) => Promise<Page>;
  /** The value of the field that forms of the session carry, as it stands on a page. */
  readonly formKey: () => Promise<string>;
  readonly cookies: Map<string, string>;
  readonly logged: readonly object[];
}

export const host = "skep.example";

/** Opens a browser on an application of its own, as each server of a storage has one. */
export function browse(storage: Storage, options: Partial<AppOptions> = {}): ConsoleBrowser {
  const { app, logged } = appOn(storage, options);
  /** The key that stood on the last page that had one. */
  let key: string | undefined;
  const cookies = new Map<string, string>();
  const send = async (path: string, init: RequestInit, headers: Sent): Promise<Page> => {
    const cookie = Array.from(cookies, ([name, value]) => `${name}=${value}`).join("; ");
    const response = await app.fetch(
      new Request(`http://${host}${path}`, {
        ...init,
        headers: { host, accept: "text/html", ...(cookie === "" ? {} : { cookie }), ...headers },
      }),
    );
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    const html = await response.text();
    key = /name="form_key" value="([^"]*)"/.exec(html)?.[1] ?? key;
    return { status: response.status, headers: response.headers, html, text: textOf(html) };
  };
  const get: ConsoleBrowser["get"] = (path, headers = {}, method = "GET") => send(path, { method }, headers);
  const sendForm: ConsoleBrowser["send"] = (path, fields, headers = {}) =>
    send(
      path,
      { method: "POST", body: fields.toString() },
      {
        origin: `http://${host}`,
        "content-type": "application/x-www-form-urlencoded",
        ...headers,
      },
    );
  const post: ConsoleBrowser["post"] = (path, fields, headers) =>
    sendForm(path, new URLSearchParams(fields), headers);
  const formKey = async (): Promise<string> => {
    if (key === undefined) await get("/");
    return key ?? "";
  };
  const upload: ConsoleBrowser["upload"] = async (path, fields, files) => {
    const body = new FormData();
    for (const [name, value] of Object.entries({ form_key: await formKey(), ...fields }))
      body.set(name, value);
    for (const [name, [file, content]] of Object.entries(files))
      body.set(name, new File([typeof content === "string" ? content : Buffer.from(content)], file));
    return send(path, { method: "POST", body }, { origin: `http://${host}` });
  };
  return {
    get,
    post,
    upload,
    submit: async (path, fields) => post(path, { form_key: await formKey(), ...fields }),
    send: sendForm,
    cookies,
    logged,
    signIn: (token) => {
      key = undefined;
      return post("/sign-in", { token });
    },
    formKey,
  };
}

/** A browser that has signed in with a token of its own. */
export async function signedIn(
  storage: Storage,
  rights?: Parameters<typeof makeToken>[1],
): Promise<ConsoleBrowser> {
  const browser = browse(storage);
  await browser.signIn(await makeToken(storage, rights));
  return browser;
}

/** Prepares what `prepareWeb` does, and a browser that has signed in with its token. */
export function prepareBrowser(
  options: Parameters<typeof prepareWeb>[0],
  prepare: Parameters<typeof prepareWeb>[1] = async () => undefined,
) {
  const prepared = prepareWeb(options, async (web) => {
    await prepare(web);
    const { signIn, cookies } = browse(web.storage);
    await signIn(web.token);
    return cookies;
  });
  return async () => {
    const { made, ...web } = await prepared();
    const browser = browse(web.storage);
    for (const [name, value] of made) browser.cookies.set(name, value);
    return { ...web, browser };
  };
}

/** A form as its page has it. */
export interface SentForm {
  readonly path: string;
  readonly fields: Fields;
}

/**
 * The first form on a page that edits a translation into a locale.
 * @param path of the page.
 */
export function editorIn({ html }: Page, path: string, locale: string): SentForm {
  const form = html
    .split("<form")
    .find((one) => /class="edit[ "]/.test(one) && one.includes(`name="locale" value="${locale}"`));
  if (form === undefined) throw new Error(`there is no form for ${locale}`);
  return { path: actionOf(form, path), fields: hiddenIn(form) };
}

/** The form on a page whose markup has a text. @param path of the page. */
export function formIn({ html }: Pick<Page, "html">, path: string, text: string): SentForm {
  const form = html.split("<form").find((one) => one.includes(text));
  if (form === undefined) throw new Error(`there is no form with ${text}`);
  return { path: actionOf(form, path), fields: hiddenIn(form) };
}

/** The address that a form is sent to. @param path of its page. */
export function actionOf(form: string, path: string): string {
  const [, action = ""] = / action="([^"]*)"/.exec(form) ?? [];
  const { pathname, search } = new URL(unescaped(action), `http://x${path}`);
  return pathname + search;
}

/** The hidden fields of the form of the page of work, and those of its texts, in their order, as a browser sends them. */
export function workFields({ html }: Page): [name: string, value: string][] {
  const form = /<form[^>]*class="edit work".*?<\/form>/s.exec(html)?.[0] ?? "";
  const fields =
    /<input type="hidden" name="([^"]+)" value="([^"]*)"|<textarea[^>]* name="(text)"[^>]*>\n?([^<]*)/g;
  return Array.from(form.matchAll(fields), ([, name, value, text = "", written = ""]) => [
    name ?? text,
    unescaped(value ?? written),
  ]);
}

/** The hidden fields in a part of a page. */
export function hiddenIn(html = ""): Record<string, string> {
  const fields = html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g);
  return Object.fromEntries(Array.from(fields, ([, name = "", value = ""]) => [name, unescaped(value)]));
}

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', amp: "&", "#39": "'" };

/** The text of a value in markup. */
export function unescaped(value: string): string {
  return value.replaceAll(/&(lt|gt|quot|amp|#39);/g, (_, name: string) => entities[name] ?? "");
}

function textOf(html: string): string {
  const words = html
    .replace(/^.*<body>/s, "")
    .replaceAll(/<\/?(?:bdi|code|span|a|ins|del|time|b|i)\b[^>]*>/g, "")
    .replaceAll(/<[^>]*>/g, " ");
  return unescaped(words).replaceAll(/\s+/g, " ").trim();
}
