/** Values that browsers keep in cookies and give back, and cannot change: signed with the storage's key. */
import { createHmac, timingSafeEqual } from "node:crypto";

/** A signature of some texts, in base64url; only the holder of the key can make it. */
export function sign(key: Buffer, parts: readonly string[]): string {
  return createHmac("sha256", key).update(JSON.stringify(parts)).digest("base64url");
}

/** Whether two texts are equal, which takes as long wherever they differ. */
export function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/**
 * Signs a value of JSON.
 * @param purpose keeps a value of one kind from being taken for another.
 * @param ends in milliseconds since 1970.
 */
export function signValue(key: Buffer, purpose: string, value: unknown, ends: number): string {
  const content = Buffer.from(JSON.stringify({ value, ends })).toString("base64url");
  return `${content}.${sign(key, [purpose, content])}`;
}

/** The longest signed value that is looked at. */
const maxLength = 4096;

/** The value that was signed for a purpose and has not ended; undefined for anything else. */
export function verifiedValue(
  key: Buffer | undefined,
  purpose: string,
  signed: string | undefined,
  now: number,
): unknown {
  if (key === undefined || signed === undefined || signed.length > maxLength) return undefined;
  const [content = "", signature = ""] = signed.split(".");
  if (!isEqual(signature, sign(key, [purpose, content]))) return undefined;
  const { value, ends } = JSON.parse(Buffer.from(content, "base64url").toString("utf8"));
  return ends > now ? value : undefined;
}
