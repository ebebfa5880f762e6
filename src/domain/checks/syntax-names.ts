/** The names of the syntaxes of messages, which stand in `hive.yaml`. */
export const syntaxNames = [
  "icu",
  "flutter",
  "flutter-escaped",
  "i18next",
  "laravel",
  "rails",
  "printf",
  "android",
  "brace",
  "fluent",
  "java",
  "qt",
  "chrome",
  "symfony",
  "text",
  "none",
] as const;
export type SyntaxName = (typeof syntaxNames)[number];

/** Whether texts of a syntax are ICU messages, in any of their dialects. */
export function isIcu(syntax: SyntaxName): boolean {
  return syntax === "icu" || syntax === "flutter" || syntax === "flutter-escaped";
}
