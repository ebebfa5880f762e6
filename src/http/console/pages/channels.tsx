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
import { channelBody } from "../../../api/channels.ts";
import { check } from "../../schemas/schemas.ts";
import { namedStates } from "../parts/hive-states.ts";
import { hivePage, Listing } from "../parts/navigation.tsx";
import { hiveForm, PageForm, type HiveForm } from "../parts/page-form.tsx";
import type { FormField } from "../parts/fields.tsx";
import { Confirm, Unseen } from "../parts/post-form.tsx";
import { Code, Name, TimeOf } from "../parts/text.tsx";
import type { FormState } from "../requests/form.ts";
import type { HiveFormRequest, HiveRequest, PageResult, PageRoute, View } from "../requests/page.ts";
import { withoutNulls } from "../../../domain/record.ts";
import { t } from "../texts/texts.ts";

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
      <Listing
        none={t("channels.no_app_reads_the_texts")}
        columns={["channel", "publishes", "locales", "files", "address", "set"]}
        rows={channels.map((each) => ({
          cells: cellsOf(request, each),
          action: canManage ? (
            <>
              <a href={hiveLink(["channels"], { change: each.name })}>
                {t("common.change")} <Unseen name={each.name} />
              </a>
              <Confirm of="channels/remove" what={each.name} hidden={{ name: each.name }} />
            </>
          ) : undefined,
        }))}
      />
      {canManage && (
        <PageForm
          title={
            changed === undefined ? t("channels.new_channel") : t("channels.change", { name: changed.name })
          }
          of={channel}
          submitted={submitted}
          fields={fieldsOf(await namedStates(request), changed)}
          hidden={changed && { change: changed.name }}
        />
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
          {t("channels.the_branch", {
            branch: (
              <Name
                name={branch}
                href={commit === null ? undefined : hiveLink(branch === "main" ? [] : ["branches", branch])}
              />
            ),
          })}
        </>
      )}{" "}
      {commit === null ? (
        <span class="mark failing">{t("channels.its_branch_is_gone")}</span>
      ) : (
        <a href={hiveLink(["history", commit])}>
          <code>{commit.slice(0, 10)}</code>
        </a>
      )}
    </>,
    locales === null ? "all" : locales.join(", "),
    [shape, ...(shown.state === null ? [] : [t("channels.approved_texts")])].join(", "),
    shown.public ? (
      <Code name={`${origin}${path}`} />
    ) : (
      <span class="mark waiting">{t("channels.not_public_now")}</span>
    ),
    <TimeOf at={shown.updated} />,
  ];
}

/** The fields of every member that {@link setChannel} takes, since it replaces the whole channel. */
function fieldsOf(states: readonly string[], changed: ChannelInfo | undefined): FormField[] {
  const { at, branch, locales, shape, state, failing, tag, public: isPublic = true } = changed ?? {};
  const name = { name: "name", required: true, placeholder: "production" } as const;
  return [
    ...(changed === undefined ? [name] : []),
    { name: "at", value: at, options: states, placeholder: "v1.2" },
    { name: "branch", value: branch, placeholder: "main" },
    { name: "locales", value: locales?.join(", "), placeholder: "fr, pt_BR" },
    { name: "tag", value: tag, placeholder: "app" },
    { kind: "one", name: "shape", options: ["nested", "flat"], value: shape },
    { kind: "switch", name: "approved", isOn: state === "approved" },
    {
      kind: "one",
      name: "failing",
      all: t("channels.as_they_are"),
      options: ["source", "omit"],
      value: failing ?? undefined,
    },
    { kind: "switch", name: "public", isOn: isPublic },
  ];
}

const channel: HiveForm = {
  path: "channels",
  button: "channels.set",
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
    if (body.at !== undefined && body.branch !== undefined) throw invalid("at", t("channels.not_both"));
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
