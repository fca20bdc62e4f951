import { useTranslation } from "@ui/translation";
import type { Document, Parameter } from "./openapi";
import { Rules } from "./Rules";
import { limitsOf, resolve, typeOf } from "./schema";

/** ParameterTable shows what stands in the path, the query and the headers. */
export function ParameterTable({ document, parameters }: { document: Document; parameters: Parameter[] }) {
	const { t } = useTranslation("reference");
	return (
		<div className="gw-ref-scroll">
			<table className="gw-ref-table" aria-label={t("parameters")}>
				<thead>
					<tr>
						<th scope="col">{t("column.parameter")}</th>
						<th scope="col">{t("column.type")}</th>
						<th scope="col">{t("column.rules")}</th>
					</tr>
				</thead>
				<tbody>
					{parameters.map(({ name, in: place, required, description, schema = {} }) => (
						<tr key={`${place} ${name}`}>
							<th scope="row">
								<code>{name}</code>
								{required && <em>{t("required")}</em>}
								<small>{["path", "query", "header"].includes(place) ? t(`in.${place}`) : place}</small>
							</th>
							<td>
								<code className="gw-ref-type">{typeOf(document, schema)}</code>
							</td>
							<td>
								{description && <span lang="en">{description}</span>}
								<Rules limits={limitsOf(resolve(document, schema))} />
							</td>
						</tr>
					))}
				</tbody>
			</table>
		</div>
	);
}
