/** What the operations of channels do. */
import { channels } from "../../api/channels.ts";
import { withoutNulls } from "../../domain/record.ts";
import {
  createChannel,
  editChannel,
  findChannel,
  listChannels,
  removeChannel,
  setChannel,
} from "../../service/channels/channels.ts";
import { converted } from "../responses/respond.ts";
import { implementOnHive } from "./implement.ts";

/** The members of a body as services take them. */
function inDomain<Body extends { readonly min_complete?: number | null }>({
  min_complete: minComplete,
  ...others
}: Body) {
  return { ...others, minComplete };
}

export const channelOperations = implementOnHive(channels, {
  listChannels: async ({ storage, hive: { slug } }) =>
    converted(await listChannels(storage, slug), (all) => ({ data: [...all] })),
  createChannel: async ({ storage, hive, body, context }) => {
    const request = { public: true, ...withoutNulls(inDomain(body)) };
    return { result: await createChannel(storage, hive.slug, request, context) };
  },
  getChannel: ({ storage, hive, param }) => findChannel(storage, hive.slug, param("channel")),
  setChannel: async ({ storage, hive, param, body, context }) => {
    const request = { ...withoutNulls(inDomain(body)), name: param("channel") };
    return { result: await setChannel(storage, hive.slug, request, context) };
  },
  updateChannel: async ({ storage, hive, param, body, context }) => ({
    result: await editChannel(storage, hive.slug, param("channel"), inDomain(body), context),
  }),
  removeChannel: async ({ storage, hive, param, context }) => {
    const name = param("channel");
    await removeChannel(storage, hive.slug, name, context);
    return { result: { name } };
  },
});
