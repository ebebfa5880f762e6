/** For how many days something is told in an inbox, and how much of it. */
export const inboxDays = 30;
export const maxEvents = 200;
