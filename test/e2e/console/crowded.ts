/** A team that has much of everything, and a Hive with all that is hard to show. */
import type { Page } from "playwright-core";
import { keptMails } from "../../helpers/mail/mailing.ts";
import { expect } from "vitest";
import { endpoints } from "../../../src/config/kinds.ts";
import { toTeamName } from "../../../src/domain/names.ts";
import { routes } from "../../../src/http/console/routes.ts";
import { registerClient } from "../../../src/service/people/oauth.ts";
import { invitePerson } from "../../../src/service/people/invitations.ts";
import { openLocalStorage, type Storage } from "../../../src/service/storage.ts";
import { fillHive } from "../../docs/picture-texts.ts";
import { makePerson } from "../../helpers/people/people.ts";
import { ownerGrant } from "../../helpers/people/tokens.ts";
import { request, serveStorage } from "../../helpers/process.ts";
import { makeHive, makeToken, realFolder } from "../../helpers/storage.ts";

/** As a program makes it, without a place to break it at. */
const longKey = "long_key".repeat(25);
const longBranch = `b/${longKey.slice(2)}`;
const longName =
  "A name that somebody gave who had much to say about it, and no idea of where it would be shown";
const file = "a-folder-of-the-app/another-one/texts-of-the-shop.json";
const messages = "messages.json";
const texts = {
  [longKey]: longKey,
  "": "Without a key",
  prose: "It is long, and says what it says twice. ".repeat(60),
  hello: "Hello {{name}}",
};

/** Addresses that are no pages: redirects, files, and what an invitation or a mail leads to without its code. */
const areNoPages = new Set([
  "/sign-in",
  "/sign-in/oidc",
  "/sign-in/oidc/callback",
  "/invitation",
  "/account/mail",
  "/unsubscribe",
  "/hives/:slug/pictures/:hash",
  "/hives/:slug/export/download",
  "/hives/:slug/glossary/files/download",
  "/hives/:slug/figures.csv",
  "/hives/:slug/settings",
]);

type Commits = Awaited<ReturnType<typeof fillHive>>;

/** What stands at the end of the paths of pages that show more than one thing, or have no address without. */
const examplesOf = (
  { first, last, undoable }: Commits,
  shown: {
    readonly upload: string;
    readonly terms: string;
    readonly picture: string;
    readonly program: string;
  },
): Readonly<Record<string, readonly string[]>> => {
  const path = encodeURIComponent(file);
  const branches = ["feature%2Flogin", encodeURIComponent(longBranch)];
  return {
    "/oauth/authorize": [shown.program],
    "/search": ["", "?q=pass", "?q=nothinglikethis"],
    "/hives/:slug": ["", "?branch=feature%2Flogin"],
    "/hives/:slug/strings": [
      "?locale=fr",
      "?locale=ar",
      "?locale=*&q=pass",
      "?locale=fr&state=failing",
      `?locale=fr&file=${messages}`,
      "?locale=nl&q=nothinglikethis",
    ],
    "/hives/:slug/selection/:locale": ["fr?state=stale"],
    "/hives/:slug/strings/:file/:key": [
      "auth.php/password",
      `${path}/${longKey}`,
      `${path}/hello?locale=fr`,
      `${messages}/files`,
      `${path}/prose?locale=fr`,
    ],
    "/hives/:slug/strings/:file": [path],
    "/hives/:slug/source/add": [`?file=${path}`],
    "/hives/:slug/source/change": [`?file=${path}&key=prose`, "?file=cart.json&key=items_other"],
    "/hives/:slug/source/move": [`?file=${path}&key=${longKey}`],
    "/hives/:slug/source/remove": [`?file=${path}&key=${longKey}`, "?file=cart.json&key=items_other"],
    "/hives/:slug/pictures": ["", "?file=auth.php&key=password", "?file=menu.php&key=save"],
    "/hives/:slug/pictures/box": [`?file=auth.php&key=password&picture=${shown.picture}`],
    "/hives/:slug/news": [`?since=${first}`],
    "/hives/:slug/figures": ["", "?locale=fr&by=day"],
    "/hives/:slug/import": ["?locale=fr"],
    "/hives/:slug/import/:upload": [shown.upload],
    "/hives/:slug/replace": [
      `?find=a&replace=b&among=${"abcdef".repeat(1_000)}`,
      "?find=mot+de+passe&replace=code",
      "?find=nothinglikethis&replace=x",
    ],
    "/hives/:slug/translate/:locale": [
      "fr?at=auth.php%3Apassword",
      "pl?at=cart.json%3Aitems_other",
      `fr?file=${path}`,
      "ar",
      "fr?want=review",
      "fr?q=nothinglikethis",
    ],
    "/hives/:slug/glossary": ["", "?locale=fr"],
    "/hives/:slug/glossary/files/:upload": [shown.terms],
    "/hives/:slug/compare/:range+": ["v1.0...main"],
    "/hives/:slug/history": ["", "?key=password"],
    "/hives/:slug/history/:commit": [last, first],
    "/hives/:slug/history/:commit/undo": [undoable, first],
    "/hives/:slug/undo": ["", "?origin=person"],
    "/hives/:slug/branches/:name": branches,
    "/hives/:slug/branches/:name/merge": branches,
    "/team/people/:id": ["marie", "luc"],
  };
};

