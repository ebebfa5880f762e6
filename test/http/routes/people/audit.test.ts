/** The audit log over REST, in the console and by command. */
import { beforeEach, describe, expect, it } from "vitest";
import { createToken, listTokens, revokeToken } from "../../../helpers/people/tokens.ts";
import { toHiveSlug, toTeamName } from "../../../../src/domain/names.ts";
import { toMirrorUrl } from "../../../../src/domain/hives/mirror-url.ts";
import { addMirror } from "../../../../src/service/admin/mirrors.ts";
import { openLocalStorage, type Storage } from "../../../../src/service/storage.ts";
import { skep } from "../../../helpers/process.ts";
import {
  harness,
  makeHive,
  makeToken,
  memoryStorage,
  realFolder,
  type Call,
  setUpWeb,
} from "../../../helpers/storage.ts";
import { browse } from "../../console/browse.ts";

const day = 24 * 60 * 60 * 1000;

async function fill(storage: Storage, clock: { now: number }): Promise<string> {
  await makeHive(storage, "web");
  await makeHive(storage, "theirs", { team: "rival" });
  const token = await makeToken(storage, { name: "Lead", abilities: ["admin"] });
  await makeToken(storage, { team: "rival", name: "Rival" });
  clock.now += day;
  const { id } = await createToken(storage, {
    team: toTeamName("acme"),
    name: "CI <b>",
    abilities: [],
    hives: [],
  });
  await revokeToken(storage, id);
  await storage.audit.record({ event: "sign_in_refused", client: "192.0.2.1", reason: "invalid_token" });
  return token;
}

