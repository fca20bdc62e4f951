import type { Backup } from "@api";
import { useNavigate } from "@tanstack/react-router";
import { formatBytes, formatExact, Td, Time, Tr, toast, useErrorText, useUrlState } from "@ui";
import { type RowAction, RowMenu } from "@ui/RowMenu";
import { useTranslation } from "@ui/translation";
import { BackupState } from "./BackupState";
import { useVerify } from "./requests";
import { Stored } from "./Stored";
import { Verified } from "./Verified";

interface Props {
	backup: Backup;
	current: boolean;
	admin: boolean;
}

/** BackupRow is one backup: when, how it went, whether it can be read, and where it is. */
export function BackupRow({ backup, current, admin }: Props) {
	const { t } = useTranslation("backup");
	const written = backup.status === "done";
	return (
		<Tr>
			<Td dataLabel={t("list.when")}>
				<Time value={backup.started_at} />
				<p className="gw-subtle">{t(`kind.${backup.kind}`)}</p>
			</Td>
			<Td dataLabel={t("list.state")}>
				<BackupState backup={backup} current={current} />
			</Td>
			<Td dataLabel={t("list.size")}>{written ? formatBytes(backup.size) : "–"}</Td>
			<Td dataLabel={t("list.verified")}>{written ? <Verified backup={backup} current={current} /> : "–"}</Td>
			<Td dataLabel={t("list.stored")}>{written ? <Stored backup={backup} current={current} /> : "–"}</Td>
			{admin && (
				<Td isActionCell className="gw-actions-cell">
					<Menu backup={backup} />
				</Td>
			)}
		</Tr>
	);
}

function Menu({ backup }: { backup: Backup }) {
	const { t } = useTranslation("backup");
	const text = useErrorText();
	const navigate = useNavigate();
	const [, set] = useUrlState();
	const { mutate: verify } = useVerify();
	const check = () =>
		verify(backup.id, {
			onSuccess: () => toast.info(t("verify.started")),
			onError: (error) => toast.danger(t("verify.notStarted"), { detail: text(error) }),
		});
	const remove: RowAction = {
		title: t("delete.open"),
		isDanger: true,
		onClick: () => set({ do: "delete", id: backup.id }, { push: true }),
	};
	const ready: RowAction[] = [
		{ title: t("wizard.open"), onClick: () => void navigate({ to: `/backups/${backup.id}/restore` }) },
		{ title: t("download.button"), onClick: () => set({ do: "download", id: backup.id }, { push: true }) },
		...(backup.verify_status === "running" ? [] : [{ title: t("verify.button"), onClick: check }]),
		{ isSeparator: true },
	];
	if (backup.status === "running") return null;
	return (
		<RowMenu
			label={t("list.actionsFor", { when: formatExact(new Date(backup.started_at)) })}
			items={backup.available ? [...ready, remove] : [remove]}
		/>
	);
}
