/** The README of a Hive's repository, for people who clone it. */

/** Its path in the repository. Skep only creates the file and never reads or changes it. */
export const readmePath = "README.md";

export const hiveReadme = `# Translations

This repository is a Hive: the texts of one project, kept by Skep. Every commit is one accepted change.

- \`hive.yaml\`: the Hive's name, its source locale, and its locales with the codes that the app uses for them.
- \`locales/<code>/\`: the texts of one locale. Each file is named after the app's own file, with \`.json\` behind it,
  and keeps the shape and order in which it was imported.
- The folder of the source locale holds all strings; those of the others hold what is translated.
- \`stale/<code>/\`: translations whose source text has changed since, each with the text that it was made for.
- \`review/<code>/\`: translations that wait for a review, each with the text that was approved last.
- \`accepted/<code>/\`: findings of checks that were accepted as false alarms.
- \`glossary.json\`: terms, with their translations. \`style/<code>.md\`: the style of a locale.
- \`pictures/\`: where texts stand in the app; each \`.json\` names the strings that the image of the same name shows.
- \`notes/\`: what texts are for; \`app\` is what the app's files say, \`team\` what people say.

\`git log\` is the changelog: what changed, with counts, and in trailers who did it and from where.

To change a text, import it over Skep's API; or edit the files of your locale, commit, and \`git push\`, where the Hive
takes pushes. \`skep format\` brings files into the form that is stored, and git merges them key by key after:

    git config merge.skep.driver "skep merge-driver %O %A %B"
    echo 'locales/** merge=skep' >> .git/info/attributes
`;
