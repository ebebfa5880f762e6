/** The additional work of `skep serve --follow`. Only followers load it. */
import { readFile } from "node:fs/promises";
import type { ServeConfig } from "../../config/settings.ts";
import { followerSecret, isLoopback } from "../../config/kinds.ts";
import { failure } from "../../domain/errors.ts";
import { Follower } from "../../service/replication/follower.ts";
import { PrimaryClock } from "../../service/replication/primary-clock.ts";
import type { Storage, StoreObserver } from "../../service/storage.ts";
import type { ServerLog } from "../../observability/server-log.ts";
import { startStorage } from "./process.ts";

/**
 * Opens the storage and begins to copy a primary into it.
 * @throws SkepError `conflict` when a setting is missing, or the storage is not one that can be a copy; `busy` when
 * another process follows with it.
 */
export async function followPrimary(
  config: ServeConfig,
  url: string,
  { log, observer }: { readonly log: ServerLog; readonly observer: StoreObserver | undefined },
): Promise<{ readonly storage: Storage; readonly isEmpty: false; readonly follower: Follower }> {
  const secret = await readSecret(config);
  if (url.startsWith("http:") && !isLoopback(url)) {
    log.warn(
      { primary: url },
      "what is copied, and the secret for it, can be read on the way: --follow is not https",
    );
  }
  const clock = new PrimaryClock();
  const { storage } = await startStorage(config, log, { observer, now: clock.now });
  const follower = new Follower({ storage, primary: { url, secret }, clock, maxLag: config.maxLag, log });
  await follower.start();
  return { storage, isEmpty: false, follower };
}

type SecretConfig = Pick<ServeConfig, "followToken" | "followTokenFile">;

/** The secret in the settings, or in the file that they name. @throws SkepError `conflict`. */
export async function readSecret({ followToken, followTokenFile }: SecretConfig): Promise<string> {
  if (followToken !== undefined) return followToken;
  if (followTokenFile === undefined) {
    throw failure("conflict", "A follower needs the secret of skep follower add: set SKEP_FOLLOW_TOKEN.");
  }
  const text = (await readFile(followTokenFile, "utf8")).trim();
  try {
    const secret = followerSecret(text);
    if (secret !== undefined) return secret;
  } catch {
    // As for "none".
  }
  throw failure("conflict", `${followTokenFile} does not hold the secret that skep follower add printed.`);
}
