import type { RestorePreview } from "@api";
import { Notice } from "@ui";
import { useTranslation } from "react-i18next";

/** Gain is an account that can do more after the restore than now. */
interface Gain {
	email: string;
	now: "missing" | "disabled" | "viewer";
	then: "viewer" | "admin";
}

/** gainsOf are those of a preview; a node of an older version tells none. */
const gainsOf = (preview: RestorePreview) => (preview as RestorePreview & { accounts?: Gain[] }).accounts ?? [];

/** Accounts warns of people who come back with the backup: somebody deleted or demoted them since. */
export function Accounts({ preview }: { preview: RestorePreview }) {
	const { t } = useTranslation("backup");
	const gains = gainsOf(preview);
	if (gains.length === 0) return null;
	return (
		<Notice kind="warning" title={t("preview.accounts")}>
			<ul>
				{gains.map(({ email, now, then }) => (
					<li key={email}>
						{t("preview.account", { email, now: t(`preview.is.${now}`), then: t(`preview.will.${then}`) })}
					</li>
				))}
			</ul>
		</Notice>
	);
}
