/** The search over all Hives of a team: by the API, and on its page. */
import { beforeEach, describe, expect, it } from "vitest";
import { browse } from "../../console/browse.ts";
import { hiveAt } from "../../../helpers/http/hive-api.ts";
import { makeToken, prepareWeb, type Call } from "../../../helpers/storage.ts";
import type { Disk } from "../../../../src/disk/disk.ts";
import type { Storage } from "../../../../src/service/storage.ts";

const prepared = prepareWeb(
  { locales: ["fr", "pt-BR=pt_BR"], token: { abilities: ["admin"] } },
  async ({ call }) => {
    const send = (slug: string, path: string, texts: object) =>
      call("POST", `/api/hives/${slug}${path}`, { body: { files: { "a.json": texts } } });
    await call("POST", "/api/hives", { body: { slug: "shop", name: "Café Shop", locales: ["fr", "de"] } });
    await call("POST", "/api/hives", { body: { slug: "secret", locales: ["ja"] } });
    await send("web", "/strings", { sign_in: "Log in", total: "Sum" });
    await send("web", "/translations/fr", { sign_in: "Se connecter", total: "Shopping" });
    await send("shop", "/strings", { buy: "Buy now", login: "Enter" });
    await send("secret", "/strings", { plan: "Log of the plan" });
  },
);
let storage: Storage;
let call: Call;
let disk: Disk;
const { post } = hiveAt(() => call);
beforeEach(async () => {
  ({ storage, call, disk } = await prepared());
});

const limited = { abilities: ["read"], hives: ["web", "shop"] } as const;
const as = async (rights: Parameters<typeof makeToken>[1]): Promise<(query: string) => ReturnType<Call>> => {
  const headers = { authorization: `Bearer ${await makeToken(storage, rights)}` };
  return (query) => call("GET", `/api/search?${query}`, { headers });
};

/** What was found, a line for each. */
async function found(query: string, rights: Parameters<typeof makeToken>[1] = limited): Promise<string[]> {
  const { status, json } = await (await as(rights))(query);
  expect(status, query).toBe(200);
  return [
    ...json.hives.map((one: Record<string, string>) => `Hive ${one["slug"]} ${one["name"]}`),
    ...json.locales.map((one: Record<string, string>) => `${one["name"]} ${one["code"]} of ${one["hive"]}`),
    ...json.strings.map((one: Record<string, string>) =>
      [one["hive"], one["file"], one["key"], one["source"], one["locale"], one["text"]]
        .filter(Boolean)
        .join(" "),
    ),
  ];
}

describe("GET /api/search", () => {
  it.each([
    ["q=cafe", ["Hive shop Café Shop"]],
    ["q=SHOP", ["Hive shop Café Shop", "web a.json total Sum fr Shopping"]],
    ["q=french", ["French fr of web", "French fr of shop"]],
    ["q=pt_br", ["Brazilian Portuguese pt_BR of web"]],
    ["q=log", ["web a.json sign_in Log in", "shop a.json login Enter"]],
    ["q=log&hive=shop", ["shop a.json login Enter", "web a.json sign_in Log in"]],
    ["q=log&hive=secret", ["web a.json sign_in Log in", "shop a.json login Enter"]],
    ["q=connecter", ["web a.json sign_in Log in fr Se connecter"]],
    ["q=plan", []],
    ["q=japanese", []],
    ["q=nothing+at+all", []],
  ])("%s finds what the token can read, the source strings first", async (query, lines) => {
    expect(await found(query)).toEqual(lines);
  });

  it("finds translations into the locales of a limited token only", async () => {
    expect(await found("q=connecter", { ...limited, locales: ["de"] })).toEqual([]);
    expect(await found("q=connecter", { ...limited, locales: ["fr"] })).toHaveLength(1);
  });

  it("gives at most 20 of each, and goes on past a Hive that cannot be read", async () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`log${i}`, "x"]));
    await post({ "b.json": many });
    expect(await found("q=log")).toHaveLength(20);
    const broken = `${storage.folder}/hives/web.git/refs/heads/main`;
    await disk.promises.unlink(broken);
    expect(await found("q=log")).toEqual(["shop a.json login Enter"]);
  });

  it.each([
    ["", "q"],
    ["q=a", "q"],
    ["q=+a+", "q"],
    [`q=${"x".repeat(201)}`, "q"],
    ["q=log&x=1", "x"],
  ])("refuses %j", async (query, field) => {
    const { status, json } = await (await as(limited))(query);
    expect([status, Object.keys(json.errors)]).toEqual([422, [field]]);
  });

  it("needs a token that can read", async () => {
    expect((await (await as({ abilities: ["write"] }))("q=log")).status).toBe(403);
    expect((await call("GET", "/api/search?q=log", { headers: { authorization: "" } })).status).toBe(401);
  });
});

describe("the page of the search", () => {
  it("has links to what was found, also to pages, and says what it cannot search for", async () => {
    const browser = browse(storage);
    await browser.signIn(await makeToken(storage, limited));
    const { html, text } = await browser.get("/search?q=log&hive=web");
    expect(html).toContain('href="./hives/web/strings/a.json/sign_in"');
    expect(html).toContain('href="./hives/shop/strings/a.json/login"');
    expect(text).not.toContain("Audit log");
    expect((await browser.get("/search?q=connecter")).html).toContain("sign_in?locale=fr");
    expect((await browser.get("/search?q=strings&hive=web")).html).toContain('href="./hives/web/strings"');
    expect((await browser.get("/search?q=strings&hive=secret")).html).not.toContain("secret/strings");
    expect((await browser.get("/search?q=nothing+at+all")).text).toContain("Nothing found");
    expect((await browser.get(`/search?q=${"x".repeat(201)}`)).status).toBe(422);
    const admin = browse(storage);
    await admin.signIn(await makeToken(storage, { abilities: ["admin"] }));
    expect((await admin.get("/search?q=log")).text).toContain("Audit log");
  });

  it.each<[who: string, rights: Parameters<typeof makeToken>[1], lines: number]>([
    ["a translator", { abilities: ["read", "write"] }, 2],
    ["a reviewer", { abilities: ["read", "approve"] }, 2],
    ["a reader", { abilities: ["read"] }, 0],
    ["a translator of this language", { abilities: ["read", "write"], locales: ["fr"] }, 2],
    ["a translator of another language", { abilities: ["read", "write"], locales: ["de"] }, 0],
  ])("offers work in a language to those who have it: %s", async (_, rights, lines) => {
    const browser = browse(storage);
    await browser.signIn(await makeToken(storage, { hives: ["web", "shop"], ...rights }));
    browser.cookies.set("skep-last", "shop.fr");
    for (const [query, count] of [
      ["?q=french", lines],
      ["", Math.min(lines, 1)],
    ] as const) {
      const { html } = await browser.get(`/search${query}`);
      const links = Array.from(html.matchAll(/href="\.(\/hives\/\w+\/translate\/fr)"/g), ([, to = ""]) => to);
      expect(links).toHaveLength(count);
      for (const to of links) expect((await browser.get(to)).status).toBe(200);
    }
  });

  it("leads without a text to the last place of work, then to Hives and pages", async () => {
    const browser = browse(storage);
    await browser.signIn(await makeToken(storage, { ...limited, abilities: ["read", "write"] }));
    browser.cookies.set("skep-last", "shop.fr");
    const { text } = await browser.get("/search?hive=web");
    expect(text).toMatch(/Translate Café Shop → French Hives Café Shop web Pages web · Overview/);
    browser.cookies.set("skep-last", "secret.ja");
    expect((await browser.get("/search")).text).not.toContain("Japanese");
  });
});
