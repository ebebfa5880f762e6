/** Commands that read and write what stands beside texts. */
import { hash } from "node:crypto";
import fc from "fast-check";
import { png } from "../../../domain/pictures/images.ts";
import * as beside from "../beside.ts";
import * as decisions from "../decisions.ts";
import * as found from "../findings.ts";
import type { Model, Place } from "../model.ts";
import * as past from "../past.ts";
import { command, expectSame, type Real } from "../real.ts";
import { locale, target } from "./arbitraries.ts";
import { fill, stringAt } from "./texts.ts";

export const note = fc
  .tuple(target, fc.nat({ max: 20 }), fc.constantFrom("one", "two", null))
  .map(([hive, pick, said]) =>
    command(`note ${hive} ${pick} ${said}`, async (m, real) => {
      await fill(m, real, hive);
      const at = stringAt(m, hive, pick);
      const body = { files: { [at.file]: { [at.key]: { note: said } } } };
      const { status, json } = await real.call("PATCH", `${hive}/notes`, body);
      expectSame({ status, json }, beside.say(m, hive, `${at.file} ${at.key}`, said));
    }),
  );

interface NoteItem {
  readonly file: string;
  readonly key: string;
  readonly app: { readonly note?: string } | null;
  readonly team: { readonly note?: string } | null;
}

export const notes = target.map((hive) =>
  command(`notes ${hive}`, async (m, real) => {
    const { status, json } = await real.call("GET", `${hive}/notes?per_page=500`);
    const items: readonly NoteItem[] = status === 200 ? json.data : [];
    // An open question stands among the notes, too; comments are read by themselves.
    const read = items
      .map((one) => [`${one.file} ${one.key}`, { app: one.app?.note, team: one.team?.note }] as const)
      .filter(([, { app, team }]) => app !== undefined || team !== undefined);
    expectSame({ status, json: Object.fromEntries(read) }, beside.notesOf(m, hive));
  }),
);

interface CommentItem {
  readonly id: string;
  readonly file: string;
  readonly key: string;
  readonly text: string;
}

async function commentsIn(real: Real, hive: string) {
  const { status, json } = await real.call("GET", `${hive}/comments?per_page=500`);
  const items: readonly CommentItem[] = status === 200 ? json.data : [];
  return { status, items };
}

export const comment = fc
  .tuple(target, fc.nat({ max: 20 }), fc.uuid(), fc.boolean())
  .map(([hive, pick, said, ask]) =>
    command(`comment ${hive} ${pick} ${said} ${ask}`, async (m, real) => {
      await fill(m, real, hive);
      const body = { ...stringAt(m, hive, pick), text: said, ask };
      const { status, json } = await real.call("POST", `${hive}/comments`, body);
      // What is said of a plural form is said of the string, under the key of the form `other`.
      const at = status === 201 ? json : body;
      expectSame({ status, json }, beside.comment(m, hive, `${at.file} ${at.key}`, said));
    }),
  );

export const deleteComment = fc.tuple(target, fc.nat({ max: 20 })).map(([hive, pick]) =>
  command(`delete comment ${hive} ${pick}`, async (m, real) => {
    const { items } = await commentsIn(real, hive);
    const chosen = items[pick % Math.max(items.length, 1)];
    const { status, json } = await real.call("DELETE", `${hive}/comments/${chosen?.id ?? "none"}`);
    expectSame({ status, json }, beside.deleteComment(m, hive, chosen?.text));
  }),
);

export const comments = target.map((hive) =>
  command(`comments ${hive}`, async (m, real) => {
    const { status, items } = await commentsIn(real, hive);
    const read: Record<string, string[]> = {};
    for (const { file, key, text } of items) (read[`${file} ${key}`] ??= []).push(text);
    const sorted = Object.entries(read).map(([id, texts]) => [id, texts.toSorted()] as const);
    expectSame({ status, json: Object.fromEntries(sorted) }, beside.commentsOf(m, hive));
  }),
);

interface StaleItem {
  readonly file: string;
  readonly key: string;
  readonly old_source_value: string;
}

interface UntranslatedItem {
  readonly file: string;
  readonly key: string;
  readonly old_source_value: string | null;
}

export async function compareStale(m: Model, real: Real, hive: string, code: string): Promise<void> {
  const { status, json } = await real.call("GET", `${hive}/stale?locale=${code}`);
  const items: StaleItem[] = status === 200 ? json.data : [];
  const read = items.map((one) => [`${one.file} ${one.key}`, one.old_source_value]);
  expectSame({ status, json: Object.fromEntries(read) }, past.stale(m, hive, code));
}

