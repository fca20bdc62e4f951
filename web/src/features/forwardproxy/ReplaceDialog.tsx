import type { ForwardproxyList } from "@api";
import { Button, FormGroup, TextArea } from "@patternfly/react-core";
import { ConfirmDialog } from "@ui";
import { saveAs } from "@ui/saveAs";
import { useTranslation } from "@ui/translation";
import { useId, useState } from "react";
import { readNames, useReplaceNames, useTellNames } from "./requests";

/** ReplaceDialog takes all names of a list from a file or from the clipboard, and hands out those that it has. */
export default function ReplaceDialog({ list, onClose }: { list: ForwardproxyList; onClose: () => void }) {
	const { t } = useTranslation("forwardproxy");
	const id = useId();
	const [file, setFile] = useState<File>();
	const [text, setText] = useState("");
	const { mutateAsync } = useReplaceNames(list);
	const tellNames = useTellNames(list);
	// A file is not shown: a text of a million lines would stop the page.
	const replace = async () => tellNames(await mutateAsync(file ? await file.text() : text));
	const download = async () => saveAs(`${list.name}.txt`, await readNames(list), "text/plain");
	return (
		<ConfirmDialog
			wide
			title={t("replace.title")}
			confirm={t("replace.submit")}
			complete={file !== undefined || text.trim() !== ""}
			onConfirm={replace}
			onClose={onClose}
		>
			<p>{t("replace.text", { name: list.name })}</p>
			<Button variant="link" isInline onClick={download} isDisabled={list.size === 0}>
				{t("replace.download")}
			</Button>
			<FormGroup label={t("replace.file")} fieldId={`${id}file`}>
				<input
					id={`${id}file`}
					type="file"
					accept=".txt,.list,.hosts,text/plain"
					onChange={(event) => setFile(event.target.files?.[0])}
				/>
			</FormGroup>
			{!file && (
				<FormGroup label={t("replace.paste")} fieldId={`${id}text`}>
					<TextArea
						id={`${id}text`}
						className="gw-mono"
						rows={10}
						value={text}
						placeholder={t("replace.example")}
						onChange={(_, value) => setText(value)}
					/>
				</FormGroup>
			)}
		</ConfirmDialog>
	);
}
