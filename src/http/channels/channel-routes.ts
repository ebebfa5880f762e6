/** Channels: set, list and remove them. */
import { findChannel, listChannels, removeChannel, setChannel } from "../../service/channels/channels.ts";
import type { Versioned } from "../../service/content/queries.ts";
import { withExample, type RouteDocs } from "../openapi/route-docs.ts";
import type { HiveRequest, HiveRoute, WriteRequest } from "../pipeline/route.ts";
import { rendered } from "../responses/respond-read.ts";
import { respondJson, toJson } from "../responses/respond.ts";
import {
  channelBody,
  channelRemovedResponse,
  channelResponse,
  channelsResponse,
  type ChannelRemovedResponse,
  type ChannelResponse,
  type ChannelsResponse,
} from "../schemas/channel-schemas.ts";
import { check } from "../schemas/schemas.ts";

async function list({ storage, hive: { slug } }: HiveRequest): Promise<Versioned<Uint8Array>> {
  return rendered(await listChannels(storage, slug), ["channels", slug], (channels) => {
    const response: ChannelsResponse = { data: [...channels] };
    return toJson(response);
  });
}

async function show({ storage, hive: { slug }, param }: HiveRequest): Promise<Versioned<Uint8Array>> {
  const found = await findChannel(storage, slug, param("channel"));
  return rendered(found, ["channel", slug], (channel) => toJson(channel satisfies ChannelResponse));
}

async function set({ storage, hive, param, readJson, context }: WriteRequest): Promise<Response> {
  const { branch, at, locales, shape, failing, ...body } = check(channelBody, await readJson(), "body");
  const request = {
    name: param("channel"),
    branch: branch ?? undefined,
    at: at ?? undefined,
    locales: locales ?? undefined,
    shape: shape ?? undefined,
    failing: failing ?? undefined,
    public: body.public,
  };
  const response: ChannelResponse = await setChannel(storage, hive.slug, request, context);
  return respondJson(response);
}

async function remove({ storage, hive, param, context }: WriteRequest): Promise<Response> {
  const name = param("channel");
  await removeChannel(storage, hive.slug, name, context);
  const response: ChannelRemovedResponse = { name };
  return respondJson(response);
}

const path = "/api/hives/:slug/channels";
const onePath = `${path}/:channel`;
const example: ChannelResponse = {
  name: "production",
  branch: null,
  at: "v1.2",
  commit: "1b2c3d4e5f60718293a4b5c6d7e8f90123456789",
  locales: null,
  shape: "nested",
  failing: "source",
  public: true,
  updated: "2026-01-31T09:30:00.000Z",
  path: "/p/5f0c2a9be14d7730c6a1f0d2/production/",
};
const group: RouteDocs["group"] = "Channels";

export const channelRoutes: readonly HiveRoute[] = [
  {
    kind: "hive-read",
    method: "GET",
    path,
    ability: "read",
    handler: list,
    docs: {
      id: "listChannels",
      group,
      summary: "List channels",
      hasCommit: false,
      response: withExample(channelsResponse, { data: [example] }),
    },
  },
  {
    kind: "hive-read",
    method: "GET",
    path: onePath,
    ability: "read",
    handler: show,
    docs: {
      id: "getChannel",
      group,
      summary: "Get a channel",
      hasCommit: false,
      response: withExample(channelResponse, example),
    },
  },
  {
    kind: "hive-write",
    method: "PUT",
    path: onePath,
    ability: "admin",
    handler: set,
    docs: {
      id: "setChannel",
      group,
      summary: "Create, change or move a channel",
      description:
        "Replaces the whole channel. It follows a branch, or stands at a revision, which is resolved once. Setting it to an earlier tag is a rollback.",
      hasCommit: false,
      body: withExample(channelBody, { at: "v1.2", public: true }),
      response: withExample(channelResponse, example),
      errors: ["quota"],
    },
  },
  {
    kind: "hive-write",
    method: "DELETE",
    path: onePath,
    ability: "admin",
    handler: remove,
    docs: {
      id: "removeChannel",
      group,
      summary: "Remove a channel",
      description:
        "Its files and its content addresses are gone at once, and stay so when a channel of this name is created again. Caches keep what they hold.",
      hasCommit: false,
      response: withExample(channelRemovedResponse, { name: "production" }),
      errors: ["not-found"],
    },
  },
];
