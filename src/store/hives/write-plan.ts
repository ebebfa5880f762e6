/** What a function that plans a change of a Hive gives, and what comes of it. */
import type { KeyChange } from "../../domain/strings/hive-content.ts";
import type { NotTaken } from "../../domain/plans/unknown-keys.ts";
import type { HiveSettings } from "../../domain/hives/hive-settings.ts";
import type { Oid } from "../../domain/names.ts";
import type { Steps } from "../../domain/steps.ts";
import type { ChangeMetadata } from "../../domain/commits/commit-message.ts";
import type { HiveChange } from "./hive.ts";
import type { Snapshot } from "../content/snapshot.ts";

/** What a planning function answers: its result, and the commit to make, if any. */
export interface WritePlan<T> {
  readonly result: T;
  readonly change?: HiveChange<ChangeMetadata> | undefined;
  /** What the commit does to keys, for previews. */
  readonly changes?: readonly KeyChange[];
  /** Keys of a translation import that are not taken, for previews. */
  readonly notTaken?: () => Steps<NotTaken>;
}

/** Plans a change of a Hive as it is at HEAD; it may be asked again, so it must be without effects. */
export type Planner<T> = (snapshot: Snapshot) => WritePlan<T> | Promise<WritePlan<T>>;

/** What a planning function would do, in a Hive of these settings. */
export interface Preview {
  readonly changes: readonly KeyChange[];
  /** Keys of the request that are not taken; undefined where a request has no such keys. */
  readonly notTaken: NotTaken | undefined;
  readonly settings: HiveSettings;
}

/** What came of a planning function, and the commit that HEAD was at then: a new one if there was a change. */
export interface CommitResult<T> {
  readonly result: T;
  readonly commit: Oid;
  /** Where the change was only planned. */
  readonly preview?: Preview;
}
