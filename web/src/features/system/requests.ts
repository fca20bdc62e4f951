import {
	configPreviewOptions,
	getRetentionOptions,
	interfacesOptions,
	invalidate,
	listKeptOptions,
	packageVersionsOptions,
	proxyReload,
	queryClient,
	renderConfigs,
	resourcesOptions,
	restartService,
	type SystemRestart,
	type SystemRetentionInput,
	type SystemToggle,
	servicesOptions,
	setRetention,
	toggleService,
	updateComponent,
} from "@api";
import { useMutation, useQuery } from "@tanstack/react-query";
import { everyUntil } from "@ui/service";
import { type FlagName, flagQuery, storeFlag } from "./flags";

const often = (seconds: number) => ({ refetchInterval: seconds * 1000, staleTime: (seconds * 1000) / 2 });

/** The applier looks again at once; a service that starts slowly is seen by the next regular look. */
const serviceChanged = () =>
	Promise.all([queryClient.invalidateQueries({ queryKey: servicesOptions().queryKey }), invalidate("audit")]);

/** What systemd says holds without the database, too: an answer is an old one when states are asked for anew, not between two looks. */
export const useServices = (seconds: number) =>
	useQuery({
		...servicesOptions(),
		staleTime: 3 * seconds * 1000,
		refetchOnMount: "always",
		refetchInterval: everyUntil(seconds),
	});

export const useResources = (seconds: number) => useQuery({ ...resourcesOptions(), ...often(seconds) });

export const useInterfaces = (seconds: number) => useQuery({ ...interfacesOptions(), ...often(seconds) });

export const usePackages = (seconds: number) => useQuery({ ...packageVersionsOptions(), ...often(seconds) });

export const useFlag = (name: FlagName, seconds: number) => useQuery({ ...flagQuery(name), ...often(seconds) });

export const useRetention = () => useQuery(getRetentionOptions());

export const useKept = () => useQuery({ ...listKeptOptions(), ...often(60) });

export const useSetFlag = (name: FlagName) =>
	useMutation({ mutationFn: (enabled: boolean) => storeFlag(name, enabled) });

export const useRestart = () =>
	useMutation({
		mutationFn: (service: string) => restartService({ body: { service: service as SystemRestart["service"] } }),
		onSettled: serviceChanged,
	});

export const useToggle = () =>
	useMutation({
		mutationFn: ({ service, on }: { service: string; on: boolean }) =>
			toggleService({ body: { service: service as SystemToggle["service"], on } }),
		onSettled: serviceChanged,
	});

export const useSetRetention = () =>
	useMutation({
		mutationFn: async (body: SystemRetentionInput) => (await setRetention({ body })).data,
		onSuccess: (data) => {
			queryClient.setQueryData(getRetentionOptions().queryKey, data);
			void invalidate("audit");
		},
	});

export const useKeepEdits = (name: string) =>
	useMutation({
		mutationFn: (keep_edits: boolean) => updateComponent({ path: { id: name }, body: { keep_edits } }),
		onSettled: () => invalidate("change", "system", "audit"),
	});

/** useConfigFiles is what the database wants in one component's files. */
export const useConfigFiles = (generator: string) => useQuery(configPreviewOptions({ query: { generator } }));

export const useRenderConfigs = () =>
	useMutation({
		mutationFn: async () => (await renderConfigs()).data,
		onSettled: () => invalidate("change", "system", "audit"),
	});

export const useProxyReload = () =>
	useMutation({
		mutationFn: () => proxyReload(),
		onSettled: () => Promise.all([serviceChanged(), invalidate("proxy")]),
	});
