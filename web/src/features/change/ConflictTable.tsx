import { Table, Tbody, Td, Th, Thead, Tr } from "@ui";
import { useTranslation } from "@ui/translation";
import { text } from "./images";

/** Conflict is a field that a later change touched, as the server tells it. */
export interface Conflict {
	table: string;
	id: string;
	field: string;
	before: unknown;
	after: unknown;
	current: unknown;
}

/** ConflictTable shows why a change cannot be undone by itself: before it, after it, and now. */
export function ConflictTable({ conflicts }: { conflicts: Conflict[] }) {
	const { t } = useTranslation("change");
	const columns = ["before", "after", "current"] as const;
	return (
		<Table variant="compact" aria-label={t("revert.conflict")}>
			<Thead>
				<Tr>
					<Th>{t("column.field")}</Th>
					{columns.map((name) => (
						<Th key={name}>{t(`column.${name}`)}</Th>
					))}
				</Tr>
			</Thead>
			<Tbody>
				{conflicts.map((one) => (
					<Tr key={`${one.table} ${one.id} ${one.field}`}>
						<Td dataLabel={t("column.field")}>
							<code>{`${one.table}.${one.field}`}</code>
						</Td>
						{columns.map((name) => (
							<Td key={name} dataLabel={t(`column.${name}`)} className="gw-mono" modifier="breakWord">
								{text(one[name])}
							</Td>
						))}
					</Tr>
				))}
			</Tbody>
		</Table>
	);
}
