import { useEffect, useRef, useState } from "react";
import { queryClient } from "./cache";
import { connection } from "./connection";
import { identityQuery } from "./session";

/** LiveStatus of a stream: "waiting" is the pause before the next try. */
export type LiveStatus = "connecting" | "open" | "waiting";

const first = 500;
const longest = 15_000;
const policyViolation = 1008;

interface Handlers<T> {
	onMessage: (message: T) => void;
	onStatus: (status: LiveStatus) => void;
	onRefused?: () => void;
}

/**
 * openLive keeps a WebSocket open until the returned function is called. One that was open while nobody
 * answered may be dead without knowing, and one that waits may wait long: when the server is back, both begin anew.
 * One that waits is tried also when the database goes or comes back: what may be heard is not the same then.
 */
export function openLive<T>(url: string, handlers: Handlers<T>): () => void {
	let wait = first;
	let timer: ReturnType<typeof setTimeout> | undefined;
	let socket: WebSocket | undefined;
	let stopped = false;
	let opened = false;

	const connect = () => {
		opened = false;
		handlers.onStatus("connecting");
		socket = new WebSocket(url);
		socket.onopen = () => {
			wait = first;
			opened = true;
			handlers.onStatus("open");
		};
		socket.onmessage = (event) => handlers.onMessage(JSON.parse(event.data as string) as T);
		socket.onclose = (event) => {
			if (stopped) return;
			if (event.code === policyViolation || !opened) handlers.onRefused?.();
			opened = false;
			handlers.onStatus("waiting");
			// The jitter keeps many open pages from coming back in the same moment.
			timer = setTimeout(connect, wait * (0.75 + Math.random() / 2));
			wait = Math.min(wait * 2, longest);
		};
	};
	const again = () => {
		clearTimeout(timer);
		if (socket) {
			socket.onopen = socket.onmessage = socket.onclose = null;
			socket.close();
		}
		wait = first;
		connect();
	};
	let before = connection.state.get();
	const unsubscribe = connection.state.subscribe(() => {
		const now = connection.state.get();
		if (now !== "api" && now !== before && (before === "api" || !opened)) again();
		before = now;
	});
	connect();
	return () => {
		stopped = true;
		unsubscribe();
		clearTimeout(timer);
		socket?.close();
	};
}

/**
 * useLive hears a stream of the API, for example useLive<AuditEntry>("/audit/live", add).
 * It reconnects by itself; the status is for a small indicator. enabled=false closes it.
 */
export function useLive<T>(path: string, onMessage: (message: T) => void, enabled = true): LiveStatus {
	const [status, setStatus] = useState<LiveStatus>("connecting");
	const handler = useRef(onMessage);
	handler.current = onMessage;
	useEffect(() => {
		if (!enabled) return;
		const url = new URL(`/api/v1${path}`, window.location.href);
		url.protocol = url.protocol.replace("http", "ws");
		return openLive<T>(url.href, {
			onMessage: (message) => handler.current(message),
			onStatus: setStatus,
			// Whoever may not listen may have no session any more; asking tells the session.
			onRefused: () => void queryClient.fetchQuery({ ...identityQuery, staleTime: 0 }).catch(() => {}),
		});
	}, [path, enabled]);
	return status;
}
