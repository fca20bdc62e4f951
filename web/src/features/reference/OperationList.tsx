import { TextInput } from "@patternfly/react-core";
import { SearchIcon } from "@patternfly/react-icons";
import { Link } from "@ui";
import { useTranslation } from "@ui/translation";
import { useEffect, useRef } from "react";
import { Method } from "./Method";
import { find, groupsOf, type Operation } from "./openapi";

interface Props {
	operations: Operation[];
	query: string;
	setQuery: (query: string) => void;
	/** Id of the one that is shown. */
	current: string | undefined;
}

/** OperationList is everything that the API can do, by subject. */
export function OperationList({ operations, query, setQuery, current }: Props) {
	const { t } = useTranslation("reference");
	const found = find(operations, query);
	const list = useRef<HTMLElement>(null);
	useEffect(() => {
		const link = current ? list.current?.querySelector<HTMLElement>(".gw-ref-current") : undefined;
		if (link && list.current) reveal(list.current, link);
	}, [current]);
	return (
		<nav ref={list} className="gw-ref-list" aria-label={t("list")}>
			<div className="gw-ref-search">
				<TextInput
					type="search"
					aria-label={t("search")}
					placeholder={t("search")}
					customIcon={<SearchIcon />}
					value={query}
					onChange={(_, value) => setQuery(value)}
				/>
			</div>
			<p role="status" className="gw-ref-count">
				{t("count", { count: found.length })}
			</p>
			{groupsOf(found).map(({ tag, operations: group }) => (
				<section key={tag} aria-label={tag}>
					<h2>{tag}</h2>
					<ul>
						{group.map(({ id, method, path, summary }) => (
							<li key={id}>
								<Link
									to="/reference"
									search={{ op: id, ...(query ? { q: query } : {}) }}
									className={id === current ? "gw-ref-link gw-ref-current" : "gw-ref-link"}
								>
									<Method method={method} />
									<span>
										<code>{path}</code>
										<small lang="en">{summary}</small>
									</span>
								</Link>
							</li>
						))}
					</ul>
				</section>
			))}
		</nav>
	);
}

/** reveal scrolls the list, and only the list, until the link can be seen. */
function reveal(list: HTMLElement, link: HTMLElement): void {
	const [outer, inner] = [list.getBoundingClientRect(), link.getBoundingClientRect()];
	if (inner.top < outer.top || inner.bottom > outer.bottom) list.scrollTop += inner.top - outer.top - outer.height / 3;
}
