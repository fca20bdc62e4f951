import { Page } from "@ui";
import { useTranslation } from "react-i18next";

export default function ToyPage() {
	const { t } = useTranslation("toy");
	return <Page title={t("title")}>{null}</Page>;
}
