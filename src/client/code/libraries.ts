/** The libraries that read an app's texts, and whose types Skep can write. */
export const libraries = ["i18next", "formatjs", "vue-i18n"] as const;
export type Library = (typeof libraries)[number];
