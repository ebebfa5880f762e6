/** `skep review`: lists the translations that wait, and approves or rejects some of them. */
import { groupBy } from "../../domain/group-by.ts";
import { keyShownAs } from "../../domain/strings/shown-key.ts";
import type { HiveApi } from "../api/hive-api.ts";
import type { SeenTexts, WaitingText } from "../api/review-api.ts";
import { toNamedPlace } from "../places.ts";

/** How many texts one request approves or rejects. */
const maxTexts = 1_000;

export interface NamedTexts {
  readonly texts: readonly WaitingText[];
  /** The names for which none waits. */
  readonly unknown: readonly string[];
}

/**
 * Lists the translations that wait for a review.
 * @param names files, and keys with their files, such as `auth.json:failed`; everything if there is none.
 */
export async function listWaiting(
  hive: HiveApi,
  locale: string | undefined,
  names: readonly string[] = [],
): Promise<NamedTexts> {
  const all = await hive.review.list(locale);
  if (names.length === 0) return { texts: all, unknown: [] };
  const unknown: string[] = [];
  const texts = new Set<WaitingText>();
  for (const name of new Set(names)) {
    const { file, key: given } = toNamedPlace(name);
    const keys = all.flatMap((one) => (one.file === file ? one.key : []));
    const key = given && (keyShownAs(given, keys) ?? given);
    const named = all.filter((one) => one.file === file && (key === undefined || one.key === key));
    if (named.length === 0) unknown.push(name);
    for (const text of named) texts.add(text);
  }
  return { texts: all.filter((text) => texts.has(text)), unknown };
}

/** How many texts were approved or rejected. */
export interface ReviewedTexts {
  readonly reviewed: number;
  /** The last commit; undefined if nothing was sent. */
  readonly commit: string | undefined;
}

/**
 * Approves or rejects texts as they were listed: one commit for each file and locale.
 * @param reason rejects them.
 * @throws ClientError `conflict` when a text is another by now; what was sent before stays.
 */
export async function review(
  hive: HiveApi,
  texts: readonly WaitingText[],
  reason?: string,
): Promise<ReviewedTexts> {
  let reviewed = 0;
  let commit: string | undefined;
  for (const batch of toBatches(texts)) {
    const sent = reason === undefined ? hive.review.approve(batch) : hive.review.reject(batch, reason);
    const { data, commit: made } = await sent;
    reviewed += data;
    commit = made;
  }
  return { reviewed, commit };
}

function toBatches(texts: readonly WaitingText[]): readonly SeenTexts[] {
  const files = groupBy(texts, ({ locale, file }) => JSON.stringify([locale, file]));
  return [...files.values()].flatMap((own) =>
    Array.from({ length: Math.ceil(own.length / maxTexts) }, (_, i): SeenTexts => {
      const part = own.slice(i * maxTexts, (i + 1) * maxTexts);
      const [{ locale, file } = { locale: "", file: "" }] = part;
      const expected = Object.fromEntries(part.map(({ key, translation }) => [key, translation]));
      return { locale, file, keys: part.map(({ key }) => key), expected };
    }),
  );
}
