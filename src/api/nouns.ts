/** All nouns with operations, each loaded when it is needed: its schemas take longer to load than Node to start. */
import type { Noun } from "./operation.ts";

export const nouns = {
  channel: async (): Promise<Noun> => (await import("./channels.ts")).channels,
  comment: async (): Promise<Noun> => (await import("./comments.ts")).comments,
  engine: async (): Promise<Noun> => (await import("./engines.ts")).engines,
  file: async (): Promise<Noun> => (await import("./files.ts")).files,
  hive: async (): Promise<Noun> => (await import("./hives.ts")).hives,
  locale: async (): Promise<Noun> => (await import("./locales.ts")).locales,
  mirror: async (): Promise<Noun> => (await import("./mirrors.ts")).mirrors,
  person: async (): Promise<Noun> => (await import("./people.ts")).people,
  token: async (): Promise<Noun> => (await import("./tokens.ts")).tokens,
  webhook: async (): Promise<Noun> => (await import("./webhooks.ts")).webhooks,
} as const satisfies Readonly<Record<string, () => Promise<Noun>>>;

export type NounName = keyof typeof nouns;
