/** What every record promises, of PostgreSQL. */
import { describe } from "vitest";
import { isMissing } from "../../helpers/postgres/cluster.ts";
import { testDatabase } from "../../helpers/postgres/records.ts";
import { describeRecord, type MakeRecord } from "../../helpers/record-contract/record-contract.ts";

/** How many servers a test opens at most. */
const servers = 3;

const databaseRecord: MakeRecord = async ({ breaks } = { breaks: false }) => {
  // However slow the machine is, it is never taken for a database that is away.
  const { prepare, proxy } = await testDatabase(breaks ? 3_000 : 120_000);
  const prepared = await Promise.all(Array.from({ length: servers }, () => prepare()));
  return {
    open: () => {
      const next = prepared.pop();
      if (next === undefined) throw new Error("a test opens more servers than it is made for");
      return next.options;
    },
    break: async () => {
      proxy.accept(false);
      proxy.cutAll();
      return async () => proxy.accept(true);
    },
  };
};

describe.skipIf(isMissing())("the contract of records", () => {
  describeRecord("PostgreSQL", databaseRecord);
});
