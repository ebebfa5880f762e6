/** The backend of i18next, with the real i18next and what a channel of a real server publishes. */
import { createInstance, type InitOptions } from "i18next";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { SkepBackend, type SkepBackendOptions, type TextStore } from "../../src/apps/i18next.ts";
import { prepareWeb, type Call } from "../helpers/storage.ts";

const hive = "/api/hives/web";
const origin = "https://cdn.example.org/texts";
let call: Call;
let path: string;

const prepared = prepareWeb(
  { locales: ["fr", "pt-BR=pt_BR"], token: { abilities: ["admin"] } },
  async (made) => {
    const source = { "auth.json": { failed: "Failed." }, "admin/100% #1é.json": { odd: "Odd" } };
    await made.call("PUT", `${hive}/strings`, { body: { files: source } });
    await translate(made.call, "fr", "Échec.");
    await translate(made.call, "pt_BR", "Falhou.");
    const { json } = await made.call("PUT", `${hive}/channels/live`, { body: { public: true } });
    return json.path;
  },
);
beforeEach(async () => {
  ({ call, made: path } = await prepared());
});

const translate = (to: Call, locale: string, failed: string) =>
  to("POST", `${hive}/translations/${locale}`, {
    body: { files: { "auth.json": { failed } }, overwrite_strategy: "overwrite" },
  });

/** A store that keeps texts, with a size that it may have. */
function mapStore(texts = new Map<string, string>(), room = Infinity): TextStore {
  return {
    getItem: (key) => texts.get(key) ?? null,
    setItem: (key, text) => {
      if (text.length > room) throw new DOMException("full", "QuotaExceededError");
      texts.set(key, text);
    },
    removeItem: (key) => void texts.delete(key),
  };
}

/** The network between an app and the server, which can be away, and what was asked over it. */
function network() {
  const asked: string[] = [];
  const state = { isAway: false, answer: undefined as ((name: string) => Response | undefined) | undefined };
  const send: typeof fetch = async (url, init) => {
    const { pathname, href } = new URL(url instanceof Request ? url.url : url);
    if (!href.startsWith(`${origin}/p/`)) throw new Error(`asked ${href}`);
    if (state.isAway) throw new TypeError("fetch failed");
    const given = state.answer?.(pathname.split("/").at(-1) ?? "");
    const headers = Object.fromEntries(new Headers(init?.headers));
    const reply = await call("GET", pathname.slice("/texts".length), { token: null, headers });
    asked.push(`${pathname.split("/").slice(-2).map(decodeURIComponent).join("/")} ${reply.status}`);
    if (given !== undefined) return given;
    return new Response(reply.status === 304 ? null : reply.text, reply);
  };
  // Several are under way at once.
  const took = (): readonly string[] => asked.splice(0).toSorted();
  return { state, send, took };
}

type Network = ReturnType<typeof network>;

async function app(net: Network, options: SkepBackendOptions = {}, init: InitOptions = {}) {
  const backend: SkepBackendOptions = { channel: origin + path, fetch: net.send, ...options };
  const i18n = createInstance();
  await i18n.use(SkepBackend).init<SkepBackendOptions>({
    lng: "fr",
    fallbackLng: "en",
    ns: ["auth"],
    defaultNS: "auth",
    maxRetries: 0,
    ...init,
    backend,
  });
  return i18n;
}

