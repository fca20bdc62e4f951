import type { RestorePreview } from "@api";
import {
	formatNumber,
	Notice,
	nounsOf,
	PropertyList,
	StatusLabel,
	sentence,
	serverText,
	Table,
	Tbody,
	Td,
	Th,
	Thead,
	Time,
	Tr,
} from "@ui";
import { useTranslation } from "@ui/translation";
import type { TFunction } from "i18next";

/** PreviewStep is what is in the backup, and how it differs from now. */
export function PreviewStep({ preview }: { preview: RestorePreview }) {
	const { t } = useTranslation("backup");
	const files = preview.files.filter(({ differs }) => differs).map(({ name }) => name);
	const same = preview.tables.length === 0 && files.length === 0;
	return (
		<>
			<PropertyList
				items={[
					[t("preview.created"), <Time key="at" value={preview.created_at} exact />],
					[t("preview.host"), <Host key="host" preview={preview} />],
					[t("preview.version"), preview.version],
				]}
			/>
			{preview.problems.map((problem) => (
				<Notice key={problem.message} kind="warning" title={sentence(serverText(problem))} />
			))}
			{preview.accounts.length > 0 && <Accounts accounts={preview.accounts} />}
			{same && <Notice kind="info" title={t("preview.same")} />}
			{preview.tables.length > 0 && <Tables tables={preview.tables} />}
			{files.length > 0 && (
				<section>
					<h3>{t("preview.files")}</h3>
					<ul className="gw-backup-files">
						{files.map((name) => (
							<li key={name}>
								<code>{name}</code>
							</li>
						))}
					</ul>
				</section>
			)}
		</>
	);
}

function Host({ preview: { host, same_host: same } }: { preview: RestorePreview }) {
	const { t } = useTranslation("backup");
	return same ? (
		t("preview.here", { host })
	) : (
		<StatusLabel status="warning">{t("preview.elsewhere", { host })}</StatusLabel>
	);
}

/** Accounts come back with the backup: somebody may have disabled them, or changed the password, for a reason. */
function Accounts({ accounts }: { accounts: RestorePreview["accounts"] }) {
	const { t } = useTranslation("backup");
	return (
		<Notice kind="warning" title={t("preview.accounts")}>
			<ul>
				{accounts.map((account) => (
					<li key={account.email}>{accountText(t, account)}</li>
				))}
			</ul>
		</Notice>
	);
}

/** accountText is what becomes of an account. */
function accountText(t: TFunction<"backup">, account: RestorePreview["accounts"][number]) {
	const { email, now, after, password_changes: password, second_factor: factor } = account;
	const then = t(`preview.standing.${after}`);
	return [
		now === after
			? t("preview.accountSame", { email, role: then })
			: t("preview.account", { email, now: t(`preview.standing.${now}`), after: then }),
		...(password ? [t("preview.password")] : []),
		...(factor ? [t(`preview.factor.${factor}`)] : []),
	].join(", ");
}

const figures = ["rows_now", "rows_then", "added", "removed", "changed"] as const;
const counts = new Set<string>(["rows_now", "rows_then"]);

/** compared: rows of history are only counted. Of all others that are listed, some differ. */
const compared = ({ added, removed, changed }: RestorePreview["tables"][number]) => added + removed + changed > 0;

function Tables({ tables }: { tables: RestorePreview["tables"] }) {
	const { t, i18n } = useTranslation("backup");
	const nouns = new Map(nounsOf().map(({ table, noun }) => [table, noun]));
	const kind = (table: string) =>
		nouns.get(table) ??
		(i18n.exists(`backup:preview.kind.${table}`) ? t(`preview.kind.${table}`) : <code>{table}</code>);
	return (
		<section>
			<h3>{t("preview.tables")}</h3>
			<Table aria-label={t("preview.tables")} variant="compact" gridBreakPoint="grid-md" className="gw-backup-counts">
				<Thead>
					<Tr>
						<Th width={20}>{t("preview.what")}</Th>
						{figures.map((figure) => (
							<Th key={figure}>{t(`preview.${figure}`)}</Th>
						))}
					</Tr>
				</Thead>
				<Tbody>
					{tables.map((one) => (
						<Tr key={one.table}>
							<Td dataLabel={t("preview.what")}>{kind(one.table)}</Td>
							{figures.map((figure) => (
								<Td key={figure} dataLabel={t(`preview.${figure}`)}>
									{compared(one) || counts.has(figure) ? formatNumber(one[figure]) : "–"}
								</Td>
							))}
						</Tr>
					))}
				</Tbody>
			</Table>
			{!tables.every(compared) && <p className="gw-subtle">{t("preview.counted")}</p>}
		</section>
	);
}
