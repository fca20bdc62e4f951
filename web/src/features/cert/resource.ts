import {
	type CertInputWritable,
	type Certificate,
	type CertProvider,
	type CertProviderInput,
	createCertCertificate,
	createCertDnsProvider,
	defineResource,
	deleteCertCertificate,
	deleteCertDnsProvider,
	getCertCertificate,
	getCertDnsProvider,
	listCertCertificates,
	listCertDnsProviders,
	updateCertCertificate,
	updateCertDnsProvider,
} from "@api";
import { byHostName } from "@ui/hostName";
import { type Flat, flatOf, nestedOf } from "./provider";

export const certificates = defineResource<Certificate, CertInputWritable>({
	path: "/certificates",
	tag: "cert",
	component: "cert",
	name: (certificate) => certificate.names[0] ?? "",
	list: byHostName(listCertCertificates),
	get: getCertCertificate,
	create: createCertCertificate,
	update: updateCertCertificate,
	remove: deleteCertCertificate,
});

type Answer<T> = { data: T; response: Response };

const flat = ({ data, response }: Answer<CertProvider>) => ({ data: flatOf(data), response });

// A form has a field for each setting; the API has them in one.
export const providers = defineResource<CertProvider & Flat, CertProviderInput & Flat>({
	path: "/certificates/dns-providers",
	tag: "cert",
	name: (provider) => provider.name,
	list: async (options) => {
		const { data, response } = await listCertDnsProviders(options);
		return { data: data.map(flatOf), response };
	},
	get: async (options) => flat(await getCertDnsProvider(options)),
	create: async ({ body, headers }) => flat(await createCertDnsProvider({ body: nestedOf(body), headers })),
	update: async ({ path, body, headers }) => flat(await updateCertDnsProvider({ path, body: nestedOf(body), headers })),
	remove: deleteCertDnsProvider,
});
