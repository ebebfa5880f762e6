/** The application on a folder against a plain model. `npm run soak` runs many more sequences. */
import { it } from "vitest";
import { openStorage } from "../../src/service/storage.ts";
import { expectAnswersOfModel } from "../helpers/model/sequences.ts";
import { memoryDisk, memoryFolder } from "../helpers/storage.ts";

const runs = Number(process.env.SKEP_SOAK_SEQUENCES ?? 70);

it(`answers as the model does in ${runs} sequences`, { timeout: 120_000 + runs * 1_000 }, async () => {
  await expectAnswersOfModel(async () => {
    const [disk, folder] = [memoryDisk(), memoryFolder()];
    return { disk, start: async () => [0, 1].map(() => openStorage({ disk, folder })) };
  }, runs);
});
