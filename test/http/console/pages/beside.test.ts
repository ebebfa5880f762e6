/** What changes beside the texts: the pages of a branch and of a merge tell it for every kind, whichever side is merged. */
import { beforeEach, describe, expect, it } from "vitest";
import { sidecars } from "../../../../src/domain/plans/sidecars.ts";
import { png } from "../../../domain/pictures/images.ts";
import { commitOf, hiveAt } from "../../../helpers/http/hive-api.ts";
import type { Call, Reply } from "../../../helpers/storage.ts";
import { prepareBrowser, type ConsoleBrowser } from "../browse.ts";

let call: Call;
let browser: ConsoleBrowser;
let approval: string;
let confirmation: string;
const { post, translate } = hiveAt(() => call);

const api = "/api/hives/web";
const page = "/hives/web/branches/b";
const file = "a.json";
const at = (key: string) => ({ locale: "fr", file, keys: [key] });
const alarm = (key: string) => ({ locale: "fr", file, key, check: "argument-missing" });

const prepared = prepareBrowser({ locales: ["fr"], token: { abilities: ["admin"] } }, async (web) => {
  ({ call } = web);
  const texts = { open: "Open", greet: "Hi {{name}}", bye: "Bye {{name}}", waits: "Waits", was: "Was" };
  await post({ [file]: { ...texts, stale: "Old", fits: "Old" } });
  await translate("fr", { [file]: { stale: "Vieux", fits: "Ancien", greet: "Salut", bye: "Adieu" } });
  await post({ [file]: { stale: "Older", fits: "Older" } });
  confirmation = commitOf(await call("POST", `${api}/stale/confirm`, { body: at("fits") }));
  await translate("fr", { [file]: { waits: "Attend", was: "Fut" } }, { body: { review: "always" } });
  approval = commitOf(await call("POST", `${api}/review/approve`, { body: at("was") }));
  await call("POST", `${api}/checks/accept`, { body: alarm("bye") });
  await call("POST", `${api}/branches`, { body: { name: "b" } });
});
beforeEach(async () => {
  ({ call, browser } = await prepared());
});

type Send = (method: string, path: string, body: object) => Promise<Reply>;

const picture = { name: "a.png", content: png(1, 1).toString("base64"), strings: [`${file}:open`] };
const comment = { file, key: "open", text: "Of a door?" };

/** The change, the folder of its kind, what does it, and how a page tells it and its undo. */
const changes: readonly (readonly [
  what: string,
  kind: string,
  (send: Send) => Promise<Reply>,
  told: string,
  opposite: string,
])[] = [
  [
    "a confirmation",
    "stale",
    (send) => send("POST", "/stale/confirm", at("stale")),
    "stale confirmed",
    "stale stale again",
  ],
  [
    "one that is taken back",
    "stale",
    (send) => send("POST", "/undo", { commit: confirmation }),
    "fits stale again",
    "fits confirmed",
  ],
  [
    "an approval",
    "review",
    (send) => send("POST", "/review/approve", at("waits")),
    "waits approved",
    "waits to be reviewed again",
  ],
  [
    "a new review",
    "review",
    (send) => send("POST", "/undo", { commit: approval }),
    "was to be reviewed again",
    "was approved",
  ],
  [
    "a false alarm",
    "accepted",
    (send) => send("POST", "/checks/accept", alarm("greet")),
    "greet false alarm",
    "greet no false alarm any more",
  ],
  [
    "a withdrawn one",
    "accepted",
    (send) => send("DELETE", "/checks/accept", alarm("bye")),
    "bye no false alarm any more",
    "bye false alarm",
  ],
  [
    "a note",
    "notes",
    (send) => send("PATCH", "/notes", { files: { [file]: { open: { note: "A verb" } } } }),
    "open note: note A verb",
    "open note: note A verb",
  ],
  [
    "a note of the app",
    "notes",
    (send) =>
      send("POST", "/strings", {
        files: { [file]: { open: "Open" } },
        notes: { [file]: { open: { note: "Of a shop" } } },
      }),
    "open note of the app Of a shop",
    "open note of the app Of a shop",
  ],
  ["a comment", "notes", (send) => send("POST", "/comments", comment), "open comments", "open comments"],
  [
    "a picture",
    "pictures",
    (send) => send("POST", "/pictures", picture),
    "open picture a.png",
    "open picture a.png",
  ],
];

it("is known of all kinds", () => {
  const kinds = new Set(changes.map(([, kind]) => kind));
  for (const { folder } of sidecars) expect(kinds).toContain(folder);
});

describe.each(changes)("%s (%s)", (_, __, change, told, opposite) => {
  const beside = "No text would change, but what lies beside texts would: 1 change, by one commit";

  it("of a branch is told by its page, and before it is merged", async () => {
    const sent = await change((method, path, body) => call(method, `${api}${path}?branch=b`, { body }));
    expect(sent.status, sent.text).toBeLessThan(300);
    const [ofBranch, ofMerge] = [await browser.get(page), await browser.get(`${page}/merge`)];
    expect(ofBranch.text).toContain(told);
    expect(ofBranch.text).toContain("1 change ");
    expect(ofMerge.text).toContain(told);
    expect(ofMerge.text).toContain(beside);
  });

  it("of main is told before a branch is updated", async () => {
    const sent = await change((method, path, body) => call(method, `${api}${path}`, { body }));
    expect(sent.status, sent.text).toBeLessThan(300);
    const { text } = await browser.get(`${page}/merge?into=branch`);
    expect(text).toContain(told);
    expect(text).toContain(beside);
  });

  it("is told before it is undone, and before that is undone", async () => {
    const sent = await change((method, path, body) => call(method, `${api}${path}`, { body }));
    const first = `/hives/web/history/${commitOf(sent)}/undo`;
    const before = await browser.get(first);
    expect(before.text).toContain("No text would change, but what lies beside texts");
    expect(before.text).toContain(opposite);
    const undone = await call("POST", `${api}/undo`, { body: { commit: commitOf(sent) } });
    const again = await browser.get(`/hives/web/history/${commitOf(undone)}/undo`);
    expect(again.text).toContain(told);
  });
});
