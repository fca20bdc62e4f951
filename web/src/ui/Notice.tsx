import { Alert } from "@patternfly/react-core";
import type { ReactNode } from "react";
import { useTranslation } from "./translation";

interface Props {
	kind: "danger" | "warning" | "info" | "success";
	title: string;
	children?: ReactNode;
}

/** Notice says something important inside of a page or form. */
export function Notice({ kind, title, children }: Props) {
	const { t } = useTranslation("ui");
	return (
		<Alert isInline variant={kind} title={title} component="p" variantLabel={t(`notice.${kind}`)}>
			{children}
		</Alert>
	);
}
