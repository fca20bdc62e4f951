import type { Row } from "@api";
import type { BulkAction } from "./BulkBar";
import { useTranslation } from "./translation";

/** storedInput is a row as an update takes it: without what the server finds out, and without what is not set. */
export function storedInput<R extends Row>(row: R, ...derived: (keyof R & string)[]): object {
	const left: string[] = ["id", "revision", "created_at", "updated_at", ...derived];
	return Object.fromEntries(Object.entries(row).filter(([name, value]) => !left.includes(name) && value !== null));
}

/** useSwitchBulk is to enable or disable many rows at once, which have a flag of that name. */
export function useSwitchBulk<F extends "active" | "enabled", R extends Row & Partial<Record<F, boolean>>>(
	flag: F,
	/** A row as an update takes it. */
	inputOf: (row: R) => object,
	/** Said before rows are enabled that need a second thought. */
	warns?: (rows: R[]) => Promise<string | undefined>,
): BulkAction<R>[] {
	const { t } = useTranslation("ui");
	const switched = (on: boolean): BulkAction<R> => ({
		id: on ? "enable" : "disable",
		title: t(on ? "order.enable" : "order.disable"),
		// What has the flag left out is on.
		fits: (row) => (row[flag] ?? true) !== on,
		skipped: t(on ? "order.isOn" : "order.isOff"),
		warns: on ? warns : undefined,
		step: (row) => ({ method: "PUT", body: { ...inputOf(row), [flag]: on } }),
	});
	return [switched(true), switched(false)];
}
