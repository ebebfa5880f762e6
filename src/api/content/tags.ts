/** Tags of a Hive, which mark releases. None is ever moved or deleted. */
import { z } from "zod";
import { maxTagNameBytes } from "../../domain/commits/ref-name.ts";
import { asRevision, commitName, named, nullableText, text } from "../objects.ts";
import { operations } from "../operation.ts";
import { author, refPattern } from "./commits.ts";

const newTag = named("NewTag", {
  name: text.meta({
    minLength: 1,
    maxLength: maxTagNameBytes,
    pattern: refPattern,
    description:
      "A name that git accepts and every file system can store, and that does not look like another kind of revision, such as a date.",
  }),
  at: text
    .meta(asRevision)
    .nullish()
    .meta({ description: "The revision to tag, as `?at=` takes it; `main` if not given." }),
});

const tag = named("Tag", {
  name: z.string(),
  commit: commitName,
  time: z.iso.datetime().nullable().meta({
    description:
      "For a lightweight tag, which Skep does not make, this, `tagger`, `message` and `ref` are `null`.",
  }),
  tagger: author.nullable(),
  message: nullableText,
  ref: nullableText,
});

export const tags = operations(
  {
    noun: "tag",
    about: "List and create tags of the Hive, which mark releases.",
    path: "/api/hives/:slug/tags",
    key: "tag",
    names: "name",
    entity: tag,
    label: "name",
    group: "History",
    ability: "read",
    hasCommit: true,
    columns: ["name", "commit", "time", "tagger", "message"],
  },
  (op) => ({
    listTags: op.list({
      summary: "List tags",
      description:
        "Sorted by name. Tags that git made are listed whatever their names. A tag of something else than a commit is counted, but not shown.",
    }),
    createTag: op.create({
      summary: "Create a tag",
      description:
        "Creates an annotated git tag, for example to mark a release. The API cannot move or delete tags.",
      body: newTag,
      example: { name: "v1.2", at: "main" },
      errors: ["conflict", "quota"],
    }),
  }),
);
