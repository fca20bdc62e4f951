import { Button } from "@patternfly/react-core";
import { Dialog } from "@ui";
import { useTranslation } from "@ui/translation";
import { UsedBy, type UsesQuery } from "./UsedBy";

interface Props {
	name: string;
	query: UsesQuery;
	onClose: () => void;
}

/** UsesDialog is what refers to something. */
export default function UsesDialog({ name, query, onClose }: Props) {
	const { t } = useTranslation("firewall");
	const close = <Button onClick={onClose}>{t("uses.close")}</Button>;
	return (
		<Dialog title={t("uses.title", { name })} onClose={onClose} footer={close}>
			<UsedBy query={query} none={t("uses.none")} />
		</Dialog>
	);
}
