/**
 * Content addresses: the names of the git objects that a published file follows from, signed with the key of the channel
 * that published it. So nothing has to be stored to serve them, and clients cannot forge one.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Channel } from "../../domain/export/channel.ts";
import type { Shape } from "../../domain/export/formats/formats.ts";
import { isOid, type Oid } from "../../domain/names.ts";
import type { ContentObjects } from "../../store/content/content-objects.ts";

/** What an address says. */
export interface AddressedContent extends ContentObjects {
  readonly shape: Shape;
}

const shapes: readonly Shape[] = ["flat", "nested"];
const oidBytes = 20;
const signatureBytes = 16;
const signedBytes = 1 + 3 * oidBytes;
const pattern = /^[A-Za-z0-9_-]{103}$/;

/**
 * The address of a locale's files.
 * @param locale its code in the names of files, to which the address is bound.
 */
export function toContentAddress(
  { key }: Pick<Channel, "key">,
  locale: string,
  { settings, source, locale: translations, shape }: AddressedContent,
): string {
  const names = Buffer.from(settings + source + translations, "hex");
  const signed = Buffer.concat([Buffer.of(shapes.indexOf(shape)), names]);
  return Buffer.concat([signed, sign(key, locale, signed)]).toString("base64url");
}

/** A content address that one of some channels has signed, and that channel; undefined for any other text. */
export function parseContentAddress(
  channels: readonly Channel[],
  locale: string,
  text: string,
): { readonly channel: Channel; readonly content: AddressedContent } | undefined {
  const bytes = pattern.test(text) ? Buffer.from(text, "base64url") : Buffer.of();
  const signed = bytes.subarray(0, signedBytes);
  const signature = bytes.subarray(signedBytes);
  // The last character has bits that mean nothing, and one content has one address.
  if (signature.length !== signatureBytes || bytes.toString("base64url") !== text) return undefined;
  const channel = channels.find(({ key }) => timingSafeEqual(sign(key, locale, signed), signature));
  const [settings, source, translations] = [0, 1, 2].map((i) => oidAt(signed, 1 + i * oidBytes));
  const shape = shapes[signed[0] ?? shapes.length];
  if (channel === undefined || shape === undefined) return undefined;
  if (settings === undefined || source === undefined || translations === undefined) return undefined;
  return { channel, content: { settings, source, locale: translations, shape } };
}

function oidAt(bytes: Buffer, start: number): Oid | undefined {
  const text = bytes.toString("hex", start, start + oidBytes);
  return isOid(text) ? text : undefined;
}

function sign(key: string, locale: string, signed: Buffer): Buffer {
  const hmac = createHmac("sha256", Buffer.from(key, "hex"));
  return hmac.update(`${locale}\n`).update(signed).digest().subarray(0, signatureBytes);
}
