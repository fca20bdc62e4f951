import { Button, Modal, ModalBody, ModalFooter } from "@patternfly/react-core";
import { ExclamationTriangleIcon, RhMicronsCloseIcon } from "@patternfly/react-icons";
import "./dialog.css";
import { type ReactNode, useEffect, useId } from "react";
import { useTranslation } from "./translation";

interface Props {
	title: string;
	/** One or two sentences under the title. */
	description?: ReactNode;
	/** A warning sign stands before the title. */
	warning?: boolean;
	/** A sheet stands at the side, as high as the window. */
	size?: "small" | "medium" | "sheet";
	/** Closes it by the cross and by Escape; without it the dialog stays until one of its own buttons is pressed. */
	onClose?: () => void;
	/** Selector of what has the focus at first. */
	focus?: string;
	className?: string;
	/** The buttons. */
	footer?: ReactNode;
	children: ReactNode;
}

/**
 * Topmost shows the dialog above all others to screen readers. PatternFly's modal hides all else from them whenever it is
 * drawn, also a dialog that was opened above it; what is inside of a modal has its effect after that.
 */
function Topmost() {
	useEffect(() => {
		[...document.querySelectorAll(".pf-v6-c-backdrop")].at(-1)?.removeAttribute("aria-hidden");
	});
	return null;
}

const classes = { small: "", medium: "gw-dialog-wide", sheet: "gw-sheet" };

/**
 * Dialog is a window above the page; mount it to open it. The head is our own: PatternFly's cuts off
 * long titles, and names its button and its icon in English.
 */
export function Dialog({ title, description, warning, size = "small", onClose, focus, ...rest }: Props) {
	const { t } = useTranslation("ui");
	const id = useId();
	const pressed = (event: KeyboardEvent) => {
		// PatternFly's focus trap would let go of a dialog that stays open, or asks something first.
		event.stopPropagation();
		const top = [...document.querySelectorAll(".pf-v6-c-modal-box")].at(-1);
		if (top?.getAttribute("aria-labelledby") === id) onClose?.();
	};
	return (
		<Modal
			isOpen
			variant={size === "sheet" ? "medium" : size}
			onEscapePress={pressed}
			aria-labelledby={id}
			elementToFocus={focus}
			className={`${classes[size]} ${rest.className ?? ""}`.trim()}
		>
			<Topmost />
			<div className="gw-dialog-head">
				<div>
					<h1 id={id}>
						{warning && <ExclamationTriangleIcon aria-hidden="true" />}
						{title}
					</h1>
					{description && <p>{description}</p>}
				</div>
				{onClose && <Button variant="plain" aria-label={t("close")} icon={<RhMicronsCloseIcon />} onClick={onClose} />}
			</div>
			<ModalBody>{rest.children}</ModalBody>
			{rest.footer && <ModalFooter>{rest.footer}</ModalFooter>}
		</Modal>
	);
}
