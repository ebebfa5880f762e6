/** The languages that the pages and mails of the server come in. */

/** Their BCP 47 codes; the first is the one that they are written in. */
export const pageLanguageCodes = ["en", "ar", "de", "es", "fr", "ja"] as const;
export type PageLanguageCode = (typeof pageLanguageCodes)[number];
