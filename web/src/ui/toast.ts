import { Store } from "@api";

export interface Toast {
	id: number;
	variant: "success" | "danger" | "warning" | "info";
	title: string;
	detail?: string;
	/** Shows an Undo button that does this. */
	undo?: () => void;
}

/** toasts that are on screen; app/Toasts.tsx shows them. */
export const toasts = new Store<Toast[]>([]);

let next = 1;

/** toast tells that something happened: toast.success(t("saved")), toast.success(t("deleted"), { undo }). */
export const toast = {
	success: (title: string, more?: Partial<Toast>) => show({ variant: "success", title, ...more }),
	danger: (title: string, more?: Partial<Toast>) => show({ variant: "danger", title, ...more }),
	info: (title: string, more?: Partial<Toast>) => show({ variant: "info", title, ...more }),
	dismiss: (id: number) => toasts.set(toasts.get().filter((other) => other.id !== id)),
};

function show(made: Omit<Toast, "id">): void {
	toasts.set([...toasts.get().slice(-3), { ...made, id: next++ }]);
}
