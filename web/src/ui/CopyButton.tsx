import { Button, Tooltip } from "@patternfly/react-core";
import { CheckIcon, CopyIcon } from "@patternfly/react-icons";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";

interface Props {
	text: string;
	/** What is copied, for screen readers; "Copy" when left out. */
	label?: string;
	/** Shows the label beside the icon. */
	withLabel?: boolean;
}

/** CopyButton puts text on the clipboard and says so for two seconds. */
export function CopyButton({ text, label, withLabel = false }: Props) {
	const { t } = useTranslation("ui");
	const [done, setDone] = useState(false);
	useEffect(() => {
		if (!done) return;
		const timer = setTimeout(() => setDone(false), 2_000);
		return () => clearTimeout(timer);
	}, [done]);
	const copy = () => void navigator.clipboard.writeText(text).then(() => setDone(true));
	const words = label ?? t("copy");
	const icon = done ? <CheckIcon /> : <CopyIcon />;
	if (withLabel) {
		return (
			<Button variant="secondary" icon={icon} onClick={copy}>
				{done ? t("copied") : words}
			</Button>
		);
	}
	return (
		<Tooltip content={done ? t("copied") : words}>
			<Button variant="plain" size="sm" aria-label={words} icon={icon} onClick={copy} />
		</Tooltip>
	);
}
