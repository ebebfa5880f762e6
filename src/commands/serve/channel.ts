/**
 * The messages between the supervisor and its workers. A worker reads the state of the storage from its files, like any
 * server that shares the storage; messages are only for facts that no file contains. To add a kind, add a line here: the
 * compiler then names all places that must handle it.
 */
import type { HiveSlug } from "../../domain/names.ts";
import type { MetricsReport } from "../../observability/metrics.ts";

/** The texts of all settings at the start of the supervisor: files and variables may have changed since. */
export type SettingTexts = Readonly<Record<string, string>>;

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

export type ToSupervisor =
  /** The worker receives messages now; earlier ones are lost. */
  | { readonly kind: "ready" }
  | { readonly kind: "prepared" }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "pong" }
  /** The worker has accepted a connection. */
  | { readonly kind: "taken" }
  /** The worker ends, and accepts no more connections. */
  | { readonly kind: "ending" }
  /** The worker moved a branch or tag of a Hive. */
  | { readonly kind: "moved"; readonly hive: HiveSlug }
  | { readonly kind: "report"; readonly metrics: MetricsReport };

/** Whether a message in a worker comes from the supervisor, and not from another module in the process. */
export function isToWorker(message: unknown): message is ToWorker {
  return hasKind(message);
}

/** Whether a message in the supervisor comes from a worker, and not from another module in the process. */
export function isToSupervisor(message: unknown): message is ToSupervisor {
  return hasKind(message);
}

function hasKind(message: unknown): boolean {
  return typeof message === "object" && message !== null && "kind" in message;
}
