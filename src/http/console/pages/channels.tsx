/** The channels of a Hive, which publish its texts for apps. */
import { z } from "zod";
import { allows } from "../../../domain/access/token.ts";
import { invalid } from "../../../domain/errors.ts";
import {
  listChannels,
  removeChannel,
  setChannel,
  type ChannelInfo,
} from "../../../service/channels/channels.ts";
import { channelBody } from "../../schemas/channel-schemas.ts";
import { check } from "../../schemas/schemas.ts";
import { namedStates } from "../parts/hive-states.ts";
import { hivePage } from "../parts/navigation.ts";
import { hiveForm, PageForm, type FormField, type HiveForm } from "../parts/page-form.tsx";
import { Listing } from "../parts/listing.tsx";
import { Confirm, HiddenFields } from "../parts/post-form.tsx";
import { Code, Name } from "../parts/text.tsx";
import { TimeOf } from "../parts/time.tsx";
import type { FormState } from "../requests/form-state.ts";
import type { HiveFormRequest, HiveRequest, PageResult, PageRoute, View } from "../requests/page.ts";
import { withoutNulls } from "../../../domain/record.ts";

/** `change` names the channel whose settings fill in the form. */
const channelsQuery = z.object({ change: z.string().optional() });

async function show(request: HiveRequest, submitted?: FormState): Promise<View> {
  const { storage, session, hive, hiveLink, query, canWrite } = request;
  const channels = await (await listChannels(storage, hive.slug)).read();
  const canManage = canWrite && allows(session.caller.principal, "admin");
  const { change } = check(channelsQuery, submitted?.values ?? query, "query");
  const changed = channels.find(({ name }) => name === change);
  return hivePage(
    request,
    "Channels",
    <>
      {channels.length === 0 ? (
        <p>No app reads the texts of this Hive by itself yet. A channel has an address that it can read.</p>
      ) : (
        <Listing
          columns={["Channel", "Publishes", "Locales", "Files", "Address", "Set"]}
          rows={channels.map((each) => ({
            cells: cellsOf(request, each),
            action: canManage ? (
              <>
                <a href={hiveLink(["channels"], { change: each.name })}>
                  Change <span class="visually-hidden">{each.name}</span>
                </a>
                <Confirm
                  session={session}
                  to={hiveLink(["channels", "remove"])}
                  label="Remove…"
                  what={each.name}
                  button={`Remove ${each.name}`}
                  fields={{ name: each.name }}
                >
                  <p>Its addresses are gone at once, and stay so when another of this name is made.</p>
                </Confirm>
              </>
            ) : undefined,
          }))}
        />
      )}
      {canManage && (
        <>
          <h2>{changed === undefined ? "New channel" : `Change ${changed.name}`}</h2>
          <PageForm
            of={channel}
            request={request}
            submitted={submitted}
            fields={fieldsOf(await namedStates(request), changed)}
          >
            {changed && <HiddenFields fields={{ change: changed.name }} />}
          </PageForm>
        </>
      )}
    </>,
  );
}

function cellsOf({ origin, hiveLink }: HiveRequest, shown: ChannelInfo) {
  const { name, branch, at, commit, locales, shape, path } = shown;
  return [
    <Name name={name} />,
    <>
      {branch === null ? (
        <Name name={at ?? ""} />
      ) : (
        <>
          the branch <Name name={branch} />
        </>
      )}{" "}
      {commit === null ? (
        <span class="mark failing">its branch is gone</span>
      ) : (
        <a href={hiveLink(["history", commit])}>
          <code>{commit.slice(0, 10)}</code>
        </a>
      )}
    </>,
    locales === null ? "all" : locales.join(", "),
    [shape, ...(shown.state === null ? [] : ["approved texts"])].join(", "),
    shown.public ? <Code name={`${origin}${path}`} /> : <span class="mark waiting">not public now</span>,
    <TimeOf at={shown.updated} />,
  ];
}

/** The fields of every member that {@link setChannel} takes, since it replaces the whole channel. */
function fieldsOf(states: readonly string[], changed: ChannelInfo | undefined): FormField[] {
  const earlier = "A tag, a commit or a date; setting it to an earlier one takes a release back.";
  const shapes = [
    ["nested", "nested, as the source is"],
    ["flat", "flat"],
  ] as const;
  const { at, branch, locales, shape, state, failing, tag, public: isPublic = true } = changed ?? {};
  const name: FormField = { name: "name", label: "Name", required: true, placeholder: "production" };
  const all = "Empty for all.";
  return [
    ...(changed === undefined ? [name] : []),
    {
      name: "at",
      label: "Stands at",
      value: at ?? "",
      options: states,
      placeholder: "v1.2",
      hint: earlier,
    },
    { name: "branch", label: "Or follows the branch", value: branch ?? "", placeholder: "main" },
    {
      name: "locales",
      label: "Locales",
      value: locales?.join(", ") ?? "",
      placeholder: "fr, pt_BR",
      hint: all,
    },
    { name: "tag", label: "Strings with one of the tags", value: tag ?? "", placeholder: "app", hint: all },
    { kind: "one", name: "shape", label: "Files", options: shapes, value: shape },
    { kind: "switch", name: "approved", label: "Only approved texts", isOn: state === "approved" },
    {
      kind: "one",
      name: "failing",
      label: "Texts with errors",
      options: [
        ["", "as they are"],
        ["source", "the source text instead"],
        ["omit", "left out"],
      ],
      value: failing ?? "",
    },
    { kind: "switch", name: "public", label: "Everybody can read it", isOn: isPublic },
  ];
}

const channel: HiveForm = {
  path: "channels",
  button: "Set",
  ability: "admin",
  take: async ({ storage, hive, hiveLink, form, context }) => {
    const body = {
      branch: form.word("branch"),
      at: form.word("at"),
      locales: form.words("locales"),
      shape: form.text("shape"),
      state: form.text("approved") === "true" ? "approved" : undefined,
      failing: form.word("failing"),
      tag: form.word("tag"),
      public: form.text("public") === "true",
    };
    const sent = check(channelBody, body, "form");
    const changed = form.word("change");
    const name = changed ?? form.word("name") ?? "";
    const present = await (await listChannels(storage, hive.slug)).read();
    if (changed === undefined && present.some((other) => other.name === name))
      throw invalid("name", "is there already; change it in the list");
    await setChannel(storage, hive.slug, { ...withoutNulls(sent), name }, context);
    return { to: hiveLink(["channels"]), notice: "saved" };
  },
};

async function remove({ storage, hive, hiveLink, form, context }: HiveFormRequest): Promise<PageResult> {
  await removeChannel(storage, hive.slug, form.text("name"), context);
  return { to: hiveLink(["channels"]), notice: "deleted" };
}

const path = "/hives/:slug/channels";

export const channelPages: readonly PageRoute[] = [
  { kind: "hive", path, handler: (request) => show(request) },
  hiveForm(channel, show),
  { kind: "hive-form", path: `${path}/remove`, ability: "admin", handler: remove },
];
