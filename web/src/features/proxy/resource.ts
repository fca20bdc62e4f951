import {
	createProxyBackend,
	createProxyDomain,
	createProxyTcpService,
	defineResource,
	deleteProxyBackend,
	deleteProxyDomain,
	deleteProxyTcpService,
	getProxyBackend,
	getProxyDomain,
	getProxyTcpService,
	listProxyBackends,
	listProxyDomains,
	listProxyTcpServices,
	type ProxyBackend,
	type ProxyBackendInput,
	type ProxyDomain,
	type ProxyDomainInput,
	type ProxyPort,
	type ProxyPortInput,
	updateProxyBackend,
	updateProxyDomain,
	updateProxyTcpService,
} from "@api";
import { byHostName } from "@ui/hostName";

/** proxied is what all resources of the reverse proxy have in common. */
export const proxied = { tag: "proxy", component: "proxy" } as const;

export const sites = defineResource<ProxyDomain, ProxyDomainInput>({
	...proxied,
	path: "/domains",
	name: (site) => site.name,
	list: byHostName(listProxyDomains),
	get: getProxyDomain,
	create: createProxyDomain,
	update: updateProxyDomain,
	remove: deleteProxyDomain,
});

export const pools = defineResource<ProxyBackend, ProxyBackendInput>({
	...proxied,
	path: "/backends",
	name: (pool) => pool.name,
	list: listProxyBackends,
	get: getProxyBackend,
	create: createProxyBackend,
	update: updateProxyBackend,
	remove: deleteProxyBackend,
});

export const services = defineResource<ProxyPort, ProxyPortInput>({
	...proxied,
	path: "/tcp-services",
	name: (service) => service.name,
	list: listProxyTcpServices,
	get: getProxyTcpService,
	create: createProxyTcpService,
	update: updateProxyTcpService,
	remove: deleteProxyTcpService,
});
