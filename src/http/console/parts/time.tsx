/** Points in time, and days. */
import { toTimestamp } from "../../../domain/text.ts";
import { formatDay, formatTime } from "../requests/reader.ts";

/** A time in UTC, which the script replaces by a relative time. @param props.seconds since 1970. */
export function Time({ seconds }: { readonly seconds: number }) {
  const timestamp = toTimestamp(seconds);
  return (
    <time datetime={timestamp} data-ago>
      {formatTime(new Date(timestamp))}
    </time>
  );
}

/** A time in ISO 8601; a dash for none. */
export function TimeOf({ at }: { readonly at: string | undefined }) {
  return at === undefined ? <>–</> : <Time seconds={Date.parse(at) / 1000} />;
}

/** The day of a time in UTC, for times such as an expiry. */
export function Day({ seconds }: { readonly seconds: number }) {
  const timestamp = toTimestamp(seconds);
  return <time datetime={timestamp}>{formatDay(new Date(timestamp))}</time>;
}
