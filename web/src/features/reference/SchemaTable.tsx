import { useTranslation } from "@ui/translation";
import type { Document, Schema } from "./openapi";
import { Rules } from "./Rules";
import { rowsOf, typeOf } from "./schema";

interface Props {
	document: Document;
	schema: Schema;
	/** Name of the table, for screen readers. */
	label: string;
	/** Marks the fields that must be sent; an answer has all of its fields anyway. */
	marks?: boolean;
}

/** SchemaTable shows the fields of a body, those inside of others indented. */
export function SchemaTable({ document, schema, label, marks = false }: Props) {
	const { t } = useTranslation("reference");
	const rows = rowsOf(document, schema);
	if (rows.length === 0) return <code className="gw-ref-type">{typeOf(document, schema)}</code>;
	return (
		<div className="gw-ref-scroll">
			<table className="gw-ref-table" aria-label={label}>
				<thead>
					<tr>
						<th scope="col">{t("column.field")}</th>
						<th scope="col">{t("column.type")}</th>
						<th scope="col">{t("column.rules")}</th>
					</tr>
				</thead>
				<tbody>
					{rows.map((row) => (
						<tr key={row.key}>
							<th scope="row" style={{ paddingInlineStart: `${0.5 + row.depth * 1.25}rem` }}>
								<code>{row.name}</code>
								{marks && row.required && <em>{t("required")}</em>}
							</th>
							<td>
								<code className="gw-ref-type">{row.type}</code>
							</td>
							<td>
								{row.description && <span lang="en">{row.description}</span>}
								<Rules limits={row.limits} />
								{row.again && <small>{t("again")}</small>}
							</td>
						</tr>
					))}
				</tbody>
			</table>
		</div>
	);
}
