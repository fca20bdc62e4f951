import { ApiError, componentsOptions, getChange, type Outcome, queryClient, revertChange } from "@api";
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

/** tellUnconfirmed says that a change is gone because nobody confirmed it, until somebody has read that. */
export async function tellUnconfirmed(change: string, what: string | undefined): Promise<void> {
	const found = await recordOf(change);
	if (found?.confirm_state !== "reverted") return;
	// Whoever undid it in the last second was told so, and the history says who that was.
	const by = found.reverted_by && (await recordOf(found.reverted_by));
	if (!by || by.actor === timeout) toast.danger(words("change.unconfirmed"), { detail: what });
}

/** timeout is the actor of the history that reverts a change that was not confirmed in time. */
const timeout = "confirm-timeout";

const recordOf = async (id: string) => (await getChange({ path: { id } }).catch(() => undefined))?.data;

/** reasonOf words why a change is not live. */
export const reasonOf = (outcome: Outcome) => sentence(serverText({ message: outcome.reason ?? "", ...outcome.words }));

/** tell says what came of a change, quietly where all is well, with a way back. */
export function tell(title: string, component: string | undefined, outcome: Outcome | undefined): void {
	if (!component || !outcome) toast.success(title);
	else if (outcome.waits) toast.info(title, { detail: words("change.waits") });
	else if (outcome.apply === "live") void tellLive(title, component, outcome);
	else if (outcome.reverts) toast.danger(title, { detail: detailOf(component, outcome) });
	else toast[looks[outcome.apply ?? "live"]](title, { detail: detailOf(component, outcome), undo: backOf(outcome) });
}

/** tellLive finds out whether the daemon is to run at all: the files of one that is switched off are in nobody's use. */
async function tellLive(title: string, component: string, outcome: Outcome): Promise<void> {
	const states = await queryClient.fetchQuery({ ...componentsOptions(), staleTime: 0 }).catch(() => []);
	const off = states.some((one) => one.component === component && one.all_off);
	const detail = off ? words("change.off", { name: serviceName(component) }) : detailOf(component, outcome);
	toast.success(title, { detail, undo: backOf(outcome) });
}

const looks = { live: "success", pending: "info", failed: "danger" } as const;

const backOf = (outcome: Outcome) => () => void undo(outcome.change);

function detailOf(component: string, outcome: Outcome): string | undefined {
	if (outcome.atOnce) return words("change.atOnce");
	if (!outcome.apply) return undefined;
	const said = words(`change.${outcome.reverts ? "reverts" : outcome.apply}`, { name: serviceName(component) });
	return [said, reasonOf(outcome)].filter(Boolean).join(" ");
}
