import { Label, Title } from "@patternfly/react-core";
import { LockIcon, LockOpenIcon } from "@patternfly/react-icons";
import { CopyButton } from "@ui";
import { useTranslation } from "@ui/translation";
import { Answers } from "./Answers";
import { Method } from "./Method";
import type { Document, Operation } from "./openapi";
import { ParameterTable } from "./ParameterTable";
import { base } from "./request";
import { SchemaTable } from "./SchemaTable";
import { TryIt } from "./TryIt";

const accesses = ["public", "self", "viewer", "admin"];

/** OperationView describes one operation, and lets it be tried. */
export function OperationView({ document, operation }: { document: Document; operation: Operation }) {
	const { t } = useTranslation("reference");
	const { method, path, access, parameters, body } = operation;
	return (
		<article className="gw-ref-operation" aria-label={operation.summary}>
			<header>
				<Title headingLevel="h2" size="xl" lang="en">
					{operation.summary}
				</Title>
				<p className="gw-ref-path">
					<Method method={method} />
					<code>{base + path}</code>
					<CopyButton text={base + path} label={t("copyPath")} />
				</p>
				<p>
					<Label
						isCompact
						color={access === "admin" ? "teal" : "grey"}
						icon={access === "public" ? <LockOpenIcon /> : <LockIcon />}
					>
						{accesses.includes(access) ? t(`access.${access}`) : access}
					</Label>
				</p>
				{operation.description && (
					<p className="gw-ref-text" lang="en">
						{operation.description}
					</p>
				)}
			</header>
			{parameters.length > 0 && (
				<section>
					<h3>{t("parameters")}</h3>
					<ParameterTable document={document} parameters={parameters} />
				</section>
			)}
			{body && (
				<section>
					<h3>{t("body")}</h3>
					<SchemaTable document={document} schema={body} label={t("body")} marks />
				</section>
			)}
			<section>
				<h3>{t("try.title")}</h3>
				<TryIt document={document} operation={operation} />
			</section>
			<section>
				<h3>{t("answers")}</h3>
				<Answers document={document} answers={operation.answers} />
			</section>
		</article>
	);
}
