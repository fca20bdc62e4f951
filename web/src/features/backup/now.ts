import { ApiError, type Backup, createBackup, invalidate, listBackupsOptions, queryClient } from "@api";
import { sentence } from "@ui/errorText";
import type { Translate } from "@ui/feature";
import { serverText } from "@ui/serverText";
import { toast } from "@ui/toast";
import { stateOf } from "./look";

/** The row is there before the answer, which may take minutes: whoever looks sees how far it is. */
const rowIsThere = 500;

/** backUp makes a backup and says what came of it. */
export async function backUp(t: Translate): Promise<void> {
	const look = () => void queryClient.invalidateQueries({ queryKey: listBackupsOptions().queryKey });
	const timer = setTimeout(look, rowIsThere);
	try {
		tell((await createBackup()).data, t);
	} catch (error) {
		const detail = error instanceof ApiError ? sentence(serverText(error)) : undefined;
		toast.danger(t("now.failed"), { detail });
	} finally {
		clearTimeout(timer);
		void invalidate("backup", "audit");
	}
}

function tell(made: Backup, t: Translate): void {
	const state = stateOf(made);
	if (state === "running") toast.info(t("now.running"));
	else if (state !== "complete") toast.danger(t("now.failed"));
	else if (made.remote_uploads.some((one) => one.state === "failed")) toast.danger(t("now.notUploaded"));
	else toast.success(t("now.done"));
}
