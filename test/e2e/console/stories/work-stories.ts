/** What people do in the console with what others leave them: the inbox, the search in front of any page, selected strings. */
import { expect } from "vitest";
import { createToken, request, skepOk } from "../../../helpers/process.ts";
import type { Person } from "../person.ts";
import type { Story } from "./stories.ts";
import { files, withTexts } from "../texts.ts";

/** Finds in the inbox that a text was rejected, and why, mends it, and has seen the news. */
export async function answered(): Promise<Story> {
  const { server, storage, send, texts } = await withTexts();
  await skepOk(storage, "locale", "set", "web", "fr", "--review", "all");
  await send("/strings", files({ save: "Save" }));
  await skepOk(storage, ..."person create luc --team acme --name Luc --role translator".split(" "));
  const link = new URL((await skepOk(storage, "person", "invite", "luc", "--public-url", server.url)).trim());
  const lead = await createToken(storage, ["read", "write", "approve"], "--name", "Rosa");
  const tell = async (person: Person): Promise<void> => {
    await person.open(link.pathname + link.search);
    await person.sees("Choose a password");
    await person.fill("Choose a password", "twelve letters");
    await person.press("Enter");
    await person.sees("Hives");
    await person.open("/hives/web/strings/auth.json/save?locale=fr");
    await person.sees("Save");
    await person.fill("French translation", "Sauver");
    await person.follow("Save");
    await person.sees("Saved as a commit");
    const rejection = { locale: "fr", file: "auth.json", keys: ["save"], reason: "It is kept, not rescued" };
    const { status } = await request(server, lead, "POST", "/api/hives/web/review/reject", rejection);
    expect(status).toBe(200);
    await person.follow("Inbox");
    await person.sees("Rosa rejected your text of");
    await person.sees("It is kept, not rescued");
    await person.follow("save");
    await person.sees("missing");
    await person.open("/hives/web/strings/auth.json/save?locale=fr");
    await person.sees("Translations");
    await person.fill("French translation", "Enregistrer");
    await person.follow("Save");
    await person.sees("Saved as a commit");
    await person.open("/inbox");
    await person.sees("Rosa rejected your text of");
    await person.follow("Mark all as read");
    await person.sees("Marked as read.");
    expect(await person.texts(".mark.waiting")).toEqual([]);
    expect(await texts("fr")).toEqual({ save: "Enregistrer" });
  };
  return { server, tell };
}

/**
 * Goes from any page to a string by a few letters, with the keys where the page has scripts, and by the page of the
 * search without.
 */
export async function finder(): Promise<Story> {
  const { server, storage } = await withTexts();
  const token = await createToken(storage, ["read", "write"], "--name", "Kim");
  const tell = async (person: Person): Promise<void> => {
    await person.open("/hives/web/history");
    await person.signIn(token);
    await person.sees("commits");
    await person.search("wrong pass");
    // The commits behind the dialog have the key, too.
    await person.sees("web · auth.json");
    await person.follow("failed");
    await person.sees("Translations");
    await person.sees("كلمة المرور خاطئة.");
    await person.search("french");
    await person.sees("web → French");
    await person.follow("web → French");
    await person.sees("Save and next");
  };
  return { server, tell };
}

/** Tags some strings of a list at once, lists them by the tag, and replaces a word in these alone. */
export async function sorter(): Promise<Story> {
  const { server, storage, send, texts } = await withTexts();
  await send(
    "/translations/fr",
    files({ failed: "Mot de passe faux.", out: "Passe, sors", in: "Passe, entre" }),
  );
  const token = await createToken(storage, ["read", "write"], "--name", "Eva");
  const tell = async (person: Person): Promise<void> => {
    await person.open("/hives/web/strings?locale=fr");
    await person.signIn(token);
    await person.sees("3 strings");
    for (const key of ["out", "in"]) {
      await person.goTo(`Select ${key}`);
      await person.press("Space");
    }
    await person.fill("Tags, separated by commas", "menu, door");
    await person.press("Tab");
    await person.follow("Tag");
    await person.sees("Tagged by a commit");
    await person.sees("menu");
    await person.open("/hives/web/strings?locale=fr&tag=menu");
    await person.sees("2 strings found");
    await person.follow("Select all 2 found");
    await person.sees("What you choose below is done to all that are selected");
    await person.goTo("Select in");
    await person.press("Space");
    await person.follow("Replace…");
    await person.sees("1 selected string");
    await person.fill("Find", "passe");
    await person.fill("Replace with", "va");
    await person.press("Enter");
    await person.sees("1 text found.");
    await person.sees("1 selected string");
    await person.goTo("Select out");
    await person.follow("Replace ");
    await person.sees("Replaced by one commit");
    expect(await texts("fr")).toEqual({ failed: "Mot de passe faux.", out: "va, sors", in: "Passe, entre" });
    await person.open("/hives/web/strings?locale=fr&tag=door");
    await person.sees("2 strings found");
    await person.goTo("Select out");
    await person.press("Space");
    await person.fill("Tags, separated by commas", "door");
    await person.follow("Remove tag");
    await person.sees("Tags removed by a commit");
    await person.sees("1 string found");
  };
  return { server, tell };
}

/** Sees in the history what a model has written, and takes all of it back that nobody has mended. */
export async function undoer(): Promise<Story> {
  const { server, storage, send, texts } = await withTexts();
  const token = await createToken(storage, ["read", "write"], "--name", "Lea");
  const byModel = { "x-commit-origin": "model", "x-commit-model": "m-1" };
  for (const written of [{ failed: "Faux" }, { out: "Dehors", in: "Dedans" }])
    await request(server, token, "POST", "/api/hives/web/translations/fr", files(written), byModel);
  await send("/translations/fr", { ...files({ in: "Connexion" }), overwrite_strategy: "overwrite" });
  const tell = async (person: Person): Promise<void> => {
    await person.open("/hives/web/history?origin=model");
    await person.signIn(token);
    await person.sees("2 commits found");
    await person.follow("Undo all of this origin");
    await person.sees("2 texts would be as before");
    await person.sees("1 changed since would stay as they are.");
    await person.fill("Why?", "It was the wrong model");
    await person.press("Enter");
    await person.sees("Undone by this commit");
    await person.sees("It was the wrong model");
    expect(await texts("fr")).toEqual({ in: "Connexion" });
  };
  return { server, tell };
}
