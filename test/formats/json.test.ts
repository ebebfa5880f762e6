import { describe } from "vitest";
import { json } from "../../src/formats/json.ts";
import { describeProperties } from "../helpers/format-properties.ts";

describe("JSON", () => {
  describeProperties(json, { empties: ["{}\n"] });
});