export const stale = fc
  .tuple(target, fc.constantFrom("fr", "de", "ru"))
  .map(([hive, code]) => command(`stale ${hive} ${code}`, (m, real) => compareStale(m, real, hive, code)));

export const untranslated = fc.tuple(target, fc.constantFrom("fr", "de", "ru")).map(([hive, code]) =>
  command(`untranslated ${hive} ${code}`, async (m, real) => {
    const { status, json } = await real.call("GET", `${hive}/untranslated?locale=${code}`);
    const items: readonly UntranslatedItem[] = status === 200 ? json.data : [];
    const read = items.map((one) => [`${one.file} ${one.key}`, one.old_source_value]);
    expectSame({ status, json: Object.fromEntries(read) }, past.untranslated(m, hive, code));
  }),
);

interface WaitingItem {
  readonly file: string;
  readonly key: string;
  readonly translation: string;
  readonly approved: string | null;
  readonly author: string;
}

export async function compareWaiting(m: Model, real: Real, hive: string, code: string): Promise<void> {
  const { status, json } = await real.call("GET", `${hive}/review?locale=${code}&per_page=500`);
  const items: readonly WaitingItem[] = status === 200 ? json.data : [];
  const read = items.map((one) => [`${one.file} ${one.key}`, [one.translation, one.approved, one.author]]);
  expectSame({ status, json: Object.fromEntries(read) }, decisions.waiting(m, hive, code));
}

export const waiting = fc
  .tuple(target, locale)
  .map(([hive, code]) =>
    command(`waiting ${hive} ${code}`, (m, real) => compareWaiting(m, real, hive, code)),
  );

interface FindingItem {
  readonly file: string;
  readonly key: string;
  readonly check: string;
}

export async function compareFindings(m: Model, real: Real, hive: string, code: string): Promise<void> {
  const { status, json } = await real.call("GET", `${hive}/checks?locale=${code}&per_page=500`);
  const items: readonly FindingItem[] = status === 200 ? json.data : [];
  const read = items
    .filter(({ key }) => found.isPlain(key))
    .map((one) => [`${one.file} ${one.key}`, one.check]);
  expectSame({ status, json: Object.fromEntries(read) }, found.findings(m, hive, code));
}

export const findings = fc
  .tuple(target, locale)
  .map(([hive, code]) =>
    command(`findings ${hive} ${code}`, (m, real) => compareFindings(m, real, hive, code)),
  );

/** Two images, by the hashes that lists have. */
const images = new Map(
  ["1", "2"].map((image) => {
    const content = png(2, Number(image));
    return [image, { content, hash: hash("sha256", content, "hex") }] as const;
  }),
);

/** Adds a string to a picture, or deletes it. */
export async function changePicture(
  m: Model,
  real: Real,
  hive: string,
  { image, isDeleted, file, key }: Place & { readonly image: string; readonly isDeleted: boolean },
): Promise<void> {
  const { content, hash: name } = images.get(image) ?? { content: png(1, 1), hash: "" };
  if (isDeleted) {
    const { status, json } = await real.call("DELETE", `${hive}/pictures/${name}`);
    return expectSame({ status, json }, beside.deletePicture(m, hive, image));
  }
  const body = { name: "a.png", content: content.toString("base64"), strings: [`${file}:${key}`] };
  const { status, json } = await real.call("POST", `${hive}/pictures`, body);
  expectSame({ status, json }, beside.addPicture(m, hive, image, `${file} ${key}`));
}

interface PictureItem {
  readonly hash: string;
  readonly strings: readonly string[];
}

export async function comparePictures(m: Model, real: Real, hive: string): Promise<void> {
  const { status, json } = await real.call("GET", `${hive}/pictures?per_page=500`);
  const items: readonly PictureItem[] = status === 200 ? json.data : [];
  const read = [...images].flatMap(([image, { hash: name }]) =>
    items
      .filter((one) => one.hash === name)
      .map(({ strings }) => [image, strings.map((one) => one.replace(":", " "))]),
  );
  expectSame({ status, json: Object.fromEntries(read) }, beside.picturesOf(m, hive));
}

export const picture = fc
  .tuple(target, fc.nat({ max: 20 }), fc.constantFrom(...images.keys()), fc.nat({ max: 3 }))
  .map(([hive, pick, image, n]) =>
    command(`picture ${image} ${hive} ${pick} ${n === 0}`, async (m, real) => {
      await fill(m, real, hive);
      await changePicture(m, real, hive, { ...stringAt(m, hive, pick), image, isDeleted: n === 0 });
    }),
  );

export const pictures = target.map((hive) =>
  command(`pictures ${hive}`, (m, real) => comparePictures(m, real, hive)),
);
