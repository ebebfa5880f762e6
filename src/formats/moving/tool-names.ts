/** The tools whose exports can be read, and Skep itself. They are apart from their readers, so that help loads none. */
export const toolNames = ["weblate", "tolgee", "crowdin", "lokalise", "phrase", "pontoon", "skep"] as const;
export type ToolName = (typeof toolNames)[number];

/** As they are written for people. */
export const toolTitles: Readonly<Record<ToolName, string>> = {
  weblate: "Weblate",
  tolgee: "Tolgee",
  crowdin: "Crowdin",
  lokalise: "Lokalise",
  phrase: "Phrase",
  pontoon: "Pontoon",
  skep: "Skep",
};
