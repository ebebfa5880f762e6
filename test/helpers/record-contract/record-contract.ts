/** What every record promises, as tests that run over each implementation. */
import { describe } from "vitest";
import type { StorageOptions } from "../../../src/service/storage.ts";
import { describeDocuments } from "./documents.ts";
import { describeJobs } from "./jobs.ts";
import { describeRepositories } from "./repositories.ts";
import { describeStores } from "./stores.ts";

/** A record that several servers use. It is empty, and a storage: the teams, and all else, are still to come. */
export interface SharedRecord {
  /** What opens the record as one more server does: each time over the same folder, or over a new copy. */
  readonly open: () => StorageOptions;
  /** Lets every change fail until the function is called that this gives: the disk is full, or the database is away. */
  readonly break: () => Promise<() => Promise<void>>;
}

/** @param breaks whether the test breaks the record, and wants to be told so soon. */
export type MakeRecord = (options?: { readonly breaks: boolean }) => Promise<SharedRecord>;

/** Tests a record. @param make makes a new one; whatever it starts ends with the test. */
export function describeRecord(name: string, make: MakeRecord): void {
  describe(`on ${name}`, () => {
    describeDocuments(make);
    describeJobs(make);
    describeStores(make);
  });
  describeRepositories(name, async () => (await make()).open);
}
