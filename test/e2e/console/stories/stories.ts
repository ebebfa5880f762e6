/** What a lead, a translator and an operator do in the console, each in a storage of their own. */
import { expect } from "vitest";
import { createToken, serveInProcess, skep, skepOk, type Served } from "../../../helpers/process.ts";
import { realFolder } from "../../../helpers/storage.ts";
import type { Person } from "../person.ts";
import { files, withTexts } from "../texts.ts";

/** A server with the storage that a story begins with, and the story. */
export interface Story {
  readonly server: Served;
  readonly tell: (person: Person) => Promise<void>;
}

/** Looks at the progress, compares two states, merges a branch with a conflict, and undoes that. */
export async function lead(): Promise<Story> {
  const { server, storage, send, texts } = await withTexts();
  await send("/tags", { name: "v1.0" });
  await send("/branches", { name: "feature/login" });
  await send("/strings?branch=feature/login", files({ failed: "That was wrong.", forgot: "Forgot it?" }));
  await send("/strings", files({ failed: "Your password is wrong." }));
  const token = await createToken(storage, ["read", "write"], "--name", "Lea");
  const tell = async (person: Person): Promise<void> => {
    await person.open("/");
    await person.signIn(token);
    await person.sees("1 stale");
    await person.follow("web");
    await person.sees("Last changes");
    expect(await person.texts(".locales tbody th > a:first-child")).toEqual(["Arabic", "French"]);
    await person.follow("More");
    await person.follow("Compare");
    await person.sees("Choose two tags");
    await person.fill("From", "v1.0");
    await person.press("Enter");
    await person.sees("1 text differs");
    await person.follow("More");
    await person.follow("Branches");
    await person.sees("1 commit ahead of main");
    await person.follow("feature/login");
    await person.sees("1 of its changes conflicts with main.");
    await person.follow("Merge into main");
    await person.sees("1 conflict: main and the branch");
    await person.goTo("Main");
    await person.press("ArrowRight");
    await person.press("ArrowRight");
    await person.fill("The text that is taken", "That is the wrong password.");
    await person.fill("Why?", "Login is done");
    await person.follow("Apply 1");
    await person.sees("Merged by this commit");
    expect(await texts("en")).toMatchObject({ failed: "That is the wrong password.", forgot: "Forgot it?" });
    await person.follow("Undo this commit");
    await person.sees("2 texts would be as before");
    await person.fill("Why?", "Too early");
    await person.press("Enter");
    await person.sees("Undone by this commit");
    await person.sees("Too early");
    expect(await texts("en")).not.toHaveProperty("forgot");
    await person.follow("Sign out");
    await person.sees("A token stands for you");
  };
  return { server, tell };
}

/** Searches, filters, translates, meets what somebody else changes meanwhile, and confirms, in French alone. */
export async function translator(): Promise<Story> {
  const { server, storage, send, texts } = await withTexts();
  await send("/translations/fr", files({ failed: "Mot de passe faux.", out: "Sortir" }));
  await send("/strings", files({ failed: "Your password is wrong.", out: "Log out!" }));
  const token = await createToken(storage, ["read", "write"], "--name", "Luc", "--locale", "fr");
  const tell = async (person: Person): Promise<void> => {
    await person.open("/hives/web/strings");
    await person.signIn(token);
    await person.sees("3 strings");
    const search = "Search in keys and texts";
    await person.filter(search, () => person.fill(search, "faux"));
    await person.sees("1 string found");
    await person.fill(search, "");
    // A key chooses what begins with it.
    await person.filter("State", () => person.press("s"));
    await person.sees("2 strings found");
    expect(await person.texts(".strings ins")).toContain("Your");
    await person.follow("Edit failed");
    await person.fill("French translation", "Votre mot de passe est faux.");
    await person.follow("Save");
    await person.sees("1 string found");
    await person.follow("Edit out");
    await person.follow("Still right");
    await person.sees("No string found");
    expect(await texts("fr")).toMatchObject({ failed: "Votre mot de passe est faux.", out: "Sortir" });
    await person.filter("State", () => person.press("m"));
    await person.sees("1 string found");
    await person.follow("Translate in");
    await person.fill("French translation", "Entrer");
    await send("/translations/fr", { ...files({ in: "Connexion" }), overwrite_strategy: "overwrite" });
    await person.follow("Save");
    await person.sees("has been changed since you saw it");
    await person.sees("Connexion");
    await person.follow("Replace theirs");
    await person.sees("Saved as a commit");
    expect(await texts("fr")).toMatchObject({ in: "Entrer" });
    await person.follow("Strings", "Shift+Tab");
    await person.sees("3 strings");
    await person.filter("Locale", () => person.press("a"));
    await person.sees("but not into Arabic");
    expect(await person.texts(".strings summary")).toEqual([]);
  };
  return { server, tell };
}

