/** The kinds of changes beside those of texts. */

/** What may change of a text that stays as it is. */
export const changesOfSameText = [
  "confirmed",
  "outdated",
  "approved",
  "waiting",
  "accepted",
  "withdrawn",
] as const;

/** What may change beside the texts of strings, in the order in which it is listed. */
export const changesBesideTexts = [...changesOfSameText, "note", "app_note", "comments", "picture"] as const;
