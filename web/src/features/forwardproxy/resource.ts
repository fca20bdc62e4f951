import {
	createForwardproxyAcl,
	createForwardproxyList,
	defineResource,
	defineSettings,
	deleteForwardproxyAcl,
	deleteForwardproxyList,
	type ForwardproxyAcl,
	type ForwardproxyAclInput,
	type ForwardproxyList,
	type ForwardproxyListInput,
	type ForwardproxySettings,
	type ForwardproxySettingsInput,
	getForwardproxyAcl,
	getForwardproxyList,
	getForwardproxySettings,
	getForwardproxySettingsQueryKey,
	listForwardproxyAcls,
	listForwardproxyLists,
	updateForwardproxyAcl,
	updateForwardproxyList,
	updateForwardproxySettings,
} from "@api";
import { nameOf } from "./acl";

/** A new rule is asked last: the others were there before it. */
const lastPlace = 1_000_000;

/** acls are the access rules. Their places are changed by the order of all, not one by one. */
export const acls = defineResource<ForwardproxyAcl, ForwardproxyAclInput>({
	path: "/forward-proxy/acls",
	tag: "forwardproxy",
	component: "forwardproxy",
	name: nameOf,
	list: listForwardproxyAcls,
	get: getForwardproxyAcl,
	create: ({ body, headers }) => createForwardproxyAcl({ body: { ...body, priority: lastPlace }, headers }),
	update: async ({ path, body, headers }) => {
		const { data } = await getForwardproxyAcl({ path });
		return updateForwardproxyAcl({ path, body: { ...body, priority: data.priority }, headers });
	},
	remove: deleteForwardproxyAcl,
});

/** lists are lists of names; what is in them has requests of its own. */
export const lists = defineResource<ForwardproxyList, ForwardproxyListInput>({
	path: "/forward-proxy/lists",
	tag: "forwardproxy",
	component: "forwardproxy",
	name: ({ name }) => name,
	list: listForwardproxyLists,
	get: getForwardproxyList,
	create: createForwardproxyList,
	update: updateForwardproxyList,
	remove: deleteForwardproxyList,
});

export const settings = defineSettings<ForwardproxySettings, ForwardproxySettingsInput>({
	tag: "forwardproxy",
	component: "forwardproxy",
	key: getForwardproxySettingsQueryKey(),
	get: getForwardproxySettings,
	update: updateForwardproxySettings,
});
