import {
	createProxyHeader,
	createProxyRoutingRule,
	createProxyServer,
	createProxyUser,
	defineResource,
	deleteProxyHeader,
	deleteProxyRoutingRule,
	deleteProxyServer,
	deleteProxyUser,
	getProxyHeader,
	getProxyRoutingRule,
	getProxyServer,
	getProxyUser,
	listProxyHeaders,
	listProxyRoutingRules,
	listProxyServers,
	listProxyUsers,
	type ProxyHeader,
	type ProxyHeaderInput,
	type ProxyRule,
	type ProxyRuleInput,
	type ProxyServer,
	type ProxyServerInput,
	type ProxyUser,
	type ProxyUserInputWritable,
	type Resource,
	type Row,
	updateProxyHeader,
	updateProxyRoutingRule,
	updateProxyServer,
	updateProxyUser,
} from "@api";
import { proxied } from "./resource";

/**
 * partsOf are those rows of a collection that belong to one owner: they alone are listed, and what is saved belongs
 * to it without being asked.
 */
function partsOf<R extends Row, In extends object>(
	all: Pick<Resource<R, In>, "path" | "name" | "list" | "get" | "create" | "update" | "remove">,
	column: "backend_id" | "domain_id",
	owner: string,
): Resource<R, In> {
	const owned = (body: In): In => ({ ...body, [column]: owner });
	return defineResource<R, In>({
		...proxied,
		...all,
		of: owner,
		list: ({ query, signal }) =>
			all.list({ query: { ...query, filter: `${column}:${owner}` } as typeof query, signal }),
		create: ({ body, headers }) => all.create({ body: owned(body), headers }),
		update: ({ path, body, headers }) => all.update({ path, body: owned(body), headers }),
	});
}

/** serversOf are the servers of a pool. */
export const serversOf = (pool: string) =>
	partsOf<ProxyServer, ProxyServerInput>(
		{
			path: "/backend-servers",
			name: (server) => server.name,
			list: listProxyServers,
			get: getProxyServer,
			create: createProxyServer,
			update: updateProxyServer,
			remove: deleteProxyServer,
		},
		"backend_id",
		pool,
	);

/** headersOf are the fields that the answers of a site carry. */
export const headersOf = (site: string) =>
	partsOf<ProxyHeader, ProxyHeaderInput>(
		{
			path: "/domain-headers",
			name: (header) => header.name,
			list: listProxyHeaders,
			get: getProxyHeader,
			create: createProxyHeader,
			update: updateProxyHeader,
			remove: deleteProxyHeader,
		},
		"domain_id",
		site,
	);

/** loginsOf are those who may use a site that asks for a name and a password. */
export const loginsOf = (site: string) =>
	partsOf<ProxyUser, ProxyUserInputWritable>(
		{
			path: "/domain-users",
			name: (user) => user.name,
			list: listProxyUsers,
			get: getProxyUser,
			create: createProxyUser,
			update: updateProxyUser,
			remove: deleteProxyUser,
		},
		"domain_id",
		site,
	);

/** A new rule stands last: the others were there before it. */
const lastPlace = 1_000_000;

/** rulesOf are the parts of a site that lead to other pools. Their places are changed by the order of all, not one by one. */
export const rulesOf = (site: string) =>
	partsOf<ProxyRule, ProxyRuleInput>(
		{
			path: "/routing-rules",
			name: (rule) => rule.path_prefix,
			list: listProxyRoutingRules,
			get: getProxyRoutingRule,
			create: ({ body, headers }) => createProxyRoutingRule({ body: { ...body, priority: lastPlace }, headers }),
			update: async ({ path, body, headers }) => {
				const { data } = await getProxyRoutingRule({ path });
				return updateProxyRoutingRule({ path, body: { ...body, priority: data.priority }, headers });
			},
			remove: deleteProxyRoutingRule,
		},
		"domain_id",
		site,
	);
