import { Button, TextArea } from "@patternfly/react-core";
import { useTranslation } from "@ui/translation";
import { pretty } from "./useSend";

interface Props {
	text: string;
	/** What keeps the text from being JSON. */
	wrong: string | undefined;
	change: (text: string) => void;
}

/** BodyEditor edits the JSON of a request. */
export function BodyEditor({ text, wrong, change }: Props) {
	const { t } = useTranslation("reference");
	return (
		<div className="gw-ref-body">
			<div className="gw-ref-bar">
				<label htmlFor="ref-body">{t("body")}</label>
				<Button variant="link" size="sm" isDisabled={wrong !== undefined} onClick={() => change(pretty(text))}>
					{t("try.format")}
				</Button>
			</div>
			<TextArea
				id="ref-body"
				value={text}
				rows={Math.min(20, Math.max(4, text.split("\n").length))}
				resizeOrientation="vertical"
				spellCheck={false}
				autoComplete="off"
				validated={wrong ? "error" : "default"}
				aria-describedby={wrong ? "ref-body-wrong" : undefined}
				onChange={(_, value) => change(value)}
			/>
			{wrong && (
				<p id="ref-body-wrong" role="status" className="gw-ref-wrong">
					{t("try.notJson", { problem: wrong })}
				</p>
			)}
		</div>
	);
}