/** Looks at what waits in French, approves one text, is refused an old sight of another, and rejects it. */
export async function reviewer(): Promise<Story> {
  const { server, storage, send, texts } = await withTexts();
  const overwrite = (changed: object) => ({ ...files(changed), overwrite_strategy: "overwrite" });
  await send("/translations/fr", files({ failed: "Mot de passe faux." }));
  await skepOk(storage, "locale", "set", "web", "fr", "--review", "all");
  await send("/translations/fr", overwrite({ failed: "Mot de passe erroné.", out: "Sortir" }));
  const token = await createToken(storage, ["read", "write", "approve"], "--name", "Rosa", "--locale", "fr");
  const tell = async (person: Person): Promise<void> => {
    await person.open("/hives/web/strings");
    await person.signIn(token);
    await person.sees("3 strings");
    await person.filter("State", () => person.press("w"));
    await person.sees("2 strings found");
    expect(await person.texts(".review ins")).toEqual(["erroné"]);
    await person.follow("Approve failed");
    await person.sees("Approved");
    await person.sees("1 string found");
    await send("/translations/fr", overwrite({ out: "Quitter" }));
    await person.follow("Approve out");
    await person.sees("has been changed since you saw it");
    await person.open("/hives/web/strings/auth.json/out");
    await person.sees("waiting for a review");
    await person.fill("Why it is rejected", "It is a button");
    // It is the field's own form that is sent, not the one that approves.
    await person.press("Enter");
    await person.sees("Rejected");
    expect(await texts("fr")).toEqual(expect.objectContaining({ failed: "Mot de passe erroné." }));
    expect(await texts("fr")).not.toHaveProperty("out");
    await person.open("/hives/web/history");
    await person.sees("It is a button");
    await send("/translations/fr", overwrite({ failed: "Non.", out: "Dehors", in: "Dedans" }));
    await person.open("/hives/web/strings?locale=fr&state=waiting");
    await person.follow("Select all 3 found");
    await person.sees("What you choose below is done to all that are selected");
    await person.goTo("Select failed");
    await person.press("Space");
    await person.follow("Approve");
    await person.sees("Approved by a commit");
    await person.sees("1 string found");
  };
  return { server, tell };
}

/** Replaces a word in the texts of several languages but for one that was meant otherwise, and takes it back. */
export async function editor(): Promise<Story> {
  const { server, storage, send, texts } = await withTexts();
  await send("/translations/fr", files({ failed: "Mot de passe faux.", out: "Sortir", in: "Passe, entre" }));
  const token = await createToken(storage, ["read", "write"], "--name", "Eva");
  const tell = async (person: Person): Promise<void> => {
    await person.open("/hives/web/strings");
    await person.signIn(token);
    await person.sees("3 strings");
    await person.filter("Locale", () => person.press("f"));
    await person.follow("Find and replace");
    await person.sees("You see each change before it is made");
    await person.fill("Find", "passe");
    await person.fill("Replace with", "sécurité");
    await person.press("Enter");
    await person.sees("2 texts found.");
    expect(await person.texts(".replaced del")).toEqual(["passe", "Passe"]);
    await person.goTo("Select in");
    await person.press("Space");
    await person.follow("Replace ");
    await person.sees("Replaced by one commit");
    await person.sees("1 text found.");
    expect(await texts("fr")).toMatchObject({ failed: "Mot de sécurité faux.", in: "Passe, entre" });
    await person.follow("Undo");
    await person.sees("1 text would be as before");
    await person.fill("Why?", "It was right");
    await person.press("Enter");
    await person.sees("Undone by this commit");
    expect(await texts("fr")).toMatchObject({ failed: "Mot de passe faux." });
  };
  return { server, tell };
}

/** Asks about a string, finds the answer in the list, asks again, and settles the question by an answer. */
export async function asker(): Promise<Story> {
  const { server, storage, send } = await withTexts();
  const token = await createToken(storage, ["read", "write"], "--name", "Luc", "--locale", "fr");
  const tell = async (person: Person): Promise<void> => {
    await person.open("/hives/web/strings/auth.json/out");
    await person.signIn(token);
    await person.sees("Log out");
    await person.follow("Comments");
    await person.fill("Comment", "Is <b>this</b> a verb?");
    await person.goTo("This is a question");
    await person.press("Space");
    await person.follow("Comment");
    await person.sees("1 open question");
    await person.sees("the string waits for an answer");
    await send("/comments", { file: "auth.json", key: "out", text: "Yes" });
    await person.open("/hives/web");
    await person.sees("2 comments");
    await person.follow("2 comments");
    await person.sees("2 comments found");
    await person.goTo("Which");
    await person.press("q");
    await person.follow("Show");
    await person.sees("1 comment found");
    await person.follow("Open again");
    await person.sees("The question is open again.");
    await person.open("/hives/web/translate/fr?want=asked");
    await person.sees("Asked:");
    await person.open("/hives/web/strings/auth.json/out");
    await person.sees("Is <b>this</b> a verb?");
    await person.fill("Answer", "Yes, in the menu");
    await person.goTo("Still open");
    await person.press("Space");
    await person.follow("Answer");
    await person.sees("Said.");
    expect(await person.texts(".settled > summary")).toEqual(["Settled: Is <b>this</b> a verb?"]);
  };
  return { server, tell };
}

