import { ApiError, type Outcome, queryClient, revertChange } from "@api";
import i18next from "i18next";
import { sentence } from "../errorText";
import { serverText } from "../serverText";
import { serviceName } from "../service";
import { toast } from "../toast";

const words = (key: string, values?: Record<string, unknown>) => i18next.t(key, { ns: "ui", ...values });

/** undo reverts a change and says so. It answers whether it could. */
export async function undo(change: string): Promise<boolean> {
	try {
		await revertChange({ path: { id: change } });
		toast.success(words("change.undone"));
		return true;
	} catch (error) {
		const detail = error instanceof ApiError ? sentence(serverText(error)) : undefined;
		toast.danger(words("change.notUndone"), { detail });
		return false;
	} finally {
		void queryClient.invalidateQueries();
	}
}

/** reasonOf words why a change is not live. */
export const reasonOf = (outcome: Outcome) => sentence(serverText({ message: outcome.reason ?? "", ...outcome.words }));

/** tell says what came of a change, quietly where all is well, with a way back. */
export function tell(title: string, component: string | undefined, outcome: Outcome | undefined): void {
	if (!component || !outcome) toast.success(title);
	else if (outcome.waits) toast.info(title, { detail: words("change.waits") });
	else toast[looks[outcome.apply ?? "live"]](title, { detail: detailOf(component, outcome), undo: backOf(outcome) });
}

const looks = { live: "success", pending: "info", failed: "danger" } as const;

const backOf = (outcome: Outcome) => () => void undo(outcome.change);

function detailOf(component: string, outcome: Outcome): string | undefined {
	if (!outcome.apply) return undefined;
	const said = words(`change.${outcome.apply}`, { name: serviceName(component) });
	return [said, reasonOf(outcome)].filter(Boolean).join(" ");
}
