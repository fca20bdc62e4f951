import { Page } from "@ui";
import { useTranslation } from "@ui/translation";

export default function ToyPage() {
	const { t } = useTranslation("toy");
	return <Page title={t("title")}>{null}</Page>;
}
