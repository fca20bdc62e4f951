import { type Backup, useCan } from "@api";
import { ArchiveIcon } from "@patternfly/react-icons";
import { EmptyState, Loaded, Table, TableTools, Tbody, Th, Thead, Tr, useUrlState } from "@ui";
import { later } from "@ui/later";
import { useTranslation } from "@ui/translation";
import { Suspense } from "react";
import { BackupRow } from "./BackupRow";
import { DeleteDialog } from "./DeleteDialog";
import { useBackups } from "./requests";

/** The fields of a form are as much as the rest of the page. */
const DownloadDialog = later("backup download", async () => ({
	default: (await import("./DownloadDialog")).DownloadDialog,
}));

/** ListTab is all backups, the newest first. */
export function ListTab() {
	const { t } = useTranslation("backup");
	return (
		<Loaded query={useBackups()} height="16rem">
			{(backups, current) =>
				backups.length === 0 ? (
					<EmptyState icon={ArchiveIcon} title={t("list.empty")}>
						{t("list.emptyText")}
					</EmptyState>
				) : (
					<List backups={backups} current={current} />
				)
			}
		</Loaded>
	);
}

function List({ backups, current }: { backups: Backup[]; current: boolean }) {
	const { t } = useTranslation("backup");
	const admin = useCan("admin");
	const [search] = useUrlState();
	return (
		<div className="gw-table">
			<TableTools name="backups" rows={backups} />
			<Table aria-label={t("tab.backups")} variant="compact" gridBreakPoint="grid-md">
				<Thead>
					<Tr>
						<Th width={20}>{t("list.when")}</Th>
						<Th width={20}>{t("list.state")}</Th>
						<Th width={10}>{t("list.size")}</Th>
						<Th width={20}>{t("list.verified")}</Th>
						<Th width={25}>{t("list.stored")}</Th>
						{admin && <Th screenReaderText={t("list.actions")} className="gw-actions-cell" />}
					</Tr>
				</Thead>
				<Tbody>
					{backups.map((backup) => (
						<BackupRow key={backup.id} backup={backup} current={current} admin={admin} />
					))}
				</Tbody>
			</Table>
			{admin && <DeleteDialog backups={backups} />}
			{admin && search.do === "download" && (
				<Suspense fallback={null}>
					<DownloadDialog backups={backups} />
				</Suspense>
			)}
		</div>
	);
}
