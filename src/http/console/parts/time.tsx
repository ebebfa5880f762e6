/** Points in time. */
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
