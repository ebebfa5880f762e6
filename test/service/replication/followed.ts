/** A primary and its followers in this process, on sockets, with real git between them. */
import { onTestFinished } from "vitest";
import { defaults } from "../../../src/config/settings.ts";
import { toFollowerName } from "../../../src/domain/names.ts";
import { createApp } from "../../../src/http/app.ts";
import { listen } from "../../../src/http/server.ts";
import { addFollower } from "../../../src/service/replication/followers.ts";
import { Follower } from "../../../src/service/replication/follower.ts";
import { PrimaryClock } from "../../../src/service/replication/primary-clock.ts";
import { openLocalStorage, type Storage } from "../../../src/service/storage.ts";
import { realFolder } from "../../helpers/storage.ts";

export interface Serving {
  readonly storage: Storage;
  readonly url: string;
}

export interface FollowingServer extends Serving {
  readonly follower: Follower;
  /** What it logged about the primary and about Hives. */
  readonly logged: readonly string[];
  /** Resolves when it has what the primary has now. */
  readonly catchUp: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

const log = { error: () => {} };

/** Serves a storage on a socket. */
export async function servePrimary(folder = realFolder()): Promise<Serving> {
  const storage = openLocalStorage(folder);
  const app = createApp({ ...defaults, storage, log });
  const { url, close } = await listen(app, { ...defaults, port: 0, timeouts: { closing: 500 } });
  onTestFinished(() => void close());
  return { storage, url };
}

export interface FollowOptions {
  readonly folder?: string;
  /** The address that it asks. */
  readonly through?: string;
  /** The secret of another follower than a new one. */
  readonly secret?: string;
  readonly maxLag?: number;
  readonly time?: () => number;
  /** Whether it sends changes on by itself, and where, if not to the primary. */
  readonly forwards?: boolean;
  readonly forwardTo?: string;
  /** What it copies repositories with. */
  readonly fetch?: Storage["git"]["fetch"];
  /** The clock of its machine. */
  readonly clock?: PrimaryClock;
}

let followers = 0;

/** Starts a follower with a storage of its own. */
export async function follow(primary: Serving, options: FollowOptions = {}): Promise<FollowingServer> {
  const {
    folder = realFolder(),
    through = primary.url,
    maxLag = 60_000,
    clock = new PrimaryClock(),
  } = options;
  const name = toFollowerName(`f${followers++}`);
  const secret = options.secret ?? (await addFollower(primary.storage, name));
  const storage = openLocalStorage(folder, { now: clock.now });
  await storage.registry.version.create();
  if (options.fetch !== undefined) Object.assign(storage.git, { fetch: options.fetch });
  const logged: string[] = [];
  const say = (fields: object, message: string): void =>
    void logged.push(`${message} ${JSON.stringify(fields)}`);
  const follower = new Follower({
    storage,
    primary: { url: through, secret },
    clock,
    maxLag,
    log: { error: say, info: say },
    time: options.time,
  });
  await follower.start();
  const forwardTo = options.forwards === true ? (options.forwardTo ?? primary.url) : undefined;
  const passOn = { url: primary.url, forwardTo };
  const app = createApp({ ...defaults, storage, log, following: follower, passOn });
  const { url, close } = await listen(app, { ...defaults, port: 0, timeouts: { closing: 500 } });
  const stop = async (): Promise<void> => {
    await Promise.all([follower.stop(), close()]);
  };
  onTestFinished(stop);
  return {
    storage,
    url,
    follower,
    logged,
    stop,
    catchUp: async () => {
      const isThere = await follower.catchUp(undefined, AbortSignal.timeout(30_000));
      if (!isThere) throw new Error(`the follower did not catch up: ${logged.join("\n")}`);
    },
  };
}
