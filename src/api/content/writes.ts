/** The parameters of writes that change texts. */
import { z } from "zod";
import { deletionLimit } from "../management.ts";
import { dryRunParam } from "../page.ts";

const checksMode = z.enum(["warn"], "must be warn, and given once").optional().meta({
  description:
    "With `warn`, texts in which checks find errors are let through where the Hive refuses them; the commit notes it.",
});

export const dryRunQuery = dryRunParam.extend({ checks: checksMode });

export const sourceWriteQuery = dryRunQuery.extend({ max_deletions: deletionLimit });
