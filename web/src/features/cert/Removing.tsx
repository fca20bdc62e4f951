import type { Certificate } from "@api";
import { PropertyList } from "@ui";
import { useTranslation } from "@ui/translation";
import { useDomainsOf } from "./requests";

const most = 5;

/** Removing is what loses a certificate when it is deleted: its names, and the domains that are served with it now. */
export default function Removing({ certificate: { id, names } }: { certificate: Certificate }) {
	const { t } = useTranslation("cert");
	const { data: domains } = useDomainsOf(id);
	const few = (all: string[]) =>
		[
			all.slice(0, most).join(", "),
			...(all.length > most ? [t("certificate.more", { count: all.length - most })] : []),
		].join(" ");
	return (
		<PropertyList
			items={[
				[t("certificate.field.names"), few(names)],
				[t("usedBy.title"), domains && (few(domains.map(({ name }) => name)) || t("usedBy.none"))],
			]}
		/>
	);
}
