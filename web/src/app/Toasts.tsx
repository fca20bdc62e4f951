import { useStore } from "@api";
import { Alert, AlertActionCloseButton, AlertActionLink, AlertGroup } from "@patternfly/react-core";
import { toast, toasts } from "@ui/toast";
import { useTranslation } from "@ui/translation";

/** Toasts shows what just happened; one with Undo stays a little longer. */
export function Toasts() {
	const { t } = useTranslation();
	const shown = useStore(toasts);
	return (
		<AlertGroup isToast isLiveRegion>
			{shown.map(({ id, variant, title, detail, undo }) => {
				const close = () => toast.dismiss(id);
				const act = () => {
					undo?.();
					close();
				};
				return (
					<Alert
						key={id}
						variant={variant}
						title={title}
						component="p"
						variantLabel={t(`ui:notice.${variant}`)}
						timeout={undo ? 10_000 : variant === "danger" ? false : 5_000}
						onTimeout={close}
						actionClose={<AlertActionCloseButton aria-label={t("closeToast", { title })} onClose={close} />}
						actionLinks={undo && <AlertActionLink onClick={act}>{t("undo")}</AlertActionLink>}
					>
						{detail}
					</Alert>
				);
			})}
		</AlertGroup>
	);
}
