/** What a search of all Hives takes and gives. */

/** How many results of each kind are given. */
export const maxFound = 20;

/** The lengths of texts that are searched for, in characters. */
export const searchedLength = { min: 2, max: 200 } as const;
