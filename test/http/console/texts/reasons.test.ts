/** What pages say of errors in other languages than English: each code, and each message that a form can meet, has a text. */
import { readdirSync, readFileSync } from "node:fs";
import ts from "typescript-5";
import { describe, expect, it } from "vitest";
import { invalid, publicCodes } from "../../../../src/domain/errors.ts";
import { toldOf } from "../../../../src/http/console/pages/error.tsx";
import { problemsOf } from "../../../../src/http/console/requests/form.ts";
import { messageNow, reasonNow, reasonOf, saidNow } from "../../../../src/http/console/texts/reasons.ts";
import { forReader, textIn } from "../../../../src/http/console/texts/texts.ts";
import { toPublicError } from "../../../../src/http/responses/error-response.ts";

const sources = new URL("../../../../src/", import.meta.url).pathname;

/** Where nothing is said to whoever fills in a form. */
const notOfForms = [
  // Pushes, clones and backups, which say it to git or to a command.
  /^domain\/pushes\//,
  /^service\/(?:clone|operations)\//,
  /^service\/content\/(?:push|notes-of-push)\.ts$/,
  /^service\/admin\/trash\.ts$/,
  /^domain\/plans\/(?:sync|base-files)[\w-]*\.ts$/,
  // Headers and bodies of the API alone: commits, files of notes and of terms as JSON, programs of OAuth.
  /^domain\/commits\/origin\.ts$/,
  /^domain\/notes\/note-(?:files|schema)\.ts$/,
  /^domain\/sidecars\//,
  /^service\/people\/oauth\.ts$/,
  /^service\/content\/imports\.ts$/,
];

/** Messages that are made of parts, as they are in the code with figures for these, and what they come to. */
const composed: Readonly<Record<string, readonly string[]>> = {
  // What checks find has texts of its own.
  "must 7 with a line break where the source text does, and only there": [],
  // Pages send the file itself, not base64.
  "must be at most 7 bytes in base64": [],
  // An id is never written by hand.
  "must be a token's id: letters and digits": [],
  "would be 7; a Hive has at most 7": ["would be 10001; a Hive has at most 10,000 terms"],
  'this Hive has no locale "7" (it has 7)7': ['this Hive has no locale "xx" (it has de, fr)'],
  '"7" would inherit from itself7': [
    '"fr" would inherit from itself',
    '"fr" would inherit from itself by "de"',
  ],
  "77 77": ["fr is the source locale; change its custom code with: skep locale edit"],
  "7 is given twice7": ["fr is given twice"],
  '"7" is not a BCP 47 language code such as pt-BR7': [
    '"x_" is not a BCP 47 language code such as pt-BR',
    '"pt_BR" is not a BCP 47 language code such as pt-BR; give pt-BR with the custom code pt_BR, on the command line as pt-BR=pt_BR',
  ],
  "7 7": ["a.json differs from the file A.json only by case", "must be text, not null"],
  "as 7 7": [],
  "would have 7; a file may have 7 (--file-strings of skep serve): split it": [
    "would have 50,001 strings; a file may have 50000: split it",
  ],
  "7 limited to other locales than 7 7": [
    "you are limited to other locales than fr yourself",
    "this token is limited to other locales than fr itself",
  ],
  '7 Hive "7"': [
    'the team acme has no Hive "x"',
    'you have access to no Hive "x"',
    'this token has access to no Hive "x"',
  ],
  "7 limited to some Hives 7": [
    "you are limited to some Hives yourself",
    "this token is limited to some Hives itself",
  ],
  "must be always, as it is for 7 7": [
    "must be always, as it is for you yourself",
    "must be always, as it is for this token itself",
  ],
  "7 the 7 ability 7": ["you lack the admin ability yourself", "this token lacks the admin ability itself"],
  "must not name a transport helper of git (ext::, fd::); it 7": [
    "must not name a transport helper of git (ext::, fd::); it must be an https, ssh or file URL, host:path, or an absolute path",
  ],
  // Forms send one answer, what to undo, and what was seen, by their buttons.
  "must be a time in UTC, such as 2026-01-31T12:00:00Z": [],
  "must be main or branch, or text must be given in its place": [],
  "must be given with origin, and only with it": [],
  "must be text, or origin and since must be given instead of it": [],
  "must have one answer only; approve may be beside forms": [],
  "must have an answer: forms, approve, confirm, remove, accept, reject, skip, unskip or ask": [],
  // The page of a merge says it beside the key.
  "7: 7": [],
};

/** The texts that an expression can be, with a figure for each value in them. */
function textsOf(node: ts.Node | undefined): readonly string[] {
  if (node === undefined) return [];
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isTemplateExpression(node))
    return [node.head.text + node.templateSpans.map(({ literal }) => `7${literal.text}`).join("")];
  if (ts.isConditionalExpression(node)) return [...textsOf(node.whenTrue), ...textsOf(node.whenFalse)];
  if (ts.isArrowFunction(node)) return textsOf(node.body);
  return [];
}

