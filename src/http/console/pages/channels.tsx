/** The channels of a Hive, which publish its texts for apps. */
import { z } from "zod";
import { allows } from "../../../domain/access/token.ts";
import { listChannels, type ChannelInfo } from "../../../service/channels/channels.ts";
import { channelOperations } from "../../operations/channels.ts";
import { check } from "../../schemas/schemas.ts";
import { namedStates } from "../parts/hive-states.ts";
import { hivePage, Listing, ListWithForm } from "../parts/navigation.tsx";
import { hiveOperationForms, OperationButtons, OperationForm } from "../parts/operation-form.tsx";
import { offersOf, type Offers } from "../parts/member-fields.ts";
import { Code, Name, TimeOf } from "../parts/text.tsx";
import type { FormState } from "../requests/form.ts";
import type { HiveRequest, PageRoute, View } from "../requests/page.ts";
import { comma, t, textIn } from "../texts/texts.ts";

const channelPage = { implemented: channelOperations, path: "channels" };

/** `change` names the channel whose settings fill in the form. */
const channelsQuery = z.object({ change: z.string().optional() });

async function channelsOf({ storage, hive }: HiveRequest): Promise<readonly ChannelInfo[]> {
  return (await listChannels(storage, hive.slug)).read();
}

async function offersFor(request: HiveRequest): Promise<Offers> {
  return { ...offersOf(request.session.caller), states: await namedStates(request) };
}

async function show(request: HiveRequest, submitted?: FormState): Promise<View> {
  const { session, query, canWrite } = request;
  const channels = await channelsOf(request);
  const canManage = canWrite && allows(session.caller.principal, "admin");
  const { change } = check(channelsQuery, submitted?.values ?? query, "query");
  const changed = channels.find(({ name }) => name === change);
  return hivePage(
    request,
    "Channels",
    <>
      <ListWithForm
        list={
          <Listing
            none={t("channels.no_app_reads_the_texts")}
            columns={["channel", "publishes", "locales", "files", "address", "set"]}
            rows={channels.map((each) => ({
              cells: cellsOf(request, each),
              action: canManage ? <OperationButtons page={channelPage} entity={{ ...each }} /> : undefined,
            }))}
          />
        }
        form={
          canManage && (
            <OperationForm
              page={channelPage}
              offers={await offersFor(request)}
              edited={changed && { ...changed }}
              title={changed && t("channels.change", { name: changed.name })}
              submitted={submitted}
            />
          )
        }
      />
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
    locales === null ? t("common.all_of_them") : locales.join(comma()),
    [
      textIn("option", `channels.shape.${shape}`) ?? shape,
      ...(shown.state === null ? [] : [t("channels.approved_texts")]),
    ].join(comma()),
    shown.public ? (
      <Code name={`${origin}${path}`} />
    ) : (
      <span class="mark waiting">{t("channels.not_public_now")}</span>
    ),
    <TimeOf at={shown.updated} />,
  ];
}

export const channelPages: readonly PageRoute[] = [
  { kind: "hive", path: "/hives/:slug/channels", handler: (request) => show(request) },
  ...hiveOperationForms({
    ...channelPage,
    show,
    editing: async (request, wanted) => {
      const entity = (await channelsOf(request)).find(({ name }) => name === wanted);
      return entity && { entity: { ...entity }, offers: await offersFor(request) };
    },
    done: async ({ verb }, _answer, { hiveLink }) => {
      return { to: hiveLink(["channels"]), notice: verb === "delete" ? "deleted" : "saved" };
    },
  }),
];
