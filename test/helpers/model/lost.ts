/** What stands beside texts goes with them. */
import { dropLostAccepted } from "./accepted.ts";
import { dropLostNotes } from "./notes.ts";
import { dropLostPictures } from "./pictures.ts";
import { dropLostReviews } from "./reviews.ts";

type Beside = Parameters<typeof dropLostAccepted>[0] &
  Parameters<typeof dropLostNotes>[0] &
  Parameters<typeof dropLostPictures>[0] &
  Parameters<typeof dropLostReviews>[0];

/** Removes what belongs to nothing that is there. */
export function dropLost(state: Beside): void {
  for (const drop of [dropLostAccepted, dropLostNotes, dropLostPictures, dropLostReviews]) drop(state);
}
