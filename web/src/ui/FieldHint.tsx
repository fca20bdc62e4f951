import { ExclamationCircleIcon } from "@patternfly/react-icons";

interface Props {
	/** For aria-describedby of the input. */
	id: string;
	/** The text says what is wrong, not what to fill in. */
	wrong?: boolean;
	children: string;
}

/** FieldHint stands under an input: help, or what is wrong with it. PatternFly's adds English for screen readers. */
export function FieldHint({ id, wrong = false, children }: Props) {
	return (
		<p id={id} className="gw-hint" data-wrong={wrong} aria-live={wrong ? "polite" : undefined}>
			{wrong && <ExclamationCircleIcon aria-hidden="true" />}
			{children}
		</p>
	);
}
