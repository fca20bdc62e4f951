import {
	defineSettings,
	getProxyBackend,
	getProxyBackendQueryKey,
	getProxyDomain,
	getProxyDomainQueryKey,
	type ProxyBackend,
	type ProxyBackendInput,
	type ProxyDomain,
	type ProxyDomainInput,
	queryClient,
	updateProxyBackend,
	updateProxyDomain,
} from "@api";
import { proxied } from "./resource";

/** inputOf is a site as an update takes it. */
export function inputOf(site: ProxyDomain): ProxyDomainInput {
	const { id: _, revision: __, created_at: ___, updated_at: ____, backend_id, www_redirect, ...rest } = site;
	return {
		...rest,
		backend_id: backend_id ?? undefined,
		www_redirect: www_redirect as ProxyDomainInput["www_redirect"],
	};
}

/** without leaves fields out. */
const without = <T extends object>(from: T, names: string[]) =>
	Object.fromEntries(Object.entries(from).filter(([name]) => !names.includes(name)));

/** siteSettings are one part of a site's settings, the fields of those names; saving leaves the others as they are. */
export function siteSettings(id: string, names: string[]) {
	const key = getProxyDomainQueryKey({ path: { id } });
	// If-Match refuses the whole when somebody changed the others meanwhile.
	const others = () => {
		const known = queryClient.getQueryData<ProxyDomain>(key);
		return known ? without(inputOf(known), names) : {};
	};
	return defineSettings<ProxyDomain, ProxyDomainInput>({
		...proxied,
		key,
		get: ({ signal }) => getProxyDomain({ path: { id }, signal }),
		update: ({ body, headers }) => updateProxyDomain({ path: { id }, body: { ...others(), ...body }, headers }),
	});
}

/** poolSettings are the settings of one pool. */
export const poolSettings = (id: string) =>
	defineSettings<ProxyBackend, ProxyBackendInput>({
		...proxied,
		key: getProxyBackendQueryKey({ path: { id } }),
		get: ({ signal }) => getProxyBackend({ path: { id }, signal }),
		update: ({ body, headers }) => updateProxyBackend({ path: { id }, body, headers }),
	});
