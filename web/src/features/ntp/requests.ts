import { invalidate, ntpForceSync, ntpSourcesOptions, ntpStatusOptions, useCurrent } from "@api";
import { useMutation, useQuery } from "@tanstack/react-query";

const often = { refetchInterval: 5_000 };

export const useStatus = () => useQuery({ ...ntpStatusOptions(), ...often });

/** useSources are the servers as the daemon sees them; undefined while it cannot be asked. */
export const useSources = () => useCurrent(useQuery({ ...ntpSourcesOptions(), ...often }));

export const useForceSync = () =>
	useMutation({ mutationFn: () => ntpForceSync(), onSettled: () => invalidate("ntp", "audit") });
