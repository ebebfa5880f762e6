/** Forms that change what others change meanwhile: nobody's change is taken back, or replaced unseen. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { toMirrorUrl } from "../../../../src/domain/hives/mirror-url.ts";
import { noLimits } from "../../../../src/domain/plans/quota.ts";
import { toHiveSlug } from "../../../../src/domain/names.ts";
import type { Implemented } from "../../../../src/http/operations/implement.ts";
import { channelOperations } from "../../../../src/http/operations/channels.ts";
import { engineOperations } from "../../../../src/http/operations/engines.ts";
import { hiveOperations } from "../../../../src/http/operations/hives.ts";
import { localeOperations } from "../../../../src/http/operations/locales.ts";
import { mirrorOperations } from "../../../../src/http/operations/mirrors.ts";
import { personOperations } from "../../../../src/http/operations/people.ts";
import { webhookOperations } from "../../../../src/http/operations/webhooks.ts";
import { addMirror } from "../../../../src/service/admin/mirrors.ts";
import type { Storage } from "../../../../src/service/storage.ts";
import { makePerson } from "../../../helpers/people/people.ts";
import type { Call } from "../../../helpers/storage.ts";
import { prepareBrowser, type ConsoleBrowser, type Page } from "../browse.ts";
import { formsIn, type ShownForm } from "./shown-forms.ts";

const api = "/api/hives/web";
const hive = "/hives/web";
/** The ids of what the server names. */
const ids: Record<string, string> = {};
let browser: ConsoleBrowser;
let call: Call;
let storage: Storage;

const prepared = prepareBrowser(
  {
    locales: ["fr", "ar"],
    token: { abilities: ["admin"] },
    storage: { limits: { ...noLimits, mirrorAllow: ["https://git.example.org/"] } },
  },
  async ({ call: send, storage }) => {
    await makePerson(storage, { id: "anna", name: "Anna" });
    await makePerson(storage, { id: "max", name: "Max", abilities: ["read", "approve"] });
    await addMirror(storage, toHiveSlug("web"), toMirrorUrl("https://git.example.org/web.git"));
    const url = "https://hooks.example.org/a";
    ids["WEBHOOK"] = (await send("POST", "/api/webhooks", { body: { url } })).json.id;
    await send("POST", "/api/engines", { body: { name: "gpt", type: "openai", model: "m", key: "k" } });
    await send("PUT", `${api}/channels/app`, { body: { public: true, branch: "main" } });
    const translations = { fr: { text: "fichier" }, ar: { text: "ملف" } };
    await send("POST", `${api}/glossary`, { body: { terms: [{ source: "file", translations }] } });
    ids["TERM"] = (await send("GET", `${api}/glossary`)).json.data[0].id;
    ids["MIRROR"] = (await send("GET", "/api/mirrors")).json.data[0].id;
  },
);
beforeEach(async () => {
  ({ call, browser, storage } = await prepared());
});

/** A kind of what a form changes. */
interface Changed {
  readonly page: string;
  /** Its form; the page, if it is not named. */
  readonly form?: string;
  /** What others send to the API. */
  readonly sent: readonly [method: "PATCH" | "POST" | "PUT", path: string, body: object];
  /** What they change by that, as its page says it then, and what the person writes there: not of a switch, which has one other value. */
  readonly field: string;
  readonly theirs: string;
  readonly mine?: string;
  /** Another field of the form, and what the person writes there, or chooses. */
  readonly other?: readonly [field: string, mine: string];
}

