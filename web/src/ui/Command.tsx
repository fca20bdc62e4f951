import { CopyButton } from "./CopyButton";
import { useTranslation } from "./translation";

/** Command is a line to type on the node itself, with a button that copies it. */
export function Command({ children }: { children: string }) {
	const { t } = useTranslation("ui");
	return (
		<span className="gw-command">
			<code>{children}</code>
			<CopyButton text={children} label={t("copyThis", { text: children })} />
		</span>
	);
}
