import { type ProxyReachInput, testReach } from "@api";
import { useQuery } from "@tanstack/react-query";
import { type RefObject, useEffect, useState } from "react";

const pause = 600;

/** useSettled is a value as it was when typing last paused, or when the box that is typed into was left. */
export function useSettled(value: string, box: RefObject<HTMLElement | null>): string {
	const [settled, setSettled] = useState(value);
	useEffect(() => {
		const settle = () => setSettled(value);
		const timer = setTimeout(settle, pause);
		const typed = box.current;
		typed?.addEventListener("focusout", settle);
		return () => {
			clearTimeout(timer);
			typed?.removeEventListener("focusout", settle);
		};
	}, [value, box]);
	return settled;
}

/**
 * useReach tests what is about to be published; undefined asks nothing. An answer to another
 * question than this one is never shown: it belongs to that question's key.
 */
export const useReach = (question: ProxyReachInput | undefined) =>
	useQuery({
		queryKey: ["reach", question],
		queryFn: async ({ signal }) => (await testReach({ body: question ?? {}, signal })).data,
		enabled: Boolean(question),
		retry: false,
		staleTime: 10_000,
		refetchOnWindowFocus: false,
		refetchOnReconnect: false,
	});
