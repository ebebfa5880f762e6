/** What exports and channels give of the texts of a Hive. */
import { z } from "zod";
import { failingTexts } from "../domain/export/export.ts";
import { exportStates } from "../domain/review/exported-texts.ts";

export const failingField = z.enum(failingTexts, "must be source or omit").meta({
  description:
    "What becomes of translations in which checks find errors: their source text (`source`), or nothing (`omit`). They stay as they are if not given.",
});

export const stateField = z.enum(exportStates, "must be approved").meta({
  description:
    "With `approved`, a text that waits for a review is given as it was approved last, and left out if it never was. All texts are given as they are stored if this is not given.",
});