describe("GET /api/audit", () => {
  let storage: Storage;
  let call: Call;
  let token: string;

  beforeEach(async () => {
    const clock = { now: Date.parse("2026-01-01T00:00:00Z") };
    storage = memoryStorage({ now: () => clock.now });
    token = await fill(storage, clock);
    ({ call } = harness(storage, token));
  });

  it("lists the entries of the team, newest first, a page at a time", async () => {
    const { status, json } = await call("GET", "/api/audit?per_page=2");
    const names = json.data.map((entry: { event: string }) => entry.event);
    expect([status, names, json.meta.total]).toEqual([200, ["token_revoked", "token_created"], 3]);
    expect(json.data[1]).toEqual({
      time: "2026-01-02T00:00:00.000Z",
      event: "token_created",
      team: "acme",
      person: null,
      by: { token: null, person: null, command: "token create" },
      client: null,
      method: null,
      reason: null,
      before: null,
      after: { id: expect.any(String), name: "CI <b>", abilities: ["read"], hives: "all" },
      more: false,
      failed: false,
    });
    const second = await call("GET", "/api/audit?per_page=2&page=2");
    expect(second.json.data).toMatchObject([{ after: { name: "Lead" } }]);
  });

  it("gives what is asked for", async () => {
    const total = async (query: string): Promise<number> =>
      (await call("GET", `/api/audit?${query}`)).json.meta.total;
    expect(await total("event=token_revoked")).toBe(1);
    expect(await total("since=2026-01-02")).toBe(2);
    expect(await total("until=2026-01-01")).toBe(1);
    expect(await total("person=lea")).toBe(0);
  });

  it.each(["event=nope", "since=yesterday", "until=2026-02-31", "page=0", "x=1"])(
    "refuses ?%s with its name",
    async (query) => {
      const { status, json } = await call("GET", `/api/audit?${query}`);
      expect([status, Object.keys(json.errors)]).toEqual([422, [query.split("=")[0]]]);
    },
  );

  it("is for admins of all Hives", async () => {
    const tokens = [
      [await makeToken(storage, { abilities: ["read", "write", "approve"] }), "missing_ability"],
      [await makeToken(storage, { abilities: ["admin"], hives: ["web"] }), "limited_token"],
    ] as const;
    for (const [other, code] of tokens) {
      const { status, json } = await call("GET", "/api/audit", { token: other });
      expect([status, json.code]).toEqual([403, code]);
    }
  });

  it("is a page of the team's in the console, for the same admins", async () => {
    const browser = browse(storage);
    await browser.signIn(token);
    expect((await browser.get("/team")).text).toContain("Audit log");
    const { status, text, html } = await browser.get("/team/audit");
    expect(status).toBe(200);
    expect(text).toMatch(/Token revoked \w{12} skep token delete – name: CI <b>/);
    expect(html).not.toContain("CI <b>");
    expect(text).not.toContain("Rival");
    const rowsOf = async (query: string): Promise<readonly string[]> => {
      const page = await browser.get(`/team/audit?${query}`);
      expect(page.status).toBe(200);
      return Array.from(page.html.matchAll(/<td data-label="Event">([^<]*)</g), ([, event = ""]) => event);
    };
    expect(await rowsOf("event=token_revoked&person=&since=&until=")).toEqual(["Token revoked"]);
    expect(await rowsOf("since=2026-01-03")).toEqual([]);
    expect(await rowsOf("person=nobody")).toEqual([]);
    expect((await rowsOf("until=2026-01-02")).length).toBeGreaterThan(1);
    const wrong = await browser.get("/team/audit?since=yesterday");
    expect([wrong.status, wrong.html]).toEqual([422, expect.stringMatching(/problem-filter-since"><bdi>/)]);
    const limited = browse(storage);
    await limited.signIn(await makeToken(storage, { abilities: ["admin"], hives: ["web"] }));
    expect((await limited.get("/team")).text).not.toContain("Audit log");
    expect((await limited.get("/team/audit")).status).toBe(403);
  });
});

describe("names in the audit log of the console", () => {
  it("are links to what is there, and only to that", async () => {
    const { storage, token, call } = await setUpWeb({ token: { name: "Lead", abilities: ["admin"] } });
    const limited = { abilities: ["read"], hives: ["web"] };
    for (const id of ["lea", "luc"])
      await call("POST", "/api/people", { body: { id, name: id, ...limited } });
    await call("DELETE", "/api/people/luc");
    const made = await call("POST", "/api/tokens", { body: { name: "CI", ...limited } });
    const gone = await call("POST", "/api/tokens", { body: { name: "Old", ...limited } });
    await call("DELETE", `/api/tokens/${gone.json.id}`);
    await addMirror(storage, toHiveSlug("web"), toMirrorUrl("https://git.example.org/web.git"));
    const browser = browse(storage);
    await browser.signIn(token);
    const { html } = await browser.get("/team/audit");
    const linked = new Set(
      Array.from(html.matchAll(/<td.*?<\/td>/gs), ([cell]) => cell)
        .join("")
        .match(/href="[^"]*"/g),
    );
    const ends = [...linked].map((href) => href.slice(6, -1).replace(/^.*?(people|tokens|hives)/, "$1"));
    expect(ends).toEqual(expect.arrayContaining(["people/lea", "hives/web", `tokens#token-${made.json.id}`]));
    expect(ends).not.toContain("people/luc");
    expect(ends.join(" ")).not.toContain(gone.json.id);
  });
});

describe("skep audit", () => {
  it("shows the entries of all teams and of none, as a table and as JSON", async () => {
    const folder = realFolder();
    const storage = openLocalStorage(folder);
    await fill(storage, { now: 0 });
    expect((await listTokens(storage)).length).toBe(2);
    const { stdout } = await skep("audit", "--storage", folder);
    expect(stdout.split("\n")[0]).toMatch(/^TIME +EVENT +TEAM +PERSON +BY +CLIENT +DETAILS$/);
    expect(stdout).toMatch(/sign_in_refused .* 192\.0\.2\.1 +invalid_token\n/);
    expect(stdout).toMatch(/token_created +rival +skep token create +\{"id".*"name":"Rival"/);
    const json = await skep("audit", "--json", "--limit", "1", "--team", "acme", "--storage", folder);
    expect(JSON.parse(json.stdout)).toMatchObject([{ event: "token_revoked", team: "acme" }]);
    expect(json.stderr).toBe("Showed 1 of 3 entries; --limit shows more.\n");
    const wrong = await skep("audit", "--since", "2026-1-1", "--storage", folder);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("such as 2026-01-31")]);
  });
});
