/**
 * The webhooks of each team: `webhooks/<team>.yaml` lists them, `webhooks/<slug>.state.yaml` holds which commit of a
 * Hive each received last. The second kind may be lost: commits are then sent again.
 */
import { join } from "node:path";
import { isFailure } from "../../domain/errors.ts";
import type { Webhook, WebhookId, WebhookState } from "../../domain/hives/webhook.ts";
import { isTeamName, type HiveSlug, type Oid, type TeamName } from "../../domain/names.ts";
import type { DurableFs } from "../../disk/durable-fs.ts";
import type { HeldLock } from "../../disk/held-lock.ts";
import { Locks } from "../../disk/locks/lock.ts";
import { ParsedFile } from "../../disk/parsed-file.ts";
import { locksFolder } from "../../disk/storage-folder.ts";
import { formatWebhooks, formatWebhookStates, parseWebhooks, parseWebhookStates } from "./webhook-files.ts";

/** A process that finds deliveries under way tries again later instead of waiting for their end. */
const deliveryTurnMs = 1_000;
const suffix = ".yaml";
const stateSuffix = ".state.yaml";

export class WebhookStore {
  readonly #fs: DurableFs;
  readonly #folder: string;
  readonly #locks: Locks;
  readonly #webhooks = new Map<TeamName, ParsedFile<readonly Webhook[]>>();
  readonly #states = new Map<HiveSlug, ParsedFile<readonly WebhookState[]>>();

  /** @param root the storage's folder. */
  constructor(fs: DurableFs, root: string) {
    this.#fs = fs;
    this.#folder = join(root, "webhooks");
    this.#locks = new Locks(fs, join(root, locksFolder), { timeoutMs: deliveryTurnMs });
  }

  /** The teams with a file of webhooks; they may have been removed. */
  async teams(): Promise<readonly TeamName[]> {
    const names = (await this.#fs.list(this.#folder)).filter((name) => name.endsWith(suffix));
    return names.map((name) => name.slice(0, -suffix.length)).filter(isTeamName);
  }

  /**
   * The webhooks of a team, in the order they were added.
   * @throws SkepError `content-invalid` when the file cannot be read.
   */
  list(team: TeamName): readonly Webhook[] {
    const { disk } = this.#fs;
    const file =
      this.#webhooks.get(team) ?? new ParsedFile(disk, join(this.#folder, team + suffix), parseWebhooks);
    this.#webhooks.set(team, file);
    return file.read() ?? [];
  }

  /** What a webhook has received of a Hive. States that cannot be read count as lost. */
  state(slug: HiveSlug, id: WebhookId): WebhookState {
    return this.states(slug).find((state) => state.id === id) ?? { id };
  }

  /** All states of a Hive, also of removed webhooks. */
  states(slug: HiveSlug): readonly WebhookState[] {
    const { disk } = this.#fs;
    const path = join(this.#folder, slug + stateSuffix);
    const file = this.#states.get(slug) ?? new ParsedFile(disk, path, parseWebhookStates);
    this.#states.set(slug, file);
    try {
      return file.read() ?? [];
    } catch (error) {
      if (!isFailure(error, "content-invalid")) throw error;
      return [];
    }
  }

  /** Replaces the webhooks of a team if the caller still holds its lock. */
  async save(team: TeamName, webhooks: readonly Webhook[], lock: HeldLock): Promise<void> {
    if (webhooks.length > 0) return this.#write(team + suffix, formatWebhooks(webhooks), lock);
    await lock.assertHeld();
    await this.#fs.removeFile(join(this.#folder, team + suffix));
  }

  /**
   * Saves the state of a webhook for a Hive, and drops those of removed webhooks.
   * @param lock that of {@link lockDeliveries}.
   */
  async saveState(
    slug: HiveSlug,
    state: WebhookState,
    { present, lock }: { readonly present: readonly WebhookId[]; readonly lock: HeldLock },
  ): Promise<void> {
    const others = this.states(slug).filter(({ id }) => id !== state.id && present.includes(id));
    await this.#write(slug + stateSuffix, formatWebhookStates([...others, state]), lock);
  }

  /**
   * Removes what is known of a Hive if the caller still holds its lock and that of its team: a new Hive of the slug has
   * neither the webhooks of an earlier one nor its positions.
   */
  async forget(slug: HiveSlug, team: TeamName, lock: HeldLock): Promise<void> {
    const before = this.list(team);
    const others = before
      .filter(({ hive }) => hive !== slug)
      .map((webhook) => withSince(webhook, slug, undefined));
    if (before.length > 0) await this.save(team, others, lock);
    await this.forgetStates(slug, lock);
  }

  /**
   * Removes the states of a Hive if the caller still holds its lock.
   * @param lock that of the Hive, or that of {@link lockDeliveries} when the Hive is gone.
   */
  async forgetStates(slug: HiveSlug, lock: HeldLock): Promise<void> {
    if (!(await this.#fs.list(this.#folder)).includes(slug + stateSuffix)) return;
    await lock.assertHeld();
    await this.#fs.removeFile(join(this.#folder, slug + stateSuffix));
  }

  /** Lets all webhooks of a team begin at a commit of a Hive; the caller holds both locks. */
  async beginAt(slug: HiveSlug, team: TeamName, commit: Oid, lock: HeldLock): Promise<void> {
    const webhooks = this.list(team);
    if (webhooks.length === 0) return;
    const begun = webhooks.map((webhook) => withSince(webhook, slug, commit));
    await this.save(team, begun, lock);
  }

  /**
   * Runs a function under the lock for the deliveries of a Hive, so that one process at a time sends.
   * @throws SkepError `busy` when another process holds it.
   */
  lockDeliveries<T>(slug: HiveSlug, run: (lock: HeldLock) => Promise<T>): Promise<T> {
    return this.#locks.hold(`webhook-${slug}`, run);
  }

  /** The files of a team and its Hives, by their paths in the storage, for a backup. */
  capture(team: TeamName, slugs: readonly HiveSlug[]): ReadonlyMap<string, string> {
    const webhooks = this.list(team);
    if (webhooks.length === 0) return new Map();
    const files = new Map([[`webhooks/${team}${suffix}`, formatWebhooks(webhooks)]]);
    for (const slug of slugs) {
      const states = this.states(slug);
      if (states.length > 0) files.set(`webhooks/${slug}${stateSuffix}`, formatWebhookStates(states));
    }
    return files;
  }

  async #write(name: string, content: string, lock: HeldLock): Promise<void> {
    await this.#fs.makeFolder(this.#folder);
    await this.#fs.write(join(this.#folder, name), content, lock);
  }
}

/** The webhook beginning at a commit of a Hive; at its first one if undefined. */
function withSince(webhook: Webhook, slug: HiveSlug, commit: Oid | undefined): Webhook {
  const { [slug]: _, ...others } = webhook.since;
  return { ...webhook, since: commit === undefined ? others : { ...others, [slug]: commit } };
}
