import type { BackupTarget } from "@api";
import { CloudUploadAltIcon } from "@patternfly/react-icons";
import { type Column, later, ResourceSection, type Status, StatusLabel, sentence, serverText, Time } from "@ui";
import { useTranslation } from "react-i18next";
import { targets } from "./resource";
import type { Flat } from "./target";

const TestDialog = later("backup target test", () => import("./TestDialog"));

/** TargetsTab is where copies go to. */
export default function TargetsTab() {
	const { t } = useTranslation("backup");
	const columns: Column<BackupTarget & Flat>[] = [
		{ key: "name", title: t("target.field.name"), sortable: true, width: 20 },
		{
			key: "kind",
			title: t("target.field.kind"),
			sortable: true,
			width: 10,
			cell: ({ kind }) => t(`target.option.kind.${kind as "s3" | "sftp"}`),
		},
		{ key: "target_url", title: t("target.url"), width: 25, cell: (target) => <Place target={target} /> },
		{
			key: "live.state",
			title: t("target.state"),
			width: 25,
			cell: (target, current) => <State target={target} current={current} />,
		},
		{ key: "live.last", title: t("target.last"), cell: ({ last_upload_at: at }) => <Time value={at} /> },
	];
	return (
		<ResourceSection
			resource={targets}
			ns="backup/target"
			icon={CloudUploadAltIcon}
			columns={columns}
			defaultSort="name"
			form={() => import("./targetForm")}
			dialogs={[
				{
					id: "test",
					title: t("test.open"),
					dialog: (target, close) => <TestDialog target={target} onClose={close} />,
				},
			]}
		/>
	);
}

/** Place is the address, with the host key that only this server may have. */
function Place({ target }: { target: BackupTarget & Flat }) {
	const { t } = useTranslation("backup");
	const pinned = target.host_key_fingerprint || target.host_key;
	return (
		<>
			<span className="gw-mono gw-backup-wrap">{target.target_url}</span>
			{target.kind === "sftp" && (
				<p className="gw-subtle gw-backup-wrap">
					{pinned ? t("target.pinned", { key: pinned }) : t("target.unpinned")}
				</p>
			)}
		</>
	);
}

/** stateOf: that a target is active says nothing of whether it works, so it is not green before an upload. */
function stateOf({
	active,
	last_error: error,
	last_upload_at: at,
}: BackupTarget): ["failed" | "off" | "ok" | "none", Status] {
	if (!active) return ["off", "neutral"];
	if (error) return ["failed", "danger"];
	return at ? ["ok", "success"] : ["none", "neutral"];
}

function State({ target, current }: { target: BackupTarget; current: boolean }) {
	const { t } = useTranslation("backup");
	const [state, look] = stateOf(target);
	return (
		<>
			<StatusLabel status={current ? look : "neutral"}>{t(`target.is.${state}`)}</StatusLabel>
			{state === "failed" && target.last_error && (
				<p className="gw-subtle gw-backup-wrap">
					{sentence(serverText(target.last_error))} <Time value={target.last_error_at} />
				</p>
			)}
			{target.foreign_archives > 0 && (
				<p className="gw-subtle gw-backup-wrap">{t("target.foreign", { count: target.foreign_archives })}</p>
			)}
		</>
	);
}
