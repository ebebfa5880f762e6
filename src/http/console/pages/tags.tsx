/** The tags of a Hive. */
import { z } from "zod";
import { createTag, listTags } from "../../../service/content/tags.ts";
import { toOffsetLimit } from "../../schemas/page.ts";
import { check, pageQuery } from "../../schemas/schemas.ts";
import { hivePage } from "../parts/navigation.ts";
import { hiveForm, PageForm, type HiveForm } from "../parts/page-form.tsx";
import { Pager } from "../parts/pager.tsx";
import { TagList } from "../parts/tag-list.tsx";
import type { FormState } from "../requests/form-state.ts";
import type { HiveRequest, PageRoute, View } from "../requests/page.ts";

const perPage = 100;
/** `at` fills in the form; pages of commits link here with it. */
const tagsQuery = pageQuery.pick({ page: true }).extend({ at: z.string().optional() });

const newTag: HiveForm = {
  path: "tags",
  button: "Tag",
  ability: "write",
  take: async ({ storage, hive, hiveLink, form, context }) => {
    const wanted = { name: form.word("name") ?? "", at: form.word("at") };
    await createTag(storage, hive.slug, wanted, context);
    return { to: hiveLink(["tags"]), notice: "tagged" };
  },
};

async function show(request: HiveRequest, submitted?: FormState): Promise<View> {
  const { storage, hive, hiveLink, query, canWrite } = request;
  const { page, at } = check(tagsQuery, submitted === undefined ? query : {}, "query");
  const paging = { page, per_page: perPage };
  const { tags, total } = await (await listTags(storage, hive.slug, toOffsetLimit(paging))).read();
  return hivePage(
    request,
    "Tags",
    <>
      {total === 0 && <p>There is none yet. A tag names a state for ever, such as that of a release.</p>}
      <TagList tags={tags} hiveLink={hiveLink} />
      <Pager paging={paging} total={total} to={(other) => hiveLink(["tags"], { page: other })} />
      {canWrite && (
        <>
          <h2>New tag</h2>
          <PageForm
            of={newTag}
            request={request}
            submitted={submitted}
            fields={[
              {
                name: "name",
                label: "Name",
                required: true,
                placeholder: "v1.2",
                hint: "It cannot be moved.",
              },
              { name: "at", label: "At", value: at, placeholder: "main", hint: "A commit or a date." },
              { name: "message", label: "Why" },
            ]}
          />
        </>
      )}
    </>,
  );
}

export const tagPages: readonly PageRoute[] = [
  { kind: "hive", path: "/hives/:slug/tags", isSlow: true, handler: (request) => show(request) },
  hiveForm(newTag, show),
];
