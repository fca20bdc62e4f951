import { dnsFlushCache, dnsStatsOptions, invalidate, listDnsZonesOptions } from "@api";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { Choice } from "@ui";

const most = 1000;

/** useZones are all zones, by name. */
export const useZones = () => useQuery(listDnsZonesOptions({ query: { limit: most, sort: "name" } })).data ?? [];

/** useZoneChoices lets a form choose one. */
export const useZoneChoices = (): Choice[] => useZones().map((zone) => ({ value: zone.id, label: zone.name }));

export const useStats = () => useQuery({ ...dnsStatsOptions(), refetchInterval: 5_000 });

export const useFlush = () =>
	useMutation({ mutationFn: () => dnsFlushCache(), onSuccess: () => invalidate("dns", "audit") });
