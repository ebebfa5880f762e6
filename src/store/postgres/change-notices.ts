/** Notifies other servers of changed Hives, and hears of theirs (`NOTIFY`). It saves waiting; nothing depends on it. */
import { isHiveSlug, type HiveSlug } from "../../domain/names.ts";
import type { Database } from "./database.ts";
import type { Session } from "./session.ts";

const channel = "skep";
/** Changes within this time are sent in one notice. */
const togetherMs = 50;
/** How many Hives a notice names: PostgreSQL allows 8,000 bytes. */
const maxHives = 100;

export class ChangeNotices {
  readonly #database: Database;
  readonly #changed: (slugs: readonly HiveSlug[]) => Promise<void>;
  readonly #waiting = new Set<HiveSlug>();
  #timer: NodeJS.Timeout | undefined;
  #listening: Session | undefined;

  constructor(database: Database, changed: (slugs: readonly HiveSlug[]) => Promise<void>) {
    this.#database = database;
    this.#changed = changed;
  }

  /** Sends a notice soon, outside of transactions: inside, NOTIFY makes commits wait for each other. */
  send(slug: HiveSlug): void {
    if (this.#waiting.size < maxHives) this.#waiting.add(slug);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const text = [...this.#waiting].join(" ");
      this.#waiting.clear();
      this.#database.query((sql) => sql`SELECT pg_notify(${channel}, ${text})`).catch(() => undefined);
    }, togetherMs).unref();
  }

  /** Listens, on a connection of its own, if it does not yet. */
  async listen(): Promise<void> {
    if (this.#listening?.isEnded === false) return;
    this.#listening = await this.#database.connect((text) => {
      this.#changed(text.split(" ").filter(isHiveSlug)).catch(() => undefined);
    });
    await this.#listening.sql.unsafe(`LISTEN ${channel}`);
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#listening?.end();
  }
}
