import { StatusLabel } from "@ui";
import { useTranslation } from "@ui/translation";
import { looks, type Mark } from "./routes";

/** MarkLabel is how something configured and the kernel stand to each other, and why, for whoever points at it. */
export function MarkLabel({ mark, why }: { mark: Mark; why?: string }) {
	const { t } = useTranslation("network");
	return (
		<span title={why ?? t(`markWhy.${mark}`)}>
			<StatusLabel status={looks[mark]}>{t(`mark.${mark}`)}</StatusLabel>
		</span>
	);
}
