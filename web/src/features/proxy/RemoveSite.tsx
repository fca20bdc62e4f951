import type { Done, ProxyDomain } from "@api";
import Remove from "@ui/change/RemoveDialog";
import { useTranslation } from "@ui/translation";
import { sites } from "./resource";

interface Props {
	site: ProxyDomain;
	onRemoved: (done: Done<unknown>) => void;
	onClose: () => void;
}

/** RemoveSite asks before a site is no longer served. */
export default function RemoveSite({ site, ...rest }: Props) {
	const { t } = useTranslation("proxy");
	return (
		<Remove resource={sites} row={site} title={t("site.delete")} {...rest}>
			{t("site.deleteText", { name: site.name })}
		</Remove>
	);
}
