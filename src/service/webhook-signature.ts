/** Signs requests of webhooks as Standard Webhooks (standardwebhooks.com) has it. */
import { createHmac, randomBytes } from "node:crypto";

const prefix = "whsec_";
/** Standard Webhooks asks for 24 to 64. */
const secretBytes = 32;

/** What identifies one message, and is signed with its body. */
export interface SignedMessage {
  readonly id: string;
  /** In seconds since 1970. */
  readonly timestamp: number;
  readonly body: string;
}

/** Makes a new secret. */
export function newSecret(): string {
  return prefix + randomBytes(secretBytes).toString("base64");
}

/** The headers that identify and sign a message. @param secrets of which each makes a signature. */
export function signedHeaders(
  { id, timestamp, body }: SignedMessage,
  secrets: readonly string[],
): Readonly<Record<string, string>> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatures.join(" "),
  };
}
