import { useSyncExternalStore } from "react";

/** Store is one value that components can watch. */
export class Store<T> {
	private readonly listeners = new Set<() => void>();

	constructor(private value: T) {}

	get = (): T => this.value;

	set = (value: T): void => {
		if (Object.is(value, this.value)) return;
		this.value = value;
		for (const tell of this.listeners) tell();
	};

	subscribe = (tell: () => void): (() => void) => {
		this.listeners.add(tell);
		return () => this.listeners.delete(tell);
	};
}

/** useStore is the value now, and renders again when it changes. */
export function useStore<T>(store: Store<T>): T {
	return useSyncExternalStore(store.subscribe, store.get, store.get);
}
