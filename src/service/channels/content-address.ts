/** Content addresses: the names of the objects that published files follow from, signed by the channel. */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Channel } from "../../domain/export/channel.ts";
import { failingTexts, type FailingTexts } from "../../domain/export/export.ts";
import { shapes, type Shape } from "../../domain/export/formats/formats.ts";
import { isOid, type Oid } from "../../domain/names.ts";
import type { WantedTags } from "../../domain/notes/note-tags.ts";
import { exportStates, type ExportState, type MissingTexts } from "../../domain/review/exported-texts.ts";
import type { ContentObjects, LocaleObjects } from "../../store/content/content-objects.ts";

export interface AddressedContent extends ContentObjects {
  readonly shape: Shape;
  /** Where it is given, the texts that wait count, too. */
  readonly state?: ExportState;
  /** Where it is given, the accepted findings count, too. */
  readonly failing?: FailingTexts;
  /** Where they are given, the notes count, too. */
  readonly tags?: WantedTags;
  /** With `fallback`, the locales that it inherits from count, too. */
  readonly missing?: MissingTexts;
  /** Whether it is of a pseudo-locale, for which the notes count, too. */
  readonly isPseudo: boolean;
}

/** What the first byte of an address says, the least of it first. Addresses without the later ones are as all were once. */
const choices = {
  shape: shapes,
  failing: [undefined, ...failingTexts],
  state: [undefined, ...exportStates],
  hasTags: [false, true],
  /** What stands in gaps; from how many locales it inherits, for `fallback`. */
  gaps: ["leave", "pseudo", "source", "fallback0", "fallback1", "fallback2", "fallback3"],
} as const;

/** How long the name of a git object is, with which an address of some tags ends. */
const oidBytes = 20;
const signatureBytes = 16;
const pattern = /^[A-Za-z0-9_-]{103,4096}$/;

/**
 * The address of a locale's files.
 * @param locale its code in the names of files, to which the address is bound.
 */
export function toContentAddress(
  { key }: Pick<Channel, "key">,
  locale: string,
  { settings, source, shape, failing, state, tags, missing, isPseudo, notes, ...own }: AddressedContent,
): string {
  const hasTags = tags !== undefined;
  const ancestors = missing === "fallback" && !isPseudo ? (own.ancestors ?? []) : [];
  const gaps = isPseudo
    ? "pseudo"
    : missing === "fallback"
      ? `fallback${ancestors.length}`
      : (missing ?? "leave");
  const besideOf = ({ accepted, review }: LocaleObjects) => [
    ...(failing === undefined ? [] : [accepted]),
    ...(state === undefined ? [] : [review]),
  ];
  const names = [
    settings,
    source,
    own.locale,
    ...besideOf(own),
    ...(hasTags || isPseudo ? [notes] : []),
    ...ancestors.map((one) => one.locale + besideOf(one).join("")),
  ].join("");
  let form = choices.gaps.findIndex((name) => name === gaps);
  form = form * choices.hasTags.length + choices.hasTags.indexOf(hasTags);
  form = form * choices.state.length + choices.state.indexOf(state);
  form = form * choices.failing.length + choices.failing.indexOf(failing);
  form = form * choices.shape.length + choices.shape.indexOf(shape);
  const tagged = Buffer.from(tags?.join(",") ?? "");
  const signed = Buffer.concat([Buffer.of(form), Buffer.from(names, "hex"), tagged]);
  return Buffer.concat([signed, sign(key, locale, signed)]).toString("base64url");
}

/** A content address that one of some channels has signed, and that channel; undefined for any other text. */
export function parseContentAddress(
  channels: readonly Channel[],
  locale: string,
  text: string,
): { readonly channel: Channel; readonly content: AddressedContent } | undefined {
  const bytes = pattern.test(text) ? Buffer.from(text, "base64url") : Buffer.of();
  const signed = bytes.subarray(0, -signatureBytes);
  const signature = bytes.subarray(signed.length);
  // The last character has bits that mean nothing, and one content has one address.
  if (signature.length !== signatureBytes || bytes.toString("base64url") !== text) return undefined;
  const channel = channels.find(({ key }) => timingSafeEqual(sign(key, locale, signed), signature));
  let [form = 0] = signed;
  const take = <T>(values: readonly T[]): T | undefined => {
    const value = values[form % values.length];
    form = Math.floor(form / values.length);
    return value;
  };
  const shape = take(choices.shape);
  const failing = take(choices.failing);
  const state = take(choices.state);
  const hasTags = take(choices.hasTags) === true;
  const gaps = take(choices.gaps) ?? "leave";
  let end = 1;
  const takeOid = (): Oid | undefined => {
    const oid = oidAt(signed, end);
    end += oidBytes;
    return oid;
  };
  const beside = (): Pick<LocaleObjects, "accepted" | "review"> => ({
    accepted: failing === undefined ? undefined : takeOid(),
    review: state === undefined ? undefined : takeOid(),
  });
  const [settings, source, translations] = [takeOid(), takeOid(), takeOid()];
  const own = beside();
  const isPseudo = gaps === "pseudo";
  const notes = hasTags || isPseudo ? takeOid() : undefined;
  const ancestors: LocaleObjects[] = [];
  for (let left = Number(/^fallback(\d)$/.exec(gaps)?.[1] ?? 0); left > 0; left--) {
    const of = takeOid();
    if (of !== undefined) ancestors.push({ locale: of, ...beside() });
  }
  const tags = hasTags ? signed.toString("utf8", end).split(",") : undefined;
  if (channel === undefined || shape === undefined) return undefined;
  if (settings === undefined || source === undefined || translations === undefined) return undefined;
  const objects = { settings, source, locale: translations, ...own, notes, ancestors };
  const missing = gaps === "source" ? gaps : gaps.startsWith("fallback") ? "fallback" : undefined;
  return { channel, content: { ...objects, shape, state, failing, tags, missing, isPseudo } };
}

function oidAt(bytes: Buffer, start: number): Oid | undefined {
  const text = bytes.toString("hex", start, start + oidBytes);
  return isOid(text) ? text : undefined;
}

function sign(key: string, locale: string, signed: Buffer): Buffer {
  const hmac = createHmac("sha256", Buffer.from(key, "hex"));
  return hmac.update(`${locale}\n`).update(signed).digest().subarray(0, signatureBytes);
}
