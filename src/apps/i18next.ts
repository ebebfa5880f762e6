/**
 * `skep/i18next`: a backend of i18next that loads what a channel publishes. It runs in browsers, workers and Node, and
 * imports nothing.
 */

/** Where texts are kept between visits: what `localStorage` has. */
export interface TextStore {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

export interface SkepBackendOptions {
  /** The address of the channel: `https://cdn.example.org/p/5f0c2a9be14d7730c6a1f0d2/production/`. */
  channel?: string;
  /** Where texts are kept; `localStorage` if not given and there is one, nowhere with `null`. */
  store?: TextStore | null;
  /**
   * Texts that come with the app, for what the channel cannot give: by language and namespace, or a function that loads
   * them.
   */
  resources?:
    | Record<string, Record<string, object>>
    | ((language: string, namespace: string) => object | undefined | Promise<object | undefined>);
  /** Languages of i18next, each with its code in the channel, where they differ: `{ "pt-BR": "pt_BR" }`. */
  codes?: Record<string, string>;
  /** The namespace that has all texts of a locale, if no file of the Hive has its name. */
  whole?: string;
  /** For how long the manifest is taken for the present one, in milliseconds; a minute if not given. */
  maxAge?: number;
  /** How long an answer may take, in milliseconds; 10 s if not given. */
  timeout?: number;
  /** How large an answer may be, in bytes; 4 MiB if not given. */
  maxBytes?: number;
  /** Sends the requests; the global `fetch` if not given. */
  fetch?: typeof fetch;
}

/** i18next's own type for the second argument: `true` has it try again later. */
type Callback = (error: Error | null, data: object | boolean) => void;

/** The addresses of the locales, and the names of the Hive's files. */
interface Manifest {
  readonly files: ReadonlyMap<string, string>;
  readonly namespaces: ReadonlySet<string>;
}

/** What was published last: its ETag or address, and its text. */
type Kept<T> = readonly [tag: string, content: T];

/** Nothing is published there: asking again, or what was there before, does not help. */
class Refusal extends Error {}

const manifestName = "manifest.json";
/** A part of a namespace that may become a part of an address, which is encoded but for what leads out of it. */
const namePart = /^(?!\.{1,2}$)\P{Cc}{1,200}$/u;
const localeFile = /^[A-Za-z0-9][\w@-]{0,63}\.json$/;

declare const localStorage: TextStore | undefined;

/** The store of the browser; where there is none, or a person has forbidden it, one that ends with the program. */
function ownStore(): TextStore {
  try {
    if (typeof localStorage === "object") return localStorage;
  } catch {
    // As if there were none.
  }
  const texts = new Map<string, string>();
  return {
    getItem: (key) => texts.get(key) ?? null,
    setItem: (key, text) => void texts.set(key, text),
    removeItem: (key) => void texts.delete(key),
  };
}

/** @throws Error when it is no object of JSON. */
function toObject(text: string): object {
  const value: unknown = JSON.parse(text, (key, member: unknown) =>
    key === "__proto__" ? undefined : member,
  );
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new Error("The answer is no object of JSON.");
}

function isSafe(namespace: string): boolean {
  return namespace.split("/").every((part) => namePart.test(part));
}

/** @throws Error when it names anything but files of the publication. */
function toManifest(text: string, id: string): Manifest {
  const { files = {}, namespaces = [] }: { files?: object; namespaces?: unknown } = toObject(text);
  const own = Object.entries(files).map(([file, path]: [string, unknown]): [string, string] => {
    const [, address = ""] = /^\/p\/[0-9a-f]{24}\/c\/([\w-]+)\//.exec(String(path)) ?? [];
    const expected = `/p/${id}/c/${address}/${file}`;
    if (localeFile.test(file) && path === expected) return [file, expected];
    throw new Error("The manifest names what is no file of its channel.");
  });
  const names = Array.isArray(namespaces) ? namespaces.map(String) : [];
  return { files: new Map(own), namespaces: new Set(names.filter(isSafe)) };
}

/** A backend of i18next: `i18next.use(SkepBackend).init({ backend: { channel } })`. */
export class SkepBackend {
  static readonly type = "backend";
  readonly type = "backend";
  #options: SkepBackendOptions;
  #asked: { readonly at: number; readonly manifest: Promise<Manifest> } | undefined;

  constructor(options: SkepBackendOptions = {}) {
    this.#options = options;
  }

  /** i18next calls it with the options that `init` has under `backend`. */
  init(_services: unknown, options: SkepBackendOptions = {}): void {
    this.#options = { ...this.#options, ...options };
  }

  /** i18next calls it for each namespace of each language. */
  async read(language: string, namespace: string, callback: Callback): Promise<void> {
    let texts: object;
    try {
      texts = await this.load(language, namespace);
    } catch (error) {
      return callback(error instanceof Error ? error : new Error(String(error)), !(error instanceof Refusal));
    }
    callback(null, texts);
  }

  /**
   * The texts of a namespace: as the channel has them now, else as it had them last, else as they came with the app.
   * @throws Error when there are none anywhere.
   */
  async load(language: string, namespace: string): Promise<object> {
    const { resources } = this.#options;
    try {
      return await this.#published(language, namespace);
    } catch (error) {
      const own =
        typeof resources === "function"
          ? await resources(language, namespace)
          : Object.entries(resources?.[language] ?? {}).find(([key]) => key === namespace)?.[1];
      if (own !== undefined) return own;
      throw error;
    }
  }