const kinds: Readonly<Record<string, Changed>> = {
  term: {
    page: `${hive}/glossary?locale=fr&edit=TERM`,
    form: `${hive}/glossary`,
    sent: [
      "POST",
      `${api}/glossary`,
      { terms: [{ id: "TERM", source: "file", translations: { fr: { text: "document" } } }] },
    ],
    field: "text",
    theirs: "document",
    mine: "dossier",
    other: ["meaning", "on a disk"],
  },
  "spellings of a term": {
    page: `${hive}/glossary?locale=fr&edit=TERM`,
    form: `${hive}/glossary`,
    sent: [
      "POST",
      `${api}/glossary`,
      { terms: [{ id: "TERM", source: "file", translations: { fr: { accepted: ["doc", "pli"] } } }] },
    ],
    field: "accepted",
    theirs: "doc\npli",
    mine: "dossier",
    other: ["forbidden", "archive"],
  },
  "way of a term": {
    page: `${hive}/glossary?locale=fr&edit=TERM`,
    form: `${hive}/glossary`,
    sent: ["POST", `${api}/glossary`, { terms: [{ id: "TERM", source: "file", match: "prefix" }] }],
    field: "match",
    theirs: "prefix",
    mine: "exact",
    other: ["keep", "true"],
  },
  style: {
    page: `${hive}/glossary?locale=fr`,
    form: `${hive}/glossary/style`,
    sent: ["PUT", `${api}/style/fr`, { text: "Vous.\nPas de points." }],
    field: "text",
    theirs: "Vous.\nPas de points.",
    mine: "Tu.",
  },
  "general settings": {
    page: `${hive}/settings/general`,
    sent: ["PATCH", api, { name: "Shop" }],
    field: "name",
    theirs: "Shop",
    mine: "Store",
    other: ["max_deletions", "7"],
  },
  checks: {
    page: `${hive}/settings/checks`,
    sent: ["PATCH", api, { checks: { syntax: [{ files: "*.json", syntax: "icu" }] } }],
    field: "checks.syntax",
    theirs: "*.json=icu",
    mine: "a.php=laravel",
    other: ["checks.level", "refuse"],
  },
  language: {
    page: `${hive}/settings/languages?change=fr`,
    form: `${hive}/settings/languages`,
    sent: ["PATCH", `${api}/locales/fr`, { custom_code: "fr_FR" }],
    field: "custom_code",
    theirs: "fr_FR",
    mine: "french",
    other: ["inherits", "ar"],
  },
  channel: {
    page: `${hive}/channels?change=app`,
    form: `${hive}/channels`,
    sent: ["PATCH", `${api}/channels/app`, { locales: ["fr"] }],
    field: "locales",
    theirs: "fr",
    mine: "ar",
    other: ["tag", "app"],
  },
  webhook: {
    page: "/team/webhooks?change=WEBHOOK",
    form: "/team/webhooks",
    sent: ["PATCH", "/api/webhooks/WEBHOOK", { url: "https://hooks.example.org/theirs" }],
    field: "url",
    theirs: "https://hooks.example.org/theirs",
    mine: "https://hooks.example.org/mine",
    other: ["hive", "web"],
  },
  engine: {
    page: "/team/engines?change=gpt",
    form: "/team/engines",
    sent: ["PATCH", "/api/engines/gpt", { model: "theirs" }],
    field: "model",
    theirs: "theirs",
    mine: "mine",
    other: ["instructions", "Short."],
  },
  // Another address makes another mirror of it.
  mirror: {
    page: "/team/mirrors?change=MIRROR",
    form: "/team/mirrors",
    sent: ["PATCH", "/api/mirrors/MIRROR", { branches: true }],
    field: "branches",
    theirs: "true",
  },
  person: {
    page: "/team/people/anna",
    form: "/team/people",
    sent: ["PATCH", "/api/people/anna", { name: "Ann" }],
    field: "name",
    theirs: "Ann",
    mine: "Annie",
    other: ["mail", "anna@example.org"],
  },
};

const named = (text: string): string => text.replaceAll(/[A-Z]{4,}/g, (name) => ids[name] ?? name);

function shown({ html }: Page, { page, form = page }: Changed, at = named(page)): ShownForm {
  const found = formsIn(html, at).find(({ action }) => action === form);
  if (found === undefined) throw new Error(`there is no form ${form}`);
  return found;
}

const open = async (kind: Changed): Promise<ShownForm> => shown(await browser.get(named(kind.page)), kind);
const send = ({ action, values }: ShownForm, changed: Record<string, string>): Promise<Page> =>
  browser.post(action, { ...values, ...changed });

