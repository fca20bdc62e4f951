import { Button } from "@patternfly/react-core";
import { useNavigate } from "@tanstack/react-router";
import { BarePage } from "@ui/BarePage";
import { useTranslation } from "@ui/translation";
import { BareFrame } from "./BareFrame";

/** NotFound stands at addresses that lead nowhere. */
export function NotFound() {
	const { t } = useTranslation();
	const navigate = useNavigate();
	return (
		<BareFrame>
			<BarePage title={t("notFound.title")} lead={t("notFound.text")}>
				<Button isBlock onClick={() => void navigate({ to: "/" })}>
					{t("home")}
				</Button>
			</BarePage>
		</BareFrame>
	);
}
