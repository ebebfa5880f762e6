/** The application on servers with one database against a plain model. `npm run soak` runs many more sequences. */
import { describe, it } from "vitest";
import { openStorage, type Storage } from "../../../../src/service/storage.ts";
import type { Processes } from "../../../helpers/model/real.ts";
import { expectAnswersOfModel } from "../../../helpers/model/sequences.ts";
import { isMissing } from "../../../helpers/postgres/cluster.ts";
import { testDatabase, type Prepared } from "../../../helpers/postgres/records.ts";
import { expectSameEverywhere } from "../../../helpers/postgres/truth.ts";
import { realFolder } from "../../../helpers/storage.ts";

const runs = Math.ceil(Number(process.env.SKEP_SOAK_SEQUENCES ?? 80) / 10);

/** Servers with one database, each with a copy that it keeps when it starts again. */
async function servers(count: number): Promise<Processes> {
  const { url, prepare } = await testDatabase(60_000);
  const folders = Array.from({ length: count }, () => realFolder());
  let prepared: readonly Prepared[] = [];
  const close = async (): Promise<void> => {
    for (const one of prepared) await one.close();
  };
  const start = async (): Promise<readonly Storage[]> => {
    await close();
    prepared = await Promise.all(folders.map((folder) => prepare(folder)));
    return prepared.map(({ options }) => openStorage(options));
  };
  const end = async (storages: readonly Storage[]): Promise<void> => {
    const fresh = await prepare();
    await expectSameEverywhere(url, [...storages, openStorage(fresh.options)]);
    await fresh.close();
  };
  return { start, end, close };
}

describe.skipIf(isMissing())("servers with one database", () => {
  it.each([1, 2])(
    `answer like the model in ${runs} sequences, with %i of them`,
    { timeout: 240_000 + runs * 10_000 },
    (count) => expectAnswersOfModel(() => servers(count), runs),
  );
});