/** What is said of inputs in a file: by errors, and by schemas, whose messages begin with `must`. */
function* messagesIn(name: string): Generator<string> {
  const code = ts.createSourceFile(name, readFileSync(sources + name, "utf8"), ts.ScriptTarget.Latest, true);
  const waiting: ts.Node[] = [code];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    node.forEachChild((child) => void waiting.push(child));
    const said = textsOf(node).filter((text) => text.startsWith("must "));
    yield* said;
    if (!ts.isCallExpression(node)) continue;
    if (/^(?:invalid|issues\.add)$/.test(node.expression.getText())) yield* textsOf(node.arguments[1]);
  }
}

const folders = ["domain", "service", "api", "http/console"];

const inGerman = <T>(run: () => T): Promise<T> =>
  forReader({ chosen: "de", accepted: null }, () => Promise.resolve(run()));

describe("what is wrong is said in the language of the page", () => {
  it("by each message about an input that a form can have", async () => {
    const found = folders.flatMap((folder) =>
      readdirSync(sources + folder, { recursive: true, encoding: "utf8" })
        .map((name) => `${folder}/${name}`)
        .filter((name) => /\.tsx?$/.test(name) && !notOfForms.some((one) => one.test(name)))
        .flatMap((name) => [...messagesIn(name)].map((message) => [name, message] as const)),
    );
    expect(found.length).toBeGreaterThan(200);
    const said = found.flatMap(([name, message]) =>
      (composed[message] ?? [message]).map((each) => [name, each] as const),
    );
    const without = await inGerman(() =>
      said.filter(
        ([, message]) => reasonOf(message.replaceAll(/ \((?:[^()]* )?--[a-z][^()]*\)/g, "")) === undefined,
      ),
    );
    expect(without.map((each) => each.join(": "))).toEqual([]);
  });

  it("by each code of an error", async () => {
    // Those of programs that wait for a token.
    const ofDevices = new Set(["authorization_pending", "slow_down", "access_denied", "expired_code"]);
    const codes = Object.values(publicCodes)
      .flat()
      .filter((code) => !ofDevices.has(code));
    const without = codes.filter(
      (code) => (textIn("error-message", code) ?? textIn("error-code", code)) === undefined,
    );
    expect(without).toEqual([]);
  });

  it.each([
    ["must be at most 100000 characters", "darf höchstens 100.000 Zeichen lang sein"],
    ["must be at most 4,000 characters", "darf höchstens 4.000 Zeichen lang sein"],
    ["must be keep or clear", "muss keep or clear sein"],
    [
      '"xx_" is not a BCP 47 language code such as pt-BR',
      "„xx_“ ist kein Sprachcode nach BCP 47, wie etwa pt-BR",
    ],
    ["line 3: must not be empty", "Zeile 3: darf nicht leer sein"],
    [
      "must be an https, ssh or file URL, host:path, or an absolute path; git:// is not allowed",
      "muss eine URL mit https, ssh oder file, host:pfad oder ein absoluter Pfad sein; git:// ist nicht erlaubt",
    ],
    ["was never said before", "wird nicht angenommen („was never said before“)"],
  ])("with its values: %s", async (message, said) => {
    expect(await inGerman(() => reasonNow(message))).toBe(said);
    expect(reasonNow(message)).toBe(message);
  });

  it.each([
    ["the push took longer than 600 s", "der Push dauerte länger als 600 s"],
    ["git is not installed", "git ist nicht installiert"],
    ["git push ended with 128", "git push endete mit 128"],
    [
      "the address must not lead into the storage itself",
      "die Adresse darf nicht in den Speicher selbst führen",
    ],
    ["main was rejected (hook declined)", "main wurde abgelehnt (hook declined)"],
    ["fatal: repository 'x' not found", "fatal: repository 'x' not found"],
  ])("of a push to a mirror, and in git's words where these are git's: %s", async (message, said) => {
    expect(await inGerman(() => saidNow(message))).toBe(said);
    expect(saidNow(message)).toBe(message);
  });

  it("on forms, and on pages of errors", async () => {
    const error = invalid("name", "must not be empty");
    expect(await inGerman(() => [...problemsOf(error)])).toEqual([["name", "darf nicht leer sein"]]);
    const told = await inGerman(() => toldOf(toPublicError(error, "r1")));
    expect(told.texts).toEqual(["Name: darf nicht leer sein"]);
    const busy = { code: "busy", message: "The Hive web is in use." };
    expect(await inGerman(() => messageNow(busy))).toContain("Der Server ist ausgelastet.");
    expect(messageNow(busy)).toBe(busy.message);
  });
});