/** The addresses of all pages, from their routes: a new one is there by itself, or asks for an example. */
function addressesOf(examples: ReturnType<typeof examplesOf>): readonly string[] {
  return routes
    .filter(({ kind, path }) => !kind.endsWith("form") && !areNoPages.has(path))
    .flatMap(({ path }) => {
      const stem = path.replace(":slug", "web").replace(/:.*/, "");
      if (stem.length < path.replace(":slug", "web").length && examples[path] === undefined)
        throw new Error(`There is no example of ${path}.`);
      return (examples[path] ?? [""]).map((end) => stem + end);
    });
}

/** Pages of a Hive that has nothing yet, which say what to do. */
const emptyPages = ["", "/strings", "/translate", "/history", "/glossary", "/branches", "/comments"].concat(
  "/tags",
  "/channels",
  "/pictures",
  "/figures",
);

/** Makes the team, and signs one of its people in. @returns the addresses of all pages. */
export async function crowdedTeam(page: Page): Promise<readonly string[]> {
  const storage = openLocalStorage(realFolder(), { engineAllow: endpoints("loopback") });
  await makeHive(storage, "web", { locales: ["de", "fr", "ja", "ar", "pt-BR=pt_BR", "nl", "pl"] });
  await makeHive(storage, "app", { locales: ["de", "fr"] });
  await makeHive(storage, "empty", { locales: [] });
  await makeHive(storage, "old");
  const token = await makeToken(storage, { name: longName, abilities: ["admin"] });
  const another = await makeToken(storage, { name: "CI", hives: ["web"] });
  // With mails and an address, so that their pages are there.
  const publicUrl = "https://skep.example.org";
  const server = await serveStorage(storage, { mailing: keptMails().mailing, publicUrl });
  await page.goto(server.url);
  const picture = { content: await page.screenshot(), box: { x: 20, y: 20, width: 200, height: 40 } };
  const commits = await fillHive(storage, { url: server.url, token, another, picture });
  const send = async (path: string, body: object): Promise<void> => {
    const { status } = await request(server, token, "POST", `/api${path}`, body);
    expect([path, status < 300]).toEqual([path, true]);
  };
  const french = { hello: "Salut {{nom}}", prose: "Long. ".repeat(300), [longKey]: longKey };
  await send("/hives/web/strings", { files: { [file]: texts } });
  await send("/hives/web/translations/fr", { files: { [file]: french } });
  await send("/hives/web/translations/ar", { files: { [file]: { hello: "مرحباً {{name}}" } } });
  const rules = { syntax: [{ files: messages, syntax: "icu" }] };
  expect((await request(server, token, "PATCH", "/api/hives/web", { checks: rules })).status).toBe(200);
  const message = `{n, plural, =0 {No file of {name}} one {# file of {name} in ${longKey}} other {# files of {name}}}`;
  await send("/hives/web/strings", { files: { [messages]: { files: message } } });
  await send("/hives/web/translations/fr", { files: { [messages]: { files: message } } });
  for (const locale of [undefined, "fr"])
    await send("/hives/web/comments", { file, key: longKey, locale, text: `What is ${longKey}?`, ask: true });
  await send("/engines", { name: "libre", type: "libretranslate", url: "http://127.0.0.1:9/translate" });
  const deleted = longBranch.replace("b/", "d-");
  for (const name of [longBranch, deleted]) await send("/hives/web/branches", { name });
  const path = `/api/hives/web/branches/${deleted}`;
  expect((await request(server, token, "DELETE", path)).status).toBe(200);
  const invited = await invitedPeople(storage, server.url);
  await page.goto(server.url + invited.marie);
  await page.locator('input[name="password"]').fill("twelve letters");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Hives" }).waitFor();
  const { json } = await request(server, token, "GET", "/api/hives/web/pictures");
  const shown = {
    upload: await uploaded(page, server.url),
    terms: await uploadedTerms(page, server.url),
    picture: String(json.data[0].hash),
    program: await programOf(storage),
  };
  const pages = [
    invited.luc,
    ...addressesOf(examplesOf(commits, shown)),
    ...emptyPages.map((each) => `/hives/empty${each}`),
    "/hives/nope",
  ];
  return pages.map((each) => server.url + each);
}