  async #published(language: string, namespace: string): Promise<object> {
    const { codes = {}, whole = "translation" } = this.#options;
    const code = new Map(Object.entries(codes)).get(language) ?? language;
    const key = `${code}/${namespace}`;
    const { prefix } = this.#place();
    try {
      const { files, namespaces } = await this.#manifest();
      const path = files.get(`${code}.json`);
      const isFile = namespaces.has(namespace);
      if (path === undefined || !(isFile || namespace === whole))
        throw new Refusal(`${key} is not in the channel.`);
      const inner = namespace.split("/").map(encodeURIComponent).join("/");
      const address = isFile ? path.replace(/\.json$/, `/${inner}.json`) : path;
      return (await this.#latest(key, toObject, address, prefix + address))[1];
    } catch (error) {
      if (error instanceof Refusal) this.#store()?.removeItem(this.#name(key));
      throw error;
    }
  }

  /** The manifest, which all namespaces share. A failure is not shared with those that ask later. */
  #manifest(): Promise<Manifest> {
    const { maxAge = 60_000 } = this.#options;
    if (this.#asked === undefined || Math.abs(Date.now() - this.#asked.at) >= maxAge) {
      const { id, base } = this.#place();
      const read = (text: string) => toManifest(text, id);
      const manifest = this.#latest(manifestName, read, undefined, base + manifestName).then(([, is]) => is);
      const asked = { at: Date.now(), manifest };
      this.#asked = asked;
      manifest.catch(() => {
        if (this.#asked === asked) this.#asked = undefined;
      });
    }
    return this.#asked.manifest;
  }

  /**
   * The present state of a file, or its last one where the server does not give it.
   * @param address of content that never changes; undefined for a file that is asked for anew.
   */
  async #latest<T>(
    key: string,
    parse: (text: string) => T,
    address: string | undefined,
    url: string,
  ): Promise<Kept<T>> {
    const kept = this.#kept(key, parse);
    if (kept !== undefined && kept[0] === address) return kept;
    try {
      const { text, etag } = await this.#get(url, address === undefined ? kept?.[0] : undefined);
      if (text === undefined) {
        if (kept !== undefined) return kept;
        throw new Error("The server has confirmed what is not here.");
      }
      const read = [address ?? etag, parse(text)] as const;
      this.#keep(key, [read[0], text]);
      return read;
    } catch (error) {
      const isGone = error instanceof Refusal;
      // The manifest has named it: there is another one now.
      if (address !== undefined) this.#asked = undefined;
      if (kept !== undefined && !(isGone && address === undefined)) return kept;
      throw isGone && address !== undefined ? new Error(error.message) : error;
    }
  }

  /**
   * @param etag of what is here, which is then not sent again. A browser asks with it by itself; if a script did so, it would
   *   have to ask for a permission first.
   * @throws Refusal when nothing is there.
   */
  async #get(url: string, etag?: string): Promise<{ readonly text?: string; readonly etag: string }> {
    const { timeout = 10_000, maxBytes = 4 * 1024 * 1024, fetch = globalThis.fetch } = this.#options;
    const isBrowser = typeof Reflect.get(globalThis, "location") === "object";
    const response = await fetch(url, {
      credentials: "omit",
      signal: AbortSignal.timeout(timeout),
      ...(etag && !isBrowser ? { headers: { "if-none-match": etag } } : {}),
    });
    const { status, headers, body, ok } = response;
    if (status === 304) return { etag: "" };
    if (status === 404 || status === 410) throw new Refusal(`${url}: nothing is published there.`);
    if (!ok || body === null) throw new Error(`${url}: answered with ${status}.`);
    const reader = body.getReader();
    const parts: Uint8Array<ArrayBuffer>[] = [];
    let size = 0;
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      size += part.value.byteLength;
      if (size > maxBytes) {
        void reader.cancel();
        throw new Error(`${url}: is larger than ${maxBytes} bytes.`);
      }
      parts.push(part.value);
    }
    return { text: await new Blob(parts).text(), etag: headers.get("etag") ?? "" };
  }

  /** @throws Refusal when the address is not one of a channel. */
  #place(): { readonly prefix: string; readonly id: string; readonly base: string } {
    const { channel = "" } = this.#options;
    const [, prefix, id, own] =
      channel.match(/^((?:https?:\/\/[^?#]+)?)\/p\/([0-9a-f]{24})\/([\w.-]+)\/?$/) ?? [];
    if (prefix === undefined || id === undefined)
      throw new Refusal(
        `channel: must be an address such as https://skep.example.org/p/5f0c…/production/, not "${channel}".`,
      );
    return { prefix, id, base: `${prefix}/p/${id}/${own}/` };
  }

  #store(): TextStore | null {
    // Also where i18next makes the backend, and where another store was given later.
    if (this.#options.store === undefined) this.#options.store = ownStore();
    return this.#options.store;
  }

  #name(key: string): string {
    return `skep:${this.#place().base}${key}`;
  }

  /** What was kept, if it can be read. */
  #kept<T>(key: string, parse: (text: string) => T): Kept<T> | undefined {
    try {
      const [tag, text]: readonly unknown[] = JSON.parse(this.#store()?.getItem(this.#name(key)) ?? "[]");
      return typeof tag === "string" && typeof text === "string" ? [tag, parse(text)] : undefined;
    } catch {
      return undefined;
    }
  }

  #keep(key: string, kept: Kept<string>): void {
    try {
      this.#store()?.setItem(this.#name(key), JSON.stringify(kept));
    } catch {
      // A store that is full or forbidden keeps what it has.
    }
  }
}
