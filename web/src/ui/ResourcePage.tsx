import type { Row } from "@api";
import { Page } from "./Page";
import { ResourceSection, type ResourceSectionProps } from "./ResourceSection";
import { useWords } from "./words";

/** ResourcePage is a page of one resource; for one among several on a page take ResourceSection. */
export function ResourcePage<R extends Row, In>(props: Omit<ResourceSectionProps<R, In>, "frame">) {
	const { t } = useWords(props.ns);
	return (
		<ResourceSection
			{...props}
			frame={(create, content) => (
				<Page title={t("title")} description={t("lead")} actions={create}>
					{content}
				</Page>
			)}
		/>
	);
}
