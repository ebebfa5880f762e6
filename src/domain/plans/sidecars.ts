/** All kinds of values that lie beside texts and strings. What goes for all of them goes over this list. */
import { notesKind } from "../notes/notes-kind.ts";
import { acceptedKind } from "../sidecars/accepted.ts";
import { reviewKind } from "../sidecars/review.ts";
import type { Sidecar } from "../sidecars/sidecar.ts";
import { staleKind } from "../sidecars/stale.ts";

export const sidecars: readonly Sidecar<unknown>[] = [staleKind, reviewKind, acceptedKind, notesKind];
