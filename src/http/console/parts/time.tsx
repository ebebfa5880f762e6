/** Points in time, and days. */
import { toTimestamp } from "../../../domain/text.ts";

/** A time in UTC, which the script turns into how long ago it was. @param props.seconds since 1970. */
export function Time({ seconds }: { readonly seconds: number }) {
  const timestamp = toTimestamp(seconds);
  return (
    <time datetime={timestamp} data-ago>
      {timestamp.slice(0, 10)} {timestamp.slice(11, 16)} UTC
    </time>
  );
}

/** The day of a time in UTC, for what is better known by its date: the end of something. */
export function Day({ seconds }: { readonly seconds: number }) {
  const timestamp = toTimestamp(seconds);
  return <time datetime={timestamp}>{timestamp.slice(0, 10)}</time>;
}
