import { Button, Tooltip } from "@patternfly/react-core";
import { CheckIcon, CopyIcon, ExclamationTriangleIcon } from "@patternfly/react-icons";
import { useEffect, useState } from "react";
import { useTranslation } from "./translation";

interface Props {
	text: string;
	/** What is copied, for screen readers; "Copy" when left out. */
	label?: string;
	/** Shows the label beside the icon. */
	withLabel?: boolean;
}

const icons = { copy: <CopyIcon />, copied: <CheckIcon />, notCopied: <ExclamationTriangleIcon /> };

/** CopyButton puts text on the clipboard and says for some seconds whether it is there: a browser may forbid it. */
export function CopyButton({ text, label, withLabel = false }: Props) {
	const { t } = useTranslation("ui");
	const [state, setState] = useState<keyof typeof icons>("copy");
	useEffect(() => {
		if (state === "copy") return;
		const timer = setTimeout(() => setState("copy"), state === "copied" ? 2_000 : 6_000);
		return () => clearTimeout(timer);
	}, [state]);
	const copy = async () => {
		try {
			await navigator.clipboard.writeText(text); // there is no clipboard at all where the page came without TLS
			setState("copied");
		} catch {
			setState("notCopied");
		}
	};
	const words = label ?? t("copy");
	const told = state === "copy" ? words : t(state);
	if (withLabel) {
		return (
			<Button variant="secondary" icon={icons[state]} onClick={copy}>
				{told}
			</Button>
		);
	}
	return (
		<Tooltip content={told}>
			<Button variant="plain" size="sm" aria-label={words} icon={icons[state]} onClick={copy} />
		</Tooltip>
	);
}
