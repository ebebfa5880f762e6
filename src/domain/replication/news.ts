/** What a primary tells its followers. */
import type { HiveSlug, TeamName } from "../names.ts";
import type { TrashId } from "../hives/trash.ts";

/** The repository of a Hive. */
export interface ReplicatedHive {
  /** Of this repository: a later one of the same slug has another. */
  readonly id: string;
  /** The team that had the Hive when the repository had this id. */
  readonly team: TeamName;
  /** A digest of its refs. */
  readonly refs: string;
}

/** A repository in the trash. */
export interface ReplicatedTrash {
  readonly id: string;
  /** What its deletion note says; null when there is none that can be read. */
  readonly note: {
    readonly team: TeamName;
    readonly published?: { readonly file: string; readonly text: string };
  } | null;
}

/** What has changed since a version, or everything. What is gone is null. */
export interface ReplicationNews {
  /** The id of the storage and all its copies. */
  readonly storage: string;
  readonly generation: number;
  /** The generation of a server that took over from this one, and must be followed instead. */
  readonly supersededBy: number | null;
  readonly version: string;
  /** Whether this is everything, so that what is not listed is gone. */
  readonly isComplete: boolean;
  /** Whether more may have changed than these settings: the version is the one that was asked with. */
  readonly isSettingsOnly: boolean;
  /** In milliseconds since 1970. */
  readonly now: number;
  /** Texts of files, by their paths. */
  readonly settings: ReadonlyMap<string, string | null>;
  readonly hives: ReadonlyMap<HiveSlug, ReplicatedHive | null>;
  readonly trash: ReadonlyMap<TrashId, ReplicatedTrash | null>;
}

/** What a follower asks its primary. */
export interface NewsRequest {
  readonly after?: string;
  /** In seconds. */
  readonly wait: number;
  /** The id of the follower's storage, once it has one. */
  readonly storage?: string;
  /** The highest generation that the follower has seen. */
  readonly generation?: number;
}
