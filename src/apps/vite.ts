/** `skep/vite`: a plugin of Vite that pulls when an app is built, and reloads pages while it is developed. */
import type { FollowedApp } from "../client/code/follow.ts";

export interface SkepPluginOptions {
  /** The settings of the app; the nearest `skep.yaml` upwards of Vite's root if not given. */
  config?: string;
  /** Whether a build pulls; true if not given. */
  build?: boolean;
  /** Whether a build fails where its pull does; true if not given. Otherwise it goes on with the files that are there. */
  required?: boolean;
  /** Whether the development server pulls; true if not given. It reloads pages in any case. */
  dev?: boolean;
  /** How often the development server asks for changes of the Hive, in seconds; 10 if not given, 0 only at its start. */
  interval?: number;
  /** Only these locales, by their codes in the Hive. */
  locales?: string[];
  /** The state of a tag, a commit or a time. */
  at?: string;
  /** Whether the text that was approved last is taken where one waits for a review. */
  approved?: boolean;
  /** Only texts with one of these tags, separated by commas. */
  tag?: string;
  /** What stands for untranslated texts: nothing, the source text, or before that what the locale inherits. */
  missing?: "leave" | "source" | "fallback";
  /** Leaves the files of locales alone of which less than this percentage is translated. */
  minComplete?: number;
  /** Whether pseudo-locales are pulled, too. */
  pseudo?: boolean;
}

/** What the plugin needs of Vite, from version 5 on. */
interface Config {
  readonly root: string;
  readonly command: "build" | "serve";
  readonly logger: { info(message: string): void; warn(message: string): void };
}

interface Server {
  readonly watcher: {
    add(paths: readonly string[]): unknown;
    on(event: "all", listener: (event: string, path: string) => void): unknown;
  };
  readonly ws: { send(payload: { type: "full-reload" }): void };
}

/** A plugin of Vite; its type says no more than Vite asks for. */
export interface SkepPlugin {
  name: string;
  configResolved(config: Config): Promise<void>;
  buildStart: { order: "pre"; sequential: true; handler(): Promise<void> };
  configureServer(server: Server): Promise<void>;
  closeBundle(): void;
}

/** One reload for all files that a pull or an editor writes at once. */
const settleMs = 100;

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Pulls when an app is built, and while it is developed: `plugins: [skep()]`. */
export function skep(options: SkepPluginOptions = {}): SkepPlugin {
  const { build = true, required = true, dev = true, interval = 10, ...pulled } = options;
  let config: Config;
  let app: FollowedApp;
  let first: Promise<unknown> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let said = "";
  const say = (message: string): void => config.logger.info(`skep: ${message}`);
  /** The same only once, while a server is away. */
  const warn = (message: string): void => {
    if (message !== said) config.logger.warn(`skep: ${message}`);
    said = message;
  };
  /** @returns whether a file changed */
  const pull = async (): Promise<boolean> => {
    const files = await app.pull();
    said = "";
    if (files.length > 0) say(`pulled ${files.join(", ")}`);
    return files.length > 0;
  };
  const follow = async (reload: () => void): Promise<void> => {
    try {
      // A watcher may miss a change, such as one that it sees while it still reads the folder.
      if (await pull()) reload();
    } catch (error) {
      warn(messageOf(error));
    }
    if (interval > 0 && !isClosed) timer = setTimeout(() => void follow(reload), interval * 1_000).unref();
  };
  return {
    name: "skep",
    async configResolved(resolved) {
      config = resolved;
      const { FollowedApp } = await import("../client/code/follow.ts");
      app = new FollowedApp(config.root, pulled, warn);
    },
    buildStart: {
      order: "pre",
      sequential: true,
      async handler() {
        if (config.command !== "build" || !build) return;
        // Once, also for builds of several environments and those that watch.
        first ??= pull().catch((error: unknown) => {
          if (required) throw error;
          warn(messageOf(error));
        });
        await first;
      },
    },
    async configureServer({ watcher, ws }) {
      // Vitest starts a server, too.
      if (process.env.VITEST !== undefined) return;
      const files = await app.files();
      let settling: NodeJS.Timeout | undefined;
      const reload = (): void => {
        clearTimeout(settling);
        settling = setTimeout(() => ws.send({ type: "full-reload" }), settleMs);
      };
      watcher.on("all", (_, path) => {
        if (files.has(path)) reload();
      });
      // In a monorepo they may lie outside of Vite's root.
      watcher.add(files.folders);
      if (dev) void follow(reload);
    },
    closeBundle() {
      if (config.command === "build") return;
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