async function othersChange({ sent: [method, path, body] }: Changed): Promise<void> {
  const answer = await call(method, named(path), { body: JSON.parse(named(JSON.stringify(body))) });
  expect([answer.status, answer.json]).toEqual([200, answer.json]);
}

const both = Object.entries(kinds).flatMap(([name, kind]) =>
  kind.mine === undefined ? [] : [{ name, kind, mine: kind.mine }],
);

describe.each(both)("the form of a $name", ({ kind, mine }) => {
  const { page, form = page, field, theirs } = kind;

  it("does not replace what others have made of a field, and shows both", async () => {
    const before = await open(kind);
    expect(before.values[field]).not.toBe(theirs);
    await othersChange(kind);
    const refused = await send(before, { [field]: mine });
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining("nothing was saved")]);
    expect((await open(kind)).values[field]).toBe(theirs);
    const again = shown(refused, kind, form);
    expect(again.values[field]).toBe(mine);
    expect(refused.html).toMatch(/<p class="problem"[^>]*><bdi>Now: /);
    // They were seen now.
    expect((await send(again, {})).status).toBe(303);
    expect((await open(kind)).values[field]).toBe(mine);
  });
});

describe.each(Object.entries(kinds))("the form of a %s", (_, kind) => {
  const { field, theirs, other } = kind;

  it("keeps what others have made of fields that it leaves as they were", async () => {
    const before = await open(kind);
    await othersChange(kind);
    const changed = other === undefined ? {} : { [other[0]]: other[1] };
    expect((await send(before, changed)).status).toBe(303);
    expect((await open(kind)).values).toMatchObject({ [field]: theirs, ...changed });
  });
});

it("keeps what others have made of other fields, too, where it was refused for something else first", async () => {
  const { term: kind } = kinds;
  if (kind === undefined) throw new Error("there is no such kind");
  const { field, theirs } = kind;
  const before = await open(kind);
  await othersChange(kind);
  const refused = await send(before, { part_of_speech: "a\u0000b" });
  expect(refused.status).toBe(422);
  expect((await send(shown(refused, kind, kind.form), { part_of_speech: "noun" })).status).toBe(303);
  expect((await open(kind)).values).toMatchObject({ [field]: theirs, part_of_speech: "noun" });
});

it("sees what others have made of a field between its reading and its writing", async () => {
  const { style: kind } = kinds;
  if (kind === undefined) throw new Error("there is no such kind");
  const before = await open(kind);
  const commit = storage.writer.commit.bind(storage.writer);
  vi.spyOn(storage.writer, "commit").mockImplementationOnce(async (...given) => {
    await othersChange(kind);
    return commit(...given);
  });
  expect((await send(before, { text: "Tu." })).status).toBe(409);
  expect((await open(kind)).values["text"]).toBe(kind.theirs);
});

const operations: readonly Implemented[] = [
  channelOperations,
  engineOperations,
  hiveOperations,
  localeOperations,
  mirrorOperations,
  personOperations,
  webhookOperations,
];

/** Has others act once, after a form was compared and before anything of it is written. */
function beforeWriting(act: () => Promise<unknown>): void {
  let isFirst = true;
  const actOnce = async (): Promise<void> => {
    if (!isFirst) return;
    isFirst = false;
    await act();
  };
  const commit = storage.writer.commit.bind(storage.writer);
  vi.spyOn(storage.writer, "commit").mockImplementation(async (...given) => {
    await actOnce();
    return commit(...given);
  });
  for (const route of operations.flatMap(({ routes }) => Object.values(routes))) {
    if (route.kind !== "team" && route.kind !== "hive-write") continue;
    const { handler }: { handler: (request: never) => unknown } = route;
    vi.spyOn(route, "handler").mockImplementation((async (request: never) => {
      await actOnce();
      return handler(request);
    }) as never);
  }
}

afterEach(() => {
  vi.restoreAllMocks();
});

const withTwo = Object.entries(kinds).filter(([, { other }]) => other !== undefined);

