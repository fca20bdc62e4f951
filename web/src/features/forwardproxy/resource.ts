import {
	createForwardproxyAcl,
	defineResource,
	defineSettings,
	deleteForwardproxyAcl,
	type ForwardproxyAcl,
	type ForwardproxyAclInput,
	type ForwardproxySettings,
	type ForwardproxySettingsInput,
	getForwardproxyAcl,
	getForwardproxySettings,
	getForwardproxySettingsQueryKey,
	listForwardproxyAcls,
	updateForwardproxyAcl,
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

export const settings = defineSettings<ForwardproxySettings, ForwardproxySettingsInput>({
	tag: "forwardproxy",
	component: "forwardproxy",
	key: getForwardproxySettingsQueryKey(),
	get: getForwardproxySettings,
	update: updateForwardproxySettings,
});