/** Begins with an empty storage, then sees to tokens, the quota, mirrors and deleted Hives. */
export async function operator(): Promise<Story> {
  const storage = realFolder();
  const server = await serveInProcess(storage, {}, { publicUrl: "https://skep.example.org" });
  const tell = async (person: Person): Promise<void> => {
    await person.open("/");
    await person.sees("This storage is empty.");
    const [commands = ""] = await person.texts("[data-copy]");
    for (const line of commands.split("\n")) {
      const [name, ...args] = line.split(" ");
      expect([name, await skep(...args, "--storage", storage)]).toMatchObject(["skep", { code: 0 }]);
    }
    await skepOk(storage, "team", "update", "acme", "--max-strings", "5000");
    await skepOk(storage, "hive", "create", "old", "--team", "acme");
    await skepOk(storage, "hive", "delete", "old", "--yes");
    await skepOk(storage, "mirror", "add", "web", `${realFolder()}/nowhere.git`);
    await skep("mirror", "push", "web", "--storage", storage);
    const token = await createToken(storage, ["admin"], "--name", "Olga");
    await person.follow("sign in with it");
    await person.signIn(token);
    await person.sees("A mirror is not up to date");
    await person.follow("Signed in to the team acme");
    await person.sees("0 source strings in 1 Hive, of at most 5,000");
    await person.follow("Tokens");
    await person.sees("never seen");
    const tokens = await person.texts(".listing tbody tr");
    expect(tokens.map((row) => [row.includes("Olga"), row.includes("never seen")])).toEqual([
      [false, true],
      [true, false],
    ]);
    await person.fill("Name", "CI");
    await person.follow("Create");
    await person.sees("Copy the token now");
    expect(await person.texts("[data-copy]")).toEqual([expect.stringMatching(/^skep_/)]);
    await person.follow("Mirrors");
    await person.sees("the last push failed");
    await person.follow("Deleted Hives");
    await person.sees("Can be restored until");
    await person.follow("Restore old");
    await person.sees("Restored, without its mirrors");
    await person.follow("Add a language");
    await person.sees("Language or its code");
    await person.fill("Language or its code", "French");
    await person.fill("Code of the app", "fr_FR");
    await person.press("Enter");
    await person.sees("Created.");
    await person.follow("All texts wait");
    await person.sees("Saved.");
    await person.follow("Signed in to the team acme");
    await person.sees("0 source strings in 2 Hives");
    await person.follow("People");
    await person.sees("New person");
    await person.fill("User name", "anna");
    await person.goTo("Role");
    await person.press("R");
    await person.press("e");
    await person.press("v");
    await person.goTo("French (fr)");
    await person.press("Space");
    await person.follow("Add");
    await person.sees("Created. Copy the link now");
    expect(await person.texts("[data-copy]")).toEqual([expect.stringContaining("invitation?code=anna.")]);
    await person.follow("People");
    await person.sees("Reviewer, only into fr");
    await person.follow("Signed in to the team acme");
    await person.sees("Your session");
    await person.follow("Sign out everywhere");
    await person.sees("A token stands for you");
  };
  return { server, tell };
}

/** Adds, renames, changes and removes source strings, each after its preview. */
export async function keeper(): Promise<Story> {
  const { server, storage, send, texts } = await withTexts();
  await send("/translations/fr", files({ failed: "Mot de passe faux." }));
  const token = await createToken(storage, ["read", "write"], "--name", "Kim");
  const tell = async (person: Person): Promise<void> => {
    await person.open("/hives/web/strings");
    await person.signIn(token);
    await person.sees("Add a string");
    await person.follow("Add a string");
    await person.sees("Dots lead into groups");
    await person.fill("File", "auth.json");
    await person.fill("Key", "forgot");
    await person.fill("Source text", "Forgot it?");
    await person.follow("Preview");
    await person.sees("Strings added: 1");
    await person.fill("Why?", "For the new page");
    await person.follow("Add it");
    await person.sees("Saved as a commit");
    expect(await texts("en")).toMatchObject({ forgot: "Forgot it?" });
    await person.follow("Change the source text");
    await person.sees("Translations: 0");
    await person.fill("Source text", "Forgot your password?");
    await person.follow("Preview");
    await person.sees("Source texts changed: 1");
    await person.follow("Save it");
    await person.sees("Saved as a commit");
    await person.open("/hives/web/strings/auth.json/failed");
    await person.follow("Rename or move");
    await person.sees("Its translations and its history go with it.");
    await person.fill("Key", "out");
    await person.follow("Preview");
    await person.sees("exists");
    await person.fill("Key", "wrong");
    await person.follow("Preview");
    await person.sees("Strings renamed or moved: 1");
    await person.follow("Rename or move it");
    await person.sees("Saved as a commit");
    expect(await texts("fr")).toEqual({ wrong: "Mot de passe faux." });
    await person.follow("Remove the string");
    await person.sees("Translations removed: 2");
    await person.follow("Remove it");
    await person.sees("Removed by a commit");
    expect(await texts("en")).not.toHaveProperty("wrong");
  };
  return { server, tell };
}
