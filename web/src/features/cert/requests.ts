import {
	type Certificate,
	checkCertificate,
	getAcmeOptions,
	getCertCertificateOptions,
	getCertificateChain,
	invalidate,
	listCertDnsProviderKindsOptions,
	listCertDnsProvidersOptions,
	listCertificateDomainsOptions,
	renewCertificate,
	type SystemAcme,
	setAcme,
	summariseCertificatesOptions,
} from "@api";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { Choice } from "@ui";

/** What the scheduler was asked for comes some seconds later. */
const soon = 2_000;

export const useSummary = () => useQuery({ ...summariseCertificatesOptions(), refetchInterval: 10_000 }).data;

export const useCertificate = (id: string) =>
	useQuery({ ...getCertCertificateOptions({ path: { id } }), refetchInterval: soon });

/** useChain is what clients are sent; another serial is another chain. */
export const useChain = ({ id, serial }: Certificate) =>
	useQuery({
		queryKey: ["cert", "chain", id, serial],
		queryFn: async ({ signal }) => (await getCertificateChain({ path: { id }, signal })).data,
	});

/** useDomainsOf are the domains whose visitors get this certificate. */
export const useDomainsOf = (id: string) => useQuery(listCertificateDomainsOptions({ path: { id } }));

const most = 1000;

/** useProviderChoices lets a form choose who changes the records. */
export const useProviderChoices = (): Choice[] =>
	(useQuery(listCertDnsProvidersOptions({ query: { limit: most, sort: "name" } })).data ?? []).map(({ id, name }) => ({
		value: id,
		label: name,
	}));

/** useKindTitle is what people call a kind of provider. */
export function useKindTitle(): (kind: string) => string {
	const { data = [] } = useQuery({ ...listCertDnsProviderKindsOptions(), staleTime: Number.POSITIVE_INFINITY });
	return (kind) => data.find((one) => one.kind === kind)?.title ?? kind;
}

/** useRenew has a certificate ordered anew, now. */
export const useRenew = () =>
	useMutation({
		mutationFn: ({ id }: Certificate) => renewCertificate({ path: { id } }),
		onSettled: () => invalidate("cert", "audit"),
	});

/** useCheck has looked at what ordering depends on. */
export const useCheck = () =>
	useMutation({
		mutationFn: ({ id }: Certificate) => checkCertificate({ path: { id } }),
		onSettled: () => invalidate("cert", "audit"),
	});

export const useAuthority = () => useQuery(getAcmeOptions());

export const useSetAuthority = () =>
	useMutation({
		mutationFn: (body: SystemAcme) => setAcme({ body }),
		onSuccess: () => invalidate("system", "cert", "audit"),
	});
