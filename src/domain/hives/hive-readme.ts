/** What tells someone who clones a Hive what they see. */

/** The path of the text in a Hive's repository. It is the team's own from the first commit on: Skep never reads it. */
export const readmePath = "README.md";

/** The text that a new Hive begins with. */
export const hiveReadme = `# Translations

This repository is a Hive: the texts of one project, kept by Skep. Every commit is one accepted change.

- \`hive.yaml\`: the Hive's name, its source locale, and its locales with the codes that the app uses for them.
- \`locales/<code>/\`: the texts of one locale. Each file is named after the app's own file, with \`.json\` behind it,
  and keeps the shape and order in which it was imported.
- The folder of the source locale holds all strings; those of the others hold what is translated.
- \`stale/<code>/\`: translations whose source text has changed since, each with the text that it was made for.

\`git log\` is the changelog: what changed, with counts, and in trailers who did it and from where.

To change a text, import it over Skep's API: this clone can be fetched, not pushed.
`;
