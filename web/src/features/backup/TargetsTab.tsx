import { type BackupTarget, type ProblemState, useStates } from "@api";
import { CloudUploadAltIcon } from "@patternfly/react-icons";
import { type Column, later, ObjectState, ResourceSection, StatusLabel, Time, useSwitchBulk } from "@ui";
import { useTranslation } from "@ui/translation";
import { targets } from "./resource";
import { type Flat, targetInput } from "./target";

const TestDialog = later("backup target test", () => import("./TestDialog"));

/** TargetsTab is where copies go to. */
export default function TargetsTab() {
	const { t } = useTranslation("backup");
	const stateOf = useStates("backup_target");
	const bulk = useSwitchBulk<"active", BackupTarget & Flat>("active", targetInput);
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
			cell: (target, current) => <State target={target} state={stateOf(target.id)} current={current} />,
		},
		{ key: "live.last", title: t("target.last"), cell: ({ last_upload_at: at }) => <Time value={at} /> },
	];
	return (
		<ResourceSection
			resource={targets}
			ns="backup/target"
			icon={CloudUploadAltIcon}
			bulk={bulk}
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

interface StateProps {
	target: BackupTarget;
	state: ProblemState | undefined;
	current: boolean;
}

/** State is how a target stands, and what retention leaves alone there. */
function State({ target, state, current }: StateProps) {
	const { t } = useTranslation("backup");
	return (
		<>
			<Word target={target} state={state} current={current} />
			{target.foreign_archives > 0 && (
				<p className="gw-subtle gw-backup-wrap">{t("target.foreign", { count: target.foreign_archives })}</p>
			)}
		</>
	);
}

/** Word: that a target is active says nothing of whether it works, so it is not green before an upload. */
function Word({ target, state, current }: StateProps) {
	const { t } = useTranslation("backup");
	if (state) return <ObjectState state={state} normal="up" why />;
	const word = target.last_upload_at ? "ok" : "none";
	return <StatusLabel status={current && word === "ok" ? "success" : "neutral"}>{t(`target.is.${word}`)}</StatusLabel>;
}