it.each(withTwo)("keeps what others make of a %s while another field of it is written", async (_, kind) => {
  const { field, theirs, other } = kind;
  const before = await open(kind);
  beforeWriting(() => othersChange(kind));
  const changed = other === undefined ? {} : { [other[0]]: other[1] };
  expect((await send(before, changed)).status).toBe(303);
  expect((await open(kind)).values).toMatchObject({ [field]: theirs, ...changed });
});

const ofOperations = Object.entries(kinds).filter(([, { page, form = page }]) => !form.includes("glossary"));

it.each(ofOperations)("asks for nothing by a form of a %s that changes nothing", async (_, kind) => {
  const written = vi.fn<() => Promise<void>>(() => Promise.resolve());
  const before = await open(kind);
  beforeWriting(written);
  expect((await send(before, {})).status).toBe(303);
  expect(written).not.toHaveBeenCalled();
});

/** Has others commit something else whenever a form is about to be written. */
function committingMeanwhile(): () => number {
  let commits = 0;
  const commit = storage.writer.commit.bind(storage.writer);
  const byOthers = async (): Promise<void> => {
    const body = { files: { "a.json": { x: `Text ${++commits}` } } };
    expect((await call("POST", `${api}/strings`, { body })).status).toBe(200);
  };
  let isOther = false;
  vi.spyOn(storage.writer, "commit").mockImplementation(async (...given) => {
    if (!isOther) {
      isOther = true;
      await byOthers();
      isOther = false;
    }
    return commit(...given);
  });
  return () => commits;
}

describe("while others commit all the time", () => {
  it("a form that compares nothing is taken", async () => {
    const page = `${hive}/glossary?locale=fr`;
    const form = formsIn((await browser.get(page)).html, page).find(({ fields }) => fields.has("source"));
    const commits = committingMeanwhile();
    expect((await browser.post(`${hive}/glossary`, { ...form?.values, source: "word" })).status).toBe(303);
    expect(commits()).toBe(1);
    expect((await call("GET", `${api}/glossary`)).json.data).toHaveLength(2);
  });

  it("a form that edits is shown again with what was written", async () => {
    const { style: kind } = kinds;
    if (kind === undefined) throw new Error("there is no such kind");
    const before = await open(kind);
    const commits = committingMeanwhile();
    const refused = await send(before, { text: "Tu." });
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining("Save again.")]);
    expect(commits()).toBe(3);
    vi.restoreAllMocks();
    expect((await send(shown(refused, kind, kind.form), {})).status).toBe(303);
    expect((await open(kind)).values["text"]).toBe("Tu.");
  });
});

it("changes a channel, whatever is committed meanwhile", async () => {
  const { channel: kind } = kinds;
  if (kind === undefined) throw new Error("there is no such kind");
  const before = await open(kind);
  const body = { files: { "a.json": { x: "X" } } };
  beforeWriting(() => call("POST", `${api}/strings`, { body }));
  const checked = vi.spyOn(storage.writer, "checkPreconditions");
  expect((await send(before, { tag: "app" })).status).toBe(303);
  expect(checked).toHaveBeenCalledOnce();
});

it("gives nobody a right back that is taken away while their address is written", async () => {
  const path = "/team/people/max";
  const form = formsIn((await browser.get(path)).html, path).find(({ action }) => action === "/team/people");
  beforeWriting(() => call("PATCH", "/api/people/max", { body: { abilities: ["read"] } }));
  const sent = new URLSearchParams({ ...form?.values, mail: "max@example.org" });
  sent.delete("abilities");
  for (const ability of ["read", "approve"]) sent.append("abilities", ability);
  expect((await browser.send("/team/people", sent)).status).toBe(303);
  const stored = (await call("GET", "/api/people/max")).json;
  expect(stored).toMatchObject({ mail: "max@example.org", abilities: ["read"] });
});

