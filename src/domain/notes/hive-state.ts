/** The state of a Hive that plans compare: its texts, and everything that lies beside them. */
import type { Pictures } from "../pictures/picture.ts";
import { reviewKind } from "../sidecars/review.ts";
import { SidecarValues } from "../sidecars/sidecar.ts";
import { staleKind } from "../sidecars/stale.ts";
import type { ContentWithMarkers } from "../strings/stale.ts";
import type { Notes } from "./note.ts";
import { notesKind } from "./notes-kind.ts";

/** A Hive's content with everything that is stored beside it, as far as it can be read. */
export interface HiveState extends ContentWithMarkers {
  /** The values of all kinds; undefined where there are none. */
  readonly values?: SidecarValues;
  /** Where they are left out, nothing is known of them. */
  readonly pictures?: Pictures;
}

/** The parts of a state that values make up. */
export function withValues(values: SidecarValues): Pick<HiveState, "values" | "markers" | "reviews"> {
  return { values, markers: values.of(staleKind), reviews: values.of(reviewKind) };
}

/** The values of a state. */
export function valuesIn({ values }: Pick<HiveState, "values">): SidecarValues {
  return values ?? new SidecarValues();
}

/** The notes of a state. */
export function notesIn({ values, content }: HiveState): Notes {
  return valuesIn({ values }).of(notesKind).get(content.settings.sourceLocale.code) ?? new Map();
}
