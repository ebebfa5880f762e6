/**
 * The webhooks of each team: `webhooks/<team>.yaml` lists them, `webhooks/<slug>.state.yaml` holds which commit of a
 * Hive each received last. The second kind may be lost: commits are then sent again.
 */
import type { DurableFs } from "../../disk/durable-fs.ts";
import type { HeldLock } from "../../disk/held-lock.ts";
import {
  storedWebhook,
  storedWebhookState,
  type Webhook,
  type WebhookId,
  type WebhookState,
} from "../../domain/hives/webhook.ts";
import { isHiveSlug, isTeamName, type HiveSlug, type Oid, type TeamName } from "../../domain/names.ts";
import type { Jobs, StorageRecord } from "../record/record.ts";
import { listForm, ListFiles, type ListPlace } from "./list-files.ts";

export const webhookLists: ListPlace<TeamName, Webhook> = {
  folder: "webhooks",
  ending: ".yaml",
  isName: isTeamName,
  form: listForm(["webhooks", "webhooks"], storedWebhook),
};

export const webhookStates: ListPlace<HiveSlug, WebhookState> = {
  folder: "webhooks",
  ending: ".state.yaml",
  isState: true,
  isName: isHiveSlug,
  form: listForm(["webhook-states", "states"], storedWebhookState),
};

export class WebhookStore {
  readonly #jobs: Jobs;
  /** The webhooks of each team, in the order they were added; the team may have been removed. */
  readonly lists: ListFiles<TeamName, Webhook>;
  /** What webhooks have received of each Hive, also removed ones. */
  readonly stateLists: ListFiles<HiveSlug, WebhookState>;

  /** @param root the storage's folder. */
  constructor(fs: DurableFs, root: string, { documents, jobs }: Pick<StorageRecord, "documents" | "jobs">) {
    this.#jobs = jobs;
    this.lists = new ListFiles(fs, root, documents, webhookLists);
    this.stateLists = new ListFiles(fs, root, documents, webhookStates);
  }

  /** What a webhook has received of a Hive. States that cannot be read count as lost. */
  state(slug: HiveSlug, webhookId: WebhookId): WebhookState {
    return this.stateLists.readable(slug).find((one) => one.id === webhookId) ?? { id: webhookId };
  }

  /**
   * Saves the state of a webhook for a Hive, and drops the states of removed webhooks.
   * @param lock the lock of {@link lockDeliveries}.
   */
  saveState(
    slug: HiveSlug,
    saved: WebhookState,
    { present, lock }: { readonly present: readonly WebhookId[]; readonly lock: HeldLock },
  ): Promise<void> {
    const others = this.stateLists
      .readable(slug)
      .filter((one) => one.id !== saved.id && present.includes(one.id));
    return this.stateLists.save(slug, [...others, saved], lock);
  }

  /**
   * Forgets a Hive if the caller still holds the locks of the Hive and of its team: a new Hive of the slug has
   * neither the webhooks of an earlier one nor its positions.
   */
  async forget(slug: HiveSlug, team: TeamName, lock: HeldLock): Promise<void> {
    const before = this.lists.read(team);
    const others = before.filter(({ hive }) => hive !== slug).map((one) => withSince(one, slug, undefined));
    if (before.length > 0) await this.lists.save(team, others, lock);
    await this.stateLists.remove(slug, lock);
  }

  /** Lets all webhooks of a team begin at a commit of a Hive; the caller holds both locks. */
  async beginAt(slug: HiveSlug, team: TeamName, commit: Oid, lock: HeldLock): Promise<void> {
    const webhooks = this.lists.read(team);
    const begun = webhooks.map((one) => withSince(one, slug, commit));
    if (webhooks.length > 0) await this.lists.save(team, begun, lock);
  }

  /**
   * Runs a function under the lock for the deliveries of a Hive, so that one process at a time sends.
   * @throws SkepError `busy` when another process holds it.
   */
  lockDeliveries<T>(slug: HiveSlug, run: (lock: HeldLock) => Promise<T>): Promise<T> {
    return this.#jobs.hold(`webhook-${slug}`, run, [slug]);
  }

  /** The files of a team and its Hives, by their paths in the storage, for a backup. */
  capture(team: TeamName, slugs: readonly HiveSlug[]): readonly (readonly [path: string, text: string])[] {
    const webhooks = this.lists.read(team);
    if (webhooks.length === 0) return [];
    const states = slugs.flatMap((slug) => this.stateLists.capture(slug, this.stateLists.readable(slug)));
    return [...this.lists.capture(team, webhooks), ...states];
  }
}

/** The webhook beginning at a commit of a Hive; at its first one if undefined. */
function withSince(one: Webhook, slug: HiveSlug, commit: Oid | undefined): Webhook {
  const { [slug]: _, ...others } = one.since;
  return { ...one, since: commit === undefined ? others : { ...others, [slug]: commit } };
}
