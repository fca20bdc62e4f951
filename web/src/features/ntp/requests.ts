import { invalidate, ntpForceSync, ntpSourcesOptions, ntpStatusOptions } from "@api";
import { useMutation, useQuery } from "@tanstack/react-query";

const often = { refetchInterval: 5_000 };

export const useStatus = () => useQuery({ ...ntpStatusOptions(), ...often });

export const useSources = () => useQuery({ ...ntpSourcesOptions(), ...often }).data ?? [];

export const useForceSync = () =>
	useMutation({ mutationFn: () => ntpForceSync(), onSettled: () => invalidate("ntp", "audit") });
