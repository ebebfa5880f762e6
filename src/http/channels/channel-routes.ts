/** Channels: set, list and remove them. */
import { findChannel, listChannels, removeChannel, setChannel } from "../../service/channels/channels.ts";
import { withExample } from "../openapi/route-docs.ts";
import { hiveRead, hiveWrite, type HiveRoute } from "../pipeline/route.ts";
import { converted } from "../responses/respond.ts";
import {
  channelBody,
  channelRemovedResponse,
  channelResponse,
  channelsResponse,
  type ChannelResponse,
} from "../schemas/channel-schemas.ts";
import { withoutNulls } from "../../domain/record.ts";

const path = "/api/hives/:slug/channels";
const onePath = `${path}/:channel`;
const example: ChannelResponse = {
  name: "production",
  branch: null,
  at: "v1.2",
  commit: "1b2c3d4e5f60718293a4b5c6d7e8f90123456789",
  locales: null,
  shape: "nested",
  state: "approved",
  failing: "source",
  tag: null,
  public: true,
  updated: "2026-01-31T09:30:00.000Z",
  path: "/p/5f0c2a9be14d7730c6a1f0d2/production/",
};
const group = "Channels";

export const channelRoutes: readonly HiveRoute[] = [
  hiveRead({
    id: "listChannels",
    path,
    group,
    summary: "List channels",
    hasCommit: false,
    response: withExample(channelsResponse, { data: [example] }),
    async handler({ storage, hive: { slug } }) {
      return converted(await listChannels(storage, slug), (channels) => ({ data: [...channels] }));
    },
  }),
  hiveRead({
    id: "getChannel",
    path: onePath,
    group,
    summary: "Get a channel",
    hasCommit: false,
    response: withExample(channelResponse, example),
    handler: ({ storage, hive, param }) => findChannel(storage, hive.slug, param("channel")),
  }),
  hiveWrite({
    id: "setChannel",
    method: "PUT",
    path: onePath,
    ability: "admin",
    group,
    summary: "Create, change or move a channel",
    description:
      "Replaces the whole channel. It follows a branch, or stands at a revision, which is resolved once. Setting it to an earlier tag is a rollback.",
    hasCommit: false,
    body: withExample(channelBody, { at: "v1.2", public: true }),
    response: withExample(channelResponse, example),
    errors: ["quota"],
    async handler({ storage, hive, param, body, context }) {
      const request = { ...withoutNulls(body), name: param("channel") };
      return { result: await setChannel(storage, hive.slug, request, context) };
    },
  }),
  hiveWrite({
    id: "removeChannel",
    method: "DELETE",
    path: onePath,
    ability: "admin",
    group,
    summary: "Remove a channel",
    description:
      "Its files and its content addresses are gone at once, and stay so when a channel of this name is created again. Caches keep what they hold.",
    hasCommit: false,
    response: withExample(channelRemovedResponse, { name: "production" }),
    errors: ["not-found"],
    async handler({ storage, hive, param, context }) {
      const name = param("channel");
      await removeChannel(storage, hive.slug, name, context);
      return { result: { name } };
    },
  }),
];
