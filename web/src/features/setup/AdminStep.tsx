import { Button, ExpandableSection } from "@patternfly/react-core";
import { Notice } from "@ui";
import type { Input } from "@ui/fields";
import { useTranslation } from "@ui/translation";
import { type ReactNode, useState } from "react";
import { inputs } from "./form";

interface Props {
	field: (input: Input) => ReactNode;
	/** It was chosen before that no administrator is created. */
	accountless: boolean;
	onAccountless: () => void;
}

/** AdminStep asks for the first account; a node of a cluster goes without, after reading what that means. */
export function AdminStep({ field, accountless, onAccountless }: Props) {
	const { t } = useTranslation("setup");
	const [open, setOpen] = useState(accountless);
	return (
		<>
			{[inputs.email, inputs.password, inputs.repeat].map(field)}
			<ExpandableSection
				toggleText={t("accountless.toggle")}
				isExpanded={open}
				onToggle={(_, expanded) => setOpen(expanded)}
			>
				<div className="gw-setup-accountless">
					<AccountlessNotice />
					<Button variant="secondary" onClick={onAccountless}>
						{t("accountless.choose")}
					</Button>
				</div>
			</ExpandableSection>
		</>
	);
}

/** AccountlessNotice says what it means to have no administrator, before anything is done. */
export function AccountlessNotice() {
	const { t } = useTranslation("setup");
	return (
		<Notice kind="warning" title={t("accountless.title")}>
			{t("accountless.text")}
		</Notice>
	);
}
