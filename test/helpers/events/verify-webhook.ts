/** Verifies signatures as a receiver does, by the text of Standard Webhooks and without Skep's own code. */
import { createHmac, timingSafeEqual } from "node:crypto";

export function verified(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  body: string,
  secret: string,
): boolean {
  const [, encoded] = /^whsec_(.+)$/.exec(secret) ?? [];
  const [id, timestamp, signatures] = ["id", "timestamp", "signature"].map(
    (name) => headers[`webhook-${name}`],
  );
  if (encoded === undefined || typeof signatures !== "string") return false;
  if (typeof id !== "string" || typeof timestamp !== "string") return false;
  const hmac = createHmac("sha256", Buffer.from(encoded, "base64"));
  const expected = hmac.update(Buffer.from(`${id}.${timestamp}.${body}`, "utf8")).digest();
  return signatures.split(" ").some((signature) => {
    const [version, value = ""] = signature.split(",");
    const given = Buffer.from(value, "base64");
    return version === "v1" && given.length === expected.length && timingSafeEqual(given, expected);
  });
}