it("sends members that exclude each other together", async () => {
  const { channel: kind } = kinds;
  if (kind === undefined) throw new Error("there is no such kind");
  const commit = storage.hives.at(toHiveSlug("web")).head();
  const before = await open(kind);
  expect(before.values).toMatchObject({ branch: "main", at: "" });
  const refused = await send(before, { at: commit });
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining("follows a branch")]);
  expect((await send(before, { branch: "", at: commit })).status).toBe(303);
});

/** What a person has, what others make of it, what one chooses, and what the form says. */
const said = {
  "several boxes": [{ locales: null }, { locales: ["fr"] }, { locales: "ar" }, "Now: French (fr)"],
  "boxes that are empty": [{ locales: ["fr"] }, { locales: null }, { locales: "ar" }, "Now it is empty."],
  "a choice": [{ review: null }, { review: "never" }, { review: "always" }, "Now: never"],
  "a choice of none": [{ review: "always" }, { review: null }, { review: "never" }, "Now: if a model"],
} as const;

it.each(Object.entries(said))("says what others have made of %s in the words of the form", async (_, row) => {
  const [had, theirs, mine, words] = row;
  const path = "/team/people/max";
  await call("PATCH", "/api/people/max", { body: had });
  const form = formsIn((await browser.get(path)).html, path).find(({ action }) => action === "/team/people");
  await call("PATCH", "/api/people/max", { body: theirs });
  const refused = await browser.post("/team/people", { ...form?.values, ...mine });
  expect([refused.status, refused.text]).toEqual([409, expect.stringContaining(words)]);
});

it("says no field of one line was changed because its value has line ends", async () => {
  const { engine: kind } = kinds;
  if (kind === undefined) throw new Error("there is no such kind");
  const stored = { model: "one\ntwo", instructions: "Short.\nPlain." };
  await call("PATCH", "/api/engines/gpt", { body: stored });
  const before = await open(kind);
  expect(before.values).toMatchObject({ model: "onetwo", instructions: stored.instructions });
  await call("PATCH", "/api/engines/gpt", { body: { model: "three\nfour" } });
  expect((await send(before, { max_characters_per_day: "7" })).status).toBe(303);
  expect((await call("GET", "/api/engines/gpt")).json).toMatchObject({
    ...stored,
    model: "three\nfour",
    max_characters_per_day: 7,
  });
});

it("says what they showed only in forms that edit", async () => {
  const page = `${hive}/glossary?locale=fr`;
  const shownBy = async (at: string, name: string): Promise<boolean | undefined> => {
    const forms = formsIn((await browser.get(named(at))).html, named(at));
    const form = forms.find(({ fields }) => fields.has(name));
    return form && "shown" in form.values;
  };
  expect(await shownBy(page, "source")).toBe(false);
  expect(await shownBy(`${page}&edit=TERM`, "source")).toBe(true);
  expect(await shownBy("/team/engines", "model")).toBe(false);
});

it("compares all that is chosen in a field of several boxes", async () => {
  const path = "/team/people/max";
  const opened = await browser.get(path);
  const form = formsIn(opened.html, path).find(({ action }) => action === "/team/people");
  const boxes = ({ html }: Page): readonly string[] =>
    Array.from(html.matchAll(/name="abilities" value="([^"]*)" checked/g), ([, ability = ""]) => ability);
  const save = (abilities: readonly string[], more: Record<string, string> = {}): Promise<Page> => {
    const sent = new URLSearchParams({ ...form?.values, ...more });
    sent.delete("abilities");
    for (const ability of abilities) sent.append("abilities", ability);
    return browser.send("/team/people", sent);
  };
  const stored = async () => (await call("GET", "/api/people/max")).json;
  expect(boxes(opened)).toEqual(["read", "approve"]);
  await call("PATCH", "/api/people/max", { body: { abilities: ["read", "write"] } });
  const refused = await save(["read"]);
  expect([refused.status, boxes(refused)]).toEqual([409, ["read"]]);
  expect(refused.text).toMatch(/Now: read.*translate/i);
  expect((await save(boxes(opened), { name: "Maximilian" })).status).toBe(303);
  expect(await stored()).toMatchObject({ name: "Maximilian", abilities: ["read", "write"] });
});
