/** Sends messages to webhooks, and signs them. */
import { createHmac, randomBytes } from "node:crypto";
import type { DeliveryOutcome, WebhookUrl } from "../domain/hives/webhook.ts";
import { withTimeout } from "../deadline.ts";
import { sendingError, sendOutgoing, type AllowedNetworks } from "./outgoing-request.ts";

export interface WebhookRequest {
  readonly url: WebhookUrl;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

/** Sends one request, and never throws. */
export type SendWebhook = (request: WebhookRequest) => Promise<DeliveryOutcome>;

const defaultTimeoutMs = 15_000;
/** How much of a response is read, none of which is used. */
const maxResponseBytes = 65_536;

/**
 * Makes the function that sends requests.
 * @param allowed none if undefined.
 * @param timeoutMs how long one may take, with its response.
 */
export function webhookSender(
  allowed: AllowedNetworks | undefined,
  timeoutMs = defaultTimeoutMs,
): SendWebhook {
  return async (request) => {
    const signal = withTimeout(request.signal, timeoutMs);
    try {
      const { status } = await sendOutgoing({ ...request, signal, maxBytes: maxResponseBytes }, allowed);
      return toOutcome(status);
    } catch (error) {
      if (request.signal.aborted) return { kind: "stopped" };
      return { kind: "failed", error: signal.aborted ? "it took too long" : sendingError(error) };
    }
  };
}

function toOutcome(status: number): DeliveryOutcome {
  if (status >= 200 && status < 300) return { kind: "received" };
  if (status === 410) return { kind: "gone" };
  const redirect = status >= 300 && status < 400 ? "; redirects are not followed" : "";
  return { kind: "failed", error: `it answered with ${status}${redirect}` };
}

const prefix = "whsec_";
/** Standard Webhooks asks for 24 to 64. */
const secretBytes = 32;

/** What identifies one message, and is signed with its body. */
interface SignedMessage {
  readonly id: string;
  /** In seconds since 1970. */
  readonly timestamp: number;
  readonly body: string;
}

/** A new secret for the signatures of a webhook, in the form of Standard Webhooks. */
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
