/** The requests and responses of moves. */
import { z } from "zod";
import { listOf, syncResponse } from "./schemas.ts";
import { count, jsonObject, named, text, stringAddress } from "./objects.ts";

/** The most moves in a request, each of a string, a group or a file. */
const maxMoves = 10_000;

export const stringPlace = named("StringPlace", stringAddress);

const namedPlace = z.object(
  {
    file: text.meta({ description: "The name of a file of the Hive." }),
    key: text.nullish().meta({
      description:
        "A key, or the name of a group, which stands for all of its keys. Without a key in `from` and `to`, all keys of the file are moved.",
    }),
  },
  "must be an object with file and key",
);

const namedMove = z.object({ from: namedPlace, to: namedPlace }, "must be an object with from and to");

export const movesBody = jsonObject({
  moves: listOf(namedMove, { message: "must be a list of moves", max: maxMoves }).meta({
    description: "The moves. All are made at once, so that strings may change places.",
  }),
});

export const move = named("Move", { from: stringPlace, to: stringPlace });

export const plannedMoves = z
  .array(move)
  .optional()
  .meta({ description: "Of a dry run with a token that can read: the first 1,000 moves." });

export const movesResponse = z.object({
  moved: count.meta({ description: "Source strings that were moved." }),
  translations_moved: count.meta({ description: "Translations that were moved with them." }),
  translations_deleted: count.meta({
    description:
      "Translations that were deleted: of plural forms that only they have, and whose plural string was torn apart.",
  }),
  moves: plannedMoves,
});

/** The response to a sync, with the moves that it detected. */
export const syncWithMovesResponse = syncResponse.extend({
  moved: count.optional().meta({
    description:
      "With `detect_moves=true`: source strings that were moved. One whose text has changed too is also in `updated`; others are in no other count.",
  }),
  ambiguous: count.optional().meta({
    description:
      "With `detect_moves=true`: source texts of which strings have gone and come, and more than one of either. These strings are not moved.",
  }),
  ambiguous_moves: z
    .array(
      named("AmbiguousMove", {
        source_value: z.string(),
        from: z.array(stringPlace).meta({ description: "The first 20 that have gone." }),
        to: z.array(stringPlace).meta({ description: "The first 20 that have come." }),
      }),
    )
    .optional()
    .meta({ description: "With a token that can read: the first 100 of these texts, if there are any." }),
  moves: plannedMoves,
});
export type SyncWithMovesResponse = z.infer<typeof syncWithMovesResponse>;