describe("the backend of i18next", () => {
  it("loads one file for each namespace, and the whole locale where there is no such file", async () => {
    const net = network();
    const ofFile = await app(net);
    expect([ofFile.t("failed"), net.took()]).toEqual([
      "Échec.",
      ["en/auth.json 200", "fr/auth.json 200", "live/manifest.json 200"],
    ]);
    const whole = await app(net, {}, { ns: ["translation"], defaultNS: "translation" });
    expect([whole.t("auth.failed"), net.took().length]).toEqual(["Échec.", 3]);
    const named = await app(net, { whole: "all" }, { ns: ["all"], defaultNS: "all" });
    expect(named.t("auth.failed")).toBe("Échec.");
  });

  it("encodes names of files, and takes codes of the app for those of the channel", async () => {
    const odd = "admin/100% #1é";
    const net = network();
    const settings = { lng: "pt-BR", ns: ["auth", odd], nsSeparator: false } as const;
    const i18n = await app(net, { codes: { "pt-BR": "pt_BR" } }, settings);
    expect([i18n.t("failed"), i18n.getResource("en", odd, "odd")]).toEqual(["Falhou.", "Odd"]);
  });

  it("asks for the manifest alone as long as nothing changes, and by its ETag outside of browsers", async () => {
    const [net, texts] = [network(), new Map<string, string>()];
    const store = mapStore(texts);
    await app(net, { store });
    net.took();
    expect([(await app(net, { store })).t("failed"), net.took()]).toEqual([
      "Échec.",
      ["live/manifest.json 304"],
    ]);
    await translate(call, "fr", "Raté.");
    expect([(await app(net, { store })).t("failed"), net.took()]).toEqual([
      "Raté.",
      ["fr/auth.json 200", "live/manifest.json 200"],
    ]);
    // One state of each file, however often it changes.
    expect(Array.from(texts.keys(), (key) => key.replace(origin + path, "")).toSorted()).toEqual([
      "skep:en/auth",
      "skep:fr/auth",
      "skep:manifest.json",
    ]);
    vi.stubGlobal("location", { href: "https://app.example.org/" });
    try {
      expect((await app(net, { store })).t("failed")).toBe("Raté.");
      // The browser's own cache asks by ETag: a header of a script would need a preflight request.
      expect(net.took()).toEqual(["live/manifest.json 200"]);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it("takes a manifest for the present one for as long as it is told", async () => {
    const now = vi.spyOn(Date, "now").mockReturnValue(1_000_000);
    const net = network();
    const i18n = await app(net, { maxAge: 5_000, store: null });
    await translate(call, "fr", "Raté.");
    net.took();
    now.mockReturnValue(1_004_999);
    await i18n.reloadResources();
    expect(net.took().includes("live/manifest.json 200")).toBe(false);
    now.mockReturnValue(1_005_000);
    await i18n.reloadResources();
    expect([i18n.t("failed"), net.took().includes("live/manifest.json 200")]).toEqual(["Raté.", true]);
  });

  it("has the last texts while the server is away, then those that come with the app", async () => {
    const [net, store] = [network(), mapStore()];
    await app(net, { store });
    net.state.isAway = true;
    expect((await app(net, { store })).t("failed")).toBe("Échec.");
    const resources = { fr: { auth: { failed: "De l'app." } } };
    expect((await app(net, { store: null, resources })).t("failed")).toBe("De l'app.");
    const load = async (language: string, namespace: string) => ({ failed: `${language} ${namespace}` });
    expect((await app(net, { store: null, resources: load })).t("failed")).toBe("fr auth");
    expect((await app(net, { store: null })).t("failed")).toBe("failed");
    // The content of a newer manifest that cannot be had: the last one stays.
    net.state.isAway = false;
    await translate(call, "fr", "Raté.");
    net.state.answer = (name) => (name === "auth.json" ? new Response("busy", { status: 503 }) : undefined);
    expect((await app(net, { store })).t("failed")).toBe("Échec.");
    net.state.answer = undefined;
    expect((await app(net, { store })).t("failed")).toBe("Raté.");
  });

  it("has i18next ask again where the server was away, and not where nothing is published", async () => {
    const net = network();
    net.state.isAway = true;
    const i18n = await app(net, { store: null }, { maxRetries: 1, retryTimeout: 0 });
    const answers: unknown[] = [];
    const backend = new SkepBackend({ channel: origin + path, fetch: net.send, store: null });
    const read = (language: string, namespace = "auth"): Promise<void> =>
      new Promise((resolve) => {
        void backend.read(language, namespace, (error, data) => {
          answers.push(error === null ? data : data === true ? "again" : error.message);
          resolve();
        });
      });
    await read("fr");
    net.state.isAway = false;
    for (const language of ["fr", "de", "__proto__"]) await read(language);
    for (const namespace of ["__proto__", "..", "menu"]) await read("fr", namespace);
    expect(answers).toEqual([
      "again",
      { failed: "Échec." },
      ...["de/auth", "__proto__/auth", "fr/__proto__", "fr/..", "fr/menu"].map(
        (key) => `${key} is not in the channel.`,
      ),
    ]);
    await i18n.reloadResources();
    expect(i18n.t("failed")).toBe("Échec.");
  });

  it("forgets what is published no longer", async () => {
    const [net, texts] = [network(), new Map<string, string>()];
    const store = mapStore(texts);
    await app(net, { store });
    await call("PATCH", `${hive}/channels/live`, { body: { locales: ["pt-BR"] } });
    expect((await app(net, { store }, { fallbackLng: false })).t("failed")).toBe("failed");
    expect([...texts.keys()].some((key) => key.endsWith("fr/auth"))).toBe(false);
    await call("PATCH", `${hive}/channels/live`, { body: { public: false } });
    await app(net, { store });
    net.state.isAway = true;
    expect((await app(net, { store }, { fallbackLng: false })).t("failed")).toBe("failed");
  });

  it("asks for the manifest again where an address of it is gone", async () => {
    const net = network();
    const backend = new SkepBackend({ channel: origin + path, fetch: net.send, maxAge: Infinity });
    expect(await backend.load("fr", "auth")).toEqual({ failed: "Échec." });
    // A channel that is made again has other addresses.
    await call("DELETE", `${hive}/channels/live`);
    await call("PUT", `${hive}/channels/live`, { body: { public: true } });
    net.took();
    const again = await new Promise((resolve) => void backend.read("en", "auth", (_, data) => resolve(data)));
    expect([again, net.took()]).toEqual([true, ["en/auth.json 404"]]);
    expect(await backend.load("en", "auth")).toEqual({ failed: "Failed." });
    expect(net.took()).toEqual(["en/auth.json 200", "live/manifest.json 200"]);
    // What is here stays, whatever the addresses are.
    expect(await backend.load("fr", "auth")).toEqual({ failed: "Échec." });
  });

  const id = "0".repeat(24);
  const hostile: Readonly<Record<string, (own: string) => object | string>> = {
    "an address elsewhere": () => ({ files: { "fr.json": "https://evil.example.org/fr.json" } }),
    "an address without its scheme": () => ({ files: { "fr.json": "//evil.example.org/p/x/c/y/fr.json" } }),
    "another publication": () => ({ files: { "fr.json": `/p/${id}/c/abc/fr.json` } }),
    "another locale": (own) => ({ files: { "fr.json": `${own}c/abc/de.json` } }),
    "a way out of the channel": (own) => ({ files: { "fr.json": `${own}c/../../../fr.json` } }),
    "a query": (own) => ({ files: { "fr.json": `${own}c/abc/fr.json?x=1` } }),
    "a name with a slash": (own) => ({ files: { "a/fr.json": `${own}c/abc/a/fr.json` } }),
    "a number": () => ({ files: { "fr.json": 7 } }),
    "a list": () => [],
    "no JSON": () => "<html>",
  };
  it.each(Object.keys(hostile))("refuses a manifest with %s, and asks for nothing of it", async (what) => {
    const [net, store] = [network(), mapStore()];
    await app(net, { store });
    net.took();
    const [, own = ""] = /^(\/p\/\w+\/)/.exec(path) ?? [];
    const body = hostile[what]?.(own);
    const answer = () => new Response(typeof body === "string" ? body : JSON.stringify(body));
    net.state.answer = (name) => (name === "manifest.json" ? answer() : undefined);
    // What it has keeps the app going.
    expect((await app(net, { store })).t("failed")).toBe("Échec.");
    expect((await app(net, { store: null })).t("failed")).toBe("failed");
    expect(new Set(net.took().map((line) => line.split(" ")[0]))).toEqual(new Set(["live/manifest.json"]));
  });

  it("drops names of files that lead elsewhere, and members that change objects", async () => {
    const net = network();
    const manifest = (await call("GET", `${path}manifest.json`, { token: null })).json;
    const namespaces = ["..", "../../x", "a//b", "", "auth"];
    net.state.answer = (name) =>
      name === "manifest.json"
        ? Response.json({ ...manifest, namespaces })
        : new Response('{"failed": "Raté.", "__proto__": {"polluted": 1}}');
    const i18n = await app(net, {}, { ns: ["auth", ...namespaces] });
    expect(i18n.t("failed")).toBe("Raté.");
    expect(Object.hasOwn(i18n.getResourceBundle("fr", "auth"), "__proto__")).toBe(false);
    expect(net.took()).toEqual(["en/auth.json 200", "fr/auth.json 200", "live/manifest.json 200"]);
  });

  it("reads no more than it is told to, and goes on where its store is full or broken", async () => {
    const net = network();
    expect((await app(net, { maxBytes: 20 })).t("failed")).toBe("failed");
    let sent = 0;
    const endless = () =>
      new Response(
        new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array((sent += 1000))) }),
      );
    net.state.answer = (name) => (name === "manifest.json" ? undefined : endless());
    expect((await app(net, { maxBytes: 100_000 })).t("failed")).toBe("failed");
    expect(sent).toBeLessThan(1_000_000);
    net.state.answer = undefined;
    expect((await app(net, { store: mapStore(new Map(), 10) })).t("failed")).toBe("Échec.");
    const texts = new Map<string, string>();
    await app(net, { store: mapStore(texts) });
    for (const key of texts.keys()) texts.set(key, '["x"');
    expect((await app(net, { store: mapStore(texts) })).t("failed")).toBe("Échec.");
  });

  it("ends a request that takes too long", async () => {
    const timeout = vi
      .spyOn(AbortSignal, "timeout")
      .mockReturnValue(AbortSignal.abort(new Error("too long")));
    const send: typeof fetch = async (_, init) => {
      init?.signal?.throwIfAborted();
      return new Response();
    };
    const backend = new SkepBackend({ channel: origin + path, fetch: send, store: null, timeout: 5 });
    await expect(backend.load("fr", "auth")).rejects.toThrow("too long");
    expect(timeout).toHaveBeenCalledExactlyOnceWith(5);
  });

  it.each([
    "",
    "https://cdn.example.org/",
    "ftp://x/p/5f0c2a9be14d7730c6a1f0d2/live/",
    `/p/${"a".repeat(24)}/../x/`,
  ])("says what an address of a channel is, in place of %j", async (channel) => {
    const backend = new SkepBackend({ channel, store: null });
    await expect(backend.load("fr", "auth")).rejects.toThrow("channel: must be an address such as");
  });
});
