/** JSON put together from parts that are bytes already, and copied once: an answer may have megabytes. */

/** JSON in pieces, in their order. */
type JsonPieces = readonly Uint8Array[];

/** An object whose members are JSON in pieces. */
export function joinObject(members: Readonly<Record<string, JsonPieces>>): Buffer {
  const named = Object.entries(members).map(([name, value]) =>
    [Buffer.from(`${JSON.stringify(name)}:`), value].flat(),
  );
  return Buffer.concat(enclose(named));
}

/** One object of the members of several, all JSON in bytes without blanks around them. */
export function joinMembers(objects: readonly Uint8Array[]): JsonPieces {
  const members = objects.map((object) => object.subarray(1, -1));
  return enclose(members.filter(({ byteLength }) => byteLength > 0).map((member) => [member]));
}

function enclose(members: readonly JsonPieces[]): JsonPieces {
  const comma = Buffer.from(",");
  const parts = members.flatMap((member, i) => (i === 0 ? member : [comma, ...member]));
  return [Buffer.from("{"), ...parts, Buffer.from("}")];
}
