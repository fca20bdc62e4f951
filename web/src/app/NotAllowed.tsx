import { LockIcon } from "@patternfly/react-icons";
import { EmptyState } from "@ui/EmptyState";
import { Page } from "@ui/Page";
import { useTranslation } from "@ui/translation";

/** NotAllowed stands at pages that need the role admin. */
export function NotAllowed({ title }: { title: string }) {
	const { t } = useTranslation();
	return (
		<Page title={title}>
			<EmptyState title={t("notAllowed.title")} icon={LockIcon}>
				{t("notAllowed.text")}
			</EmptyState>
		</Page>
	);
}
