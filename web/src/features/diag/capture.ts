import { captureOptions, deleteCapture, interfacesOptions, invalidate, stopCapture } from "@api";
import { useMutation, useQuery } from "@tanstack/react-query";

/** file is where the browser gets it from. */
export const file = "/api/v1/diagnostics/capture/file";

/** useCapture is how the capture stands: often while it runs, seldom otherwise, since others may begin one. */
export const useCapture = () =>
	useQuery({ ...captureOptions(), refetchInterval: ({ state }) => (state.data?.state === "running" ? 1_000 : 10_000) });

/** useInterfaces are those of this node. */
export const useInterfaces = () => useQuery({ ...interfacesOptions(), staleTime: 10_000 }).data ?? [];

export const useStopCapture = () =>
	useMutation({ mutationFn: () => stopCapture(), onSettled: () => invalidate("diag", "audit") });

export const useDeleteCapture = () =>
	useMutation({ mutationFn: () => deleteCapture(), onSettled: () => invalidate("diag", "audit") });
