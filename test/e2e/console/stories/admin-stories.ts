/** What an admin does in the console that others do by programs: files, figures, and the care of a Hive. */
import { expect } from "vitest";
import { createToken, request } from "../../../helpers/process.ts";
import { files, withTexts } from "../texts.ts";
import type { Person } from "../person.ts";
import type { Story } from "./stories.ts";

/** Imports translations and a glossary from files, looks at the figures, and takes the import back. */
export async function exchanger(): Promise<Story> {
  const { server, storage, texts } = await withTexts();
  const token = await createToken(storage, ["read", "write"], "--name", "Eva");
  const tell = async (person: Person): Promise<void> => {
    await person.open("/hives/web/strings?locale=fr");
    await person.signIn(token);
    await person.sees("3 strings");
    await person.follow("Import");
    await person.sees("A file of the app");
    const french = JSON.stringify({ out: "Sortir", failed: "Mot de passe faux.", gone: "Parti" });
    await person.choose('form[action$="/import/translations"]', "auth.json", french);
    await person.goTo("Name in the Hive");
    await person.follow("Preview");
    await person.sees("Translations added: 2");
    await person.sees("Keys that no string has: 1");
    await person.fill("Why?", "From the agency");
    await person.follow("Import it");
    await person.sees("Imported by this commit");
    expect(await texts("fr")).toEqual({ failed: "Mot de passe faux.", out: "Sortir" });
    await person.open("/hives/web/glossary?locale=fr");
    await person.follow("Import or download the glossary");
    await person.sees("CSV or TBX");
    await person.choose('form[action$="/glossary/files"]', "terms.csv", "source,fr\npassword,mot de passe\n");
    await person.goTo("Terms that the file does not have");
    await person.follow("Preview");
    await person.sees("Terms added: 1");
    await person.follow("Import it");
    await person.sees("Imported by this commit");
    await person.open("/hives/web/glossary?locale=fr");
    await person.sees("mot de passe");
    await person.open("/hives/web");
    await person.follow("Figures");
    await person.sees("Download as CSV");
    await person.open("/hives/web/export?locale=fr");
    await person.sees("Format");
    await person.open("/hives/web/history");
    await person.follow("From the agency");
    await person.sees("2 texts");
    await person.follow("Undo this commit");
    await person.sees("2 texts would be as before");
    await person.fill("Why?", "Too early");
    await person.press("Enter");
    await person.sees("Undone by this commit");
    expect(await texts("fr")).toEqual({});
  };
  return { server, tell };
}

/** Restores a branch, sees what happened in the team, adds a tag, and sees what a page says that has nothing yet. */
export async function caretaker(): Promise<Story> {
  const { server, storage, send } = await withTexts();
  const token = await createToken(storage, ["admin"], "--name", "Ada");
  await send("/branches", { name: "feature/menu" });
  await send("/strings?branch=feature/menu", files({ menu: "Menu" }));
  await request(server, token, "DELETE", "/api/hives/web/branches/feature%2Fmenu");
  const tell = async (person: Person): Promise<void> => {
    await person.open("/hives/web/branches");
    await person.signIn(token);
    await person.sees("Deleted branches");
    await person.follow("Restore");
    await person.sees("1 commit ahead of main");
    await person.open("/hives/web/tags");
    await person.sees("A tag names a state for ever");
    await person.fill("Name", "v1.0");
    await person.follow("Tag");
    await person.sees("v1.0");
    await person.open("/team/audit");
    await person.sees("Entries are kept for 400 days.");
    await person.open("/hives/web/comments");
    await person.sees("Nobody has asked or said anything yet.");
    await person.follow("All strings");
    await person.sees("3 strings");
    await person.open("/team/deleted");
    await person.sees("can be restored here for 30 days");
  };
  return { server, tell };
}
