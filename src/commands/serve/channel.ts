/**
 * The messages between the primary and its workers. What a worker has to know of the storage it reads there, as it does
 * where several servers share one; a message is for what a file cannot say. A new kind is a line here, and the compiler
 * names the places that have to know of it.
 */
import type { HiveSlug } from "../../domain/names.ts";
import type { MetricsReport } from "../../observability/metrics.ts";

/** The texts of all settings, as the primary was given them: files and variables may have changed since. */
export type SettingTexts = Readonly<Record<string, string>>;

/** What a worker is told. */
export type ToWorker =
  /** Prepare to serve as the worker of that number. */
  | { readonly kind: "start"; readonly worker: number; readonly texts: SettingTexts }
  /** Serve the connection that comes with the message. */
  | { readonly kind: "connection" }
  /** Do the background work, which one worker does for all. */
  | { readonly kind: "background" }
  /** Clear up after a worker that has died; sent to the one that does the background work. */
  | { readonly kind: "tidy" }
  /** Another worker moved a branch or tag of a Hive. */
  | { readonly kind: "moved"; readonly hive: HiveSlug }
  | { readonly kind: "report" }
  /** Respond at once, as a sign of life. */
  | { readonly kind: "ping" }
  /** Answer the requests in flight, and end. */
  | { readonly kind: "stop" };

/** What the primary is told. */
export type ToPrimary =
  /** It hears messages now; earlier ones are lost. */
  | { readonly kind: "ready" }
  | { readonly kind: "prepared" }
  /** It cannot start. */
  | { readonly kind: "failed"; readonly message: string }
  /** It is alive. */
  | { readonly kind: "pong" }
  /** It has the connection that it was given. */
  | { readonly kind: "taken" }
  /** It ends, and takes no more connections. */
  | { readonly kind: "ending" }
  /** It moved a branch or tag of a Hive. */
  | { readonly kind: "moved"; readonly hive: HiveSlug }
  | { readonly kind: "report"; readonly metrics: MetricsReport };

/** Whether a worker was told this by its primary, and not by a module that was loaded into both. */
export function isToWorker(message: unknown): message is ToWorker {
  return hasKind(message);
}

/** Whether the primary was told this by a worker, in the same way. */
export function isToPrimary(message: unknown): message is ToPrimary {
  return hasKind(message);
}

function hasKind(message: unknown): boolean {
  return typeof message === "object" && message !== null && "kind" in message;
}