/** Uploads a file that changes much. @returns what names it while it waits. */
async function uploaded(page: Page, url: string): Promise<string> {
  await page.goto(`${url}/hives/web/import`);
  const form = page.locator('form[action$="/source"]');
  const content = { prose: "Short.", "": "Without a key", renamed: longKey, size: 1, new: "New {{name}}" };
  const buffer = Buffer.from(JSON.stringify(content));
  await form
    .locator('input[type="file"]')
    .setInputFiles({ name: "texts.json", mimeType: "text/plain", buffer });
  await form.getByLabel("Name in the Hive").fill(file);
  await form.getByLabel("Strings that the file does not have").selectOption("sync");
  await form.locator("button").click();
  await page.getByRole("button", { name: "Import it" }).waitFor();
  return page.url().replace(/^.*\//, "");
}

/** Uploads a file of terms. @returns what names it while it waits. */
async function uploadedTerms(page: Page, url: string): Promise<string> {
  await page.goto(`${url}/hives/web/glossary`);
  await page.getByText("Import or download the glossary").click();
  const form = page.locator('form[action$="/glossary/files"]');
  const tbx = `<tbx><text><body><conceptEntry><langSec xml:lang="en"><termSec><term>${longKey}</term></termSec></langSec><langSec xml:lang="tlh"><termSec><term>x</term></termSec></langSec></conceptEntry></body></text></tbx>`;
  const file = { name: "terms.tbx", mimeType: "text/plain", buffer: Buffer.from(tbx) };
  await form.locator('input[type="file"]').setInputFiles(file);
  await form.locator("button").click();
  await page.getByRole("button", { name: "Import it" }).waitFor();
  return page.url().replace(/^.*\//, "");
}

/** The query with which a program asks to be allowed. */
async function programOf(storage: Storage): Promise<string> {
  const redirect = `https://chat.example.org/${longKey}`;
  const registered = await registerClient(storage, { name: longName, redirects: [redirect] });
  const query = new URLSearchParams({
    client_id: "id" in registered ? registered.id : "",
    redirect_uri: redirect,
    response_type: "code",
    code_challenge: "x".repeat(43),
    code_challenge_method: "S256",
  });
  return `?${query.toString()}`;
}

/** Makes two people. @returns the addresses of their invitations, on the server. */
async function invitedPeople(storage: Storage, url: string): Promise<{ marie: string; luc: string }> {
  await makePerson(storage, { id: "marie", name: longName, abilities: ["admin"] });
  await makePerson(storage, { id: "luc", name: "Luc", locales: ["fr"] });
  const invitationOf = async (id: string): Promise<string> => {
    const invited = new URL((await invitePerson(storage, ownerGrant(toTeamName("acme")), id, url)).url);
    return invited.pathname + invited.search;
  };
  return { marie: await invitationOf("marie"), luc: await invitationOf("luc") };
}
