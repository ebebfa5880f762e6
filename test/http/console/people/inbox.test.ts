/** The inbox in the console: what is new, what waits, and the number in the head of every page. */
import { beforeEach, describe, expect, it } from "vitest";
import { toTeamName } from "../../../../src/domain/names.ts";
import { invitePerson } from "../../../../src/service/people/invitations.ts";
import type { Storage } from "../../../../src/service/storage.ts";
import { eventually } from "../../../helpers/eventually.ts";
import { makePerson, makePersonalToken } from "../../../helpers/people/people.ts";
import { ownerGrant } from "../../../helpers/people/tokens.ts";
import { hiveAt } from "../../../helpers/http/hive-api.ts";
import type { Call } from "../../../helpers/storage.ts";
import { browse, host, prepareBrowser, type ConsoleBrowser } from "../browse.ts";

let storage: Storage;
let call: Call;
const { translate } = hiveAt(() => call);
let token: ConsoleBrowser;
let anna: ConsoleBrowser;
let ben: string;

const prepared = prepareBrowser({ locales: ["fr"], token: { name: "Lead" } }, async (web) => {
  const files = { "a.json": { a: "A", b: "B" } };
  await web.put(files);
});
beforeEach(async () => {
  ({ storage, call, browser: token } = await prepared());
  const publicUrl = `http://${host}`;
  await makePerson(storage, { id: "anna", abilities: ["read", "write"], review: "always" });
  const { url } = await invitePerson(storage, ownerGrant(toTeamName("acme")), "anna", publicUrl);
  anna = browse(storage, { publicUrl });
  const code = new URL(url).searchParams.get("code") ?? "";
  await anna.post("/invitation", { code, password: "twelve letters" });
  ben = await makePersonalToken(storage, {
    id: "ben",
    name: "<i>Ben</i>",
    abilities: ["read", "write", "approve"],
  });
});

/** Rejects a text that anna has just written. */
async function reject(reason: string): Promise<void> {
  const own = await makePersonalToken(storage, { id: "anna" });
  await translate("fr", { "a.json": { a: "Une <b>chose</b>" } }, { token: own });
  const rejected = { locale: "fr", file: "a.json", keys: ["a"], reason };
  const { json } = await call("POST", "/api/hives/web/review/reject", { token: ben, body: rejected });
  expect(json).toMatchObject({ rejected: 1 });
}

describe("the inbox", () => {
  it("says who rejected a text, and why, and is new until it is read", async () => {
    await reject("Not <em>ours</em>");
    const page = await anna.get("/inbox");
    expect(page.status).toBe(200);
    expect(page.text).toContain("rejected your text of a in French");
    expect(page.text).toContain("Why: Not <em>ours</em>");
    const [, mend = ""] = /href="\.(\/[^"]*\/translate\/fr\?at=[^"]*)">French</.exec(page.html) ?? [];
    const work = await anna.get(mend);
    expect(work.html).toContain('data-draft="a.json:a"');
    expect(work.text).toContain("Rejected: Not <em>ours</em>");
    expect(page.html).not.toMatch(/<i>|<em>|<b>chose/);
    // A browser would put a form behind the paragraph that it is in, away from the end of the heading's line.
    expect(page.html).toMatch(/<div class="actions"><form[^>]*action="\.\/inbox"/);
    expect(page.text).toContain("2 to translate");
    expect(page.text).toMatch(/Inbox\s+1 new/);
    const until = /name="until" value="([^"]*)"/.exec(page.html)?.[1] ?? "";
    const seen = await anna.submit("/inbox", { until });
    expect([seen.status, seen.headers.get("location")]).toEqual([303, "./inbox"]);
    const after = await anna.get("/inbox");
    expect(after.text).toContain("rejected your text");
    expect(after.text).not.toMatch(/1 new|Mark all as read/);
  });

  it("tells its number on other pages, too, which do not wait for it", async () => {
    await reject("No");
    expect((await anna.get("/account")).text).not.toContain("1 new");
    await eventually(async () => expect((await anna.get("/account")).text).toMatch(/Inbox\s+1 new/));
  });

  it("leads to answers alone", async () => {
    await reject("No");
    const comments = "/api/hives/web/comments";
    const own = await makePersonalToken(storage, { id: "anna" });
    const about = { file: "a.json", key: "b" };
    await call("POST", comments, { token: own, body: { ...about, text: "A verb?", ask: true } });
    await call("POST", comments, { token: ben, body: { ...about, text: "A noun" } });
    expect((await anna.get("/inbox")).text).toContain("rejected your text");
    const answers = await anna.get("/inbox?show=answers");
    expect(answers.text).toContain("<i>Ben</i> commented on b, where you had");
    expect(answers.text).toContain("A noun");
    expect(answers.text).not.toContain("rejected your text");
  });

  it("shows a token what waits, and nothing else", async () => {
    await reject("No");
    const page = await token.get("/inbox");
    expect(page.text).toContain("2 to translate");
    expect(page.text).not.toContain("What others did");
    const link = await token.get("/");
    expect(link.html).not.toContain('href="./inbox"');
  });

  it.each(["tomorrow", "9999-01-01T00:00:00Z"])("refuses to be read up to %s", async (until) => {
    expect((await anna.submit("/inbox", { until })).status).toBe(422);
  });
});
