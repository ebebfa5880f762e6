/**
 * An object to which members of any name can be added. It has no prototype, so that `__proto__` is a name like any other.
 */
export function emptyRecord<T>(): Record<string, T> {
  const record: Record<string, T> = Object.create(null);
  return record;
}

/** The member of a name; never an inherited one, such as `constructor`. */
export function ownMember<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** Whether a value is an object or a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** Whether a value is an object, and no list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && !Array.isArray(value);
}

/** The type of {@link withoutNulls}. */
type WithoutNulls<T> = {
  readonly [K in keyof T]: Exclude<T[K], null> | (null extends T[K] ? undefined : never);
};

/** An object without the members that are null: in requests, one that is null is one that is not given. */
export function withoutNulls<T extends object>(object: T): WithoutNulls<T>;
export function withoutNulls(object: object): object {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}
