/** What the operations of replacements do. */
import type { z } from "zod";
import { replacements, type replacement } from "../../api/content/replace.ts";
import type { HiveSettings } from "../../domain/hives/hive-settings.ts";
import { codeOf } from "../../domain/hives/locale.ts";
import { seenAs } from "../../domain/work/queue.ts";
import { replaceTexts, type ReplacedText, type ReplaceRequest } from "../../service/work/replace.ts";
import { withShownLocale } from "../schemas/check-schemas.ts";
import { implementOnHive } from "../operations/implement.ts";

export const replacementOperations = implementOnHive(replacements, {
  replaceText: async ({ storage, caller, branch, body, context }) => {
    const done = await replaceTexts(storage, caller, branch, toRequest(body), context);
    const { texts, changed, hasMore } = done.result;
    const { settings } = await storage.hives.at(branch).snapshot();
    const refused = texts.filter((one) => one.refused !== undefined);
    const isDryRun = context.dryRun === true;
    const listed = isDryRun ? texts : refused;
    const result = {
      replaced: texts.length - refused.length,
      changed,
      refused: refused.length,
      // A request that is repeated has the counts of its commit alone, and nothing else where there is no more to say.
      more: hasMore || isDryRun ? hasMore : undefined,
      items: listed.length > 0 || isDryRun ? listed.map((one) => toItem(one, settings)) : undefined,
    };
    return { ...done, result };
  },
});

function toRequest({ whole_word, case: isCaseSensitive, q, items, ...body }: z.output<typeof replacement>) {
  return {
    ...body,
    isWholeWord: whole_word,
    isCaseSensitive,
    text: q,
    items: items?.map(({ expected, ...item }) => Object.assign(item, { expected: seenAs(expected) })),
  } satisfies ReplaceRequest;
}

function toItem({ locale, refused, findings, ...item }: ReplacedText, settings: HiveSettings) {
  return { ...item, ...refused, locale: codeOf(locale), findings: findings.map(withShownLocale(settings)) };
}
