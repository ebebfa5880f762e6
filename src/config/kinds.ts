/** What the text of a setting or a flag may be, and the value it stands for. Messages go on from a name: "must be …". */
import { z } from "zod";
import { parseTrustedProxies, type TrustedProxies } from "../http/requests/client-address.ts";
import { parseCorsOrigins, type CorsOrigins } from "../http/responses/cors.ts";

/** Takes a text, gives a value. */
export type Kind<T> = z.ZodType<T, string>;

const whole = "must be a whole number, 0 or more";

/** A whole number that is not negative. */
export function wholeNumber(): Kind<number> {
  return z
    .string()
    .regex(/^[0-9]+$/, whole)
    .transform(Number)
    .refine(Number.isSafeInteger, whole);
}

/** A whole number from 1. */
export function positiveNumber(): Kind<number> {
  return wholeNumber().refine((number) => number > 0, "must be at least 1");
}

/** A port; 0 takes a free one. */
export function port(): Kind<number> {
  return wholeNumber().refine((number) => number <= 65_535, "must be at most 65535");
}

/** A port, or `off`, which is undefined. */
export function optionalPort(): Kind<number | undefined> {
  return z
    .string()
    .refine(
      (text) => text === "off" || port().safeParse(text).success,
      "must be a port from 0 to 65535, or off",
    )
    .transform((text) => (text === "off" ? undefined : Number(text)));
}

/** The address or name of a host. */
export function host(): Kind<string> {
  return z.string().refine((text) => text.trim() !== "", "must not be empty; 0.0.0.0 listens everywhere");
}

/** The path of a folder. */
export function folder(): Kind<string> {
  return z.string().min(1, "must be the path of a folder");
}

const byteUnits: Readonly<Record<string, number>> = { "": 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };

/** A number of bytes, such as `33554432` or `32MiB`. */
export function byteCount(): Kind<number> {
  return z
    .string()
    .regex(/^[0-9]+(?:[KMG]iB)?$/, "must be a number of bytes, or one with KiB, MiB or GiB")
    .transform((text) => {
      const [, amount, unit = ""] = /^([0-9]+)(.*)$/.exec(text) ?? [];
      return Number(amount) * (byteUnits[unit] ?? NaN);
    })
    .refine(Number.isSafeInteger, "must be a number of bytes that can exist");
}

const seconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };
const centuryMs = 100 * 365 * 86_400_000;
const dayMs = 86_400_000;

/** A span of time such as `90d`, in milliseconds. */
export function duration(): Kind<number> {
  return z
    .string()
    .regex(/^[1-9][0-9]{0,9}[smhd]$/, "must be a number with s, m, h or d, such as 90d")
    .transform((text) => Number(text.slice(0, -1)) * (seconds[text.slice(-1)] ?? NaN) * 1000)
    .refine((ms) => ms <= centuryMs, "must be at most 100 years");
}

/** How long something may take, such as `10m`, in milliseconds. */
export function timeout(): Kind<number> {
  return duration().refine((ms) => ms <= dayMs, "must be at most a day");
}

/** One of some words. */
export function choice<const Words extends readonly string[]>(words: Words): Kind<Words[number]> {
  return z.enum(words, `must be one of ${words.join(", ")}`);
}

/** The proxies whose word about a client's address is taken, see {@link parseTrustedProxies}; `none` is undefined. */
export function trustedProxies(): Kind<TrustedProxies | undefined> {
  return unlessNone(parseTrustedProxies);
}

/** The origins whose pages may use the API, see {@link parseCorsOrigins}; `none` is undefined. */
export function corsOrigins(): Kind<CorsOrigins | undefined> {
  return unlessNone(parseCorsOrigins);
}

/** @param parse throws what is wrong with a text. */
function unlessNone<T>(parse: (text: string) => T): Kind<T | undefined> {
  return z.string().transform((text, { issues }) => {
    try {
      return text === "none" ? undefined : parse(text);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      issues.push({ code: "custom", message, input: text });
      return z.NEVER;
    }
  });
}
