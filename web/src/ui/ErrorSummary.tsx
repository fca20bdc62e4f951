import { Button } from "@patternfly/react-core";
import type { FieldValues, FormState } from "react-hook-form";
import { sentence } from "./errorText";
import type { Input } from "./fields";
import { Notice } from "./Notice";
import { useTranslation } from "./translation";
import { useWords } from "./words";
import { wrongOf } from "./wrong";

/** jump goes to an input, also to one that is folded away. */
function jump(name: string): void {
	const found = document.getElementById(`field-${name}`);
	const fold = found?.closest("details");
	if (fold) fold.open = true;
	found?.scrollIntoView({ block: "center" });
	const input = found?.matches("fieldset") ? found.querySelector("input") : found;
	input?.focus({ preventScroll: true });
}

interface Props {
	ns: string;
	inputs: Input[];
	state: FormState<FieldValues>;
}

/** ErrorSummary lists all that is wrong with a form that was sent, and leads to each. */
export function ErrorSummary({ ns, inputs, state }: Props) {
	const { t } = useTranslation("ui");
	const { t: own } = useWords(ns);
	const { errors, submitCount } = state;
	const wrong = inputs.flatMap((input) => {
		const message = wrongOf(errors[input.name]);
		return message ? [{ name: input.name, label: input.label ?? own(`field.${input.name}`), message }] : [];
	});
	if (submitCount === 0 || wrong.length === 0) return null;
	return (
		<Notice kind="danger" title={t("form.wrong", { count: wrong.length })}>
			<ul className="gw-wrong">
				{wrong.map(({ name, label, message }) => (
					<li key={name}>
						<Button variant="link" isInline onClick={() => jump(name)}>
							{t("form.wrongAt", { label, message: sentence(message) })}
						</Button>
					</li>
				))}
			</ul>
		</Notice>
	);
}
