import { ApiError } from "@api";
import {
	Button,
	EmptyStateActions,
	EmptyStateBody,
	EmptyStateFooter,
	EmptyState as PFEmptyState,
} from "@patternfly/react-core";
import { ExclamationCircleIcon } from "@patternfly/react-icons";
import { useErrorText } from "./errorText";
import { useTranslation } from "./translation";

interface Props {
	error: unknown;
	/** Tries again; without it there is no button. */
	retry?: () => void;
}

/** ErrorState stands where something could not be loaded. A lost connection retries by itself, so it is put calmly. */
export function ErrorState({ error, retry }: Props) {
	const { t } = useTranslation("ui");
	const text = useErrorText();
	const away = error instanceof ApiError && error.away;
	const isOff = error instanceof ApiError && error.code === "switched_off"; // which is no fault
	const isFault = !away && !isOff;
	return (
		<PFEmptyState
			titleText={isOff ? t("state.off") : away ? t("error.waiting") : t("error.load")}
			headingLevel="h2"
			status={isFault ? "danger" : "info"}
			icon={isFault ? ExclamationCircleIcon : undefined}
			variant="sm"
		>
			<EmptyStateBody>{text(error)}</EmptyStateBody>
			{retry && !isOff && (
				<EmptyStateFooter>
					<EmptyStateActions>
						<Button variant="secondary" onClick={retry}>
							{t("retry")}
						</Button>
					</EmptyStateActions>
				</EmptyStateFooter>
			)}
		</PFEmptyState>
	);
}
