import { Skeleton } from "@patternfly/react-core";
import { SearchIcon } from "@patternfly/react-icons";
import { EmptyState, ErrorState, Link, Page, useUrlState } from "@ui";
import { useTranslation } from "@ui/translation";
import { useEffect, useRef, useState } from "react";
import { Intro } from "./Intro";
import { OperationList } from "./OperationList";
import { OperationView } from "./OperationView";
import "./operation.css";
import "./reference.css";
import "./reply.css";
import { useDocument } from "./useDocument";

/** ReferencePage describes our API, and lets every operation be tried. ?op=<id> leads to one. */
export default function ReferencePage() {
	const { t } = useTranslation("reference");
	const [search, set] = useUrlState();
	const [query, setQuery] = useState(search.q ?? "");
	const { data, error, refetch } = useDocument();
	const { op } = search;
	const shown = useRef(op);
	useEffect(() => {
		if (query === (search.q ?? "")) return;
		const timer = setTimeout(() => set({ q: query }), 300);
		return () => clearTimeout(timer);
	}, [query, search.q, set]);
	useEffect(() => {
		if (shown.current === op) return;
		shown.current = op;
		document.getElementById("main")?.scrollTo({ top: 0 });
	}, [op]);
	const operation = data?.operations.find(({ id }) => id === op);
	return (
		<Page title={t("title")} description={t("lead")}>
			{error && !data && <ErrorState error={error} retry={() => void refetch()} />}
			{!data && !error && <Skeleton screenreaderText={t("loading")} height="20rem" />}
			{data && (
				<div className="gw-ref" data-open={op !== undefined}>
					<OperationList operations={data.operations} query={query} setQuery={setQuery} current={op} />
					<div className="gw-panel gw-ref-pane">
						{op !== undefined && (
							<p className="gw-ref-back">
								<Link to="/reference" search={query ? { q: query } : undefined}>
									{t("back")}
								</Link>
							</p>
						)}
						{operation && <OperationView key={operation.id} document={data.document} operation={operation} />}
						{op === undefined && <Intro document={data.document} />}
						{op !== undefined && !operation && (
							<EmptyState title={t("unknown.title")} icon={SearchIcon}>
								{t("unknown.text")}
							</EmptyState>
						)}
					</div>
				</div>
			)}
		</Page>
	);
}
