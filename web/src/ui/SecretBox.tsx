import { Button } from "@patternfly/react-core";
import { DownloadIcon } from "@patternfly/react-icons";
import { CopyButton } from "./CopyButton";
import { Notice } from "./Notice";
import { saveAs } from "./saveAs";
import { useTranslation } from "./translation";

interface Props {
	/** One secret, or several such as recovery codes. */
	secrets: string[];
	/** Why it is shown only now. */
	notice: string;
	/** Name of the file when it can be downloaded. */
	fileName?: string;
}

/** SecretBox shows what is never shown again, to copy or to download. */
export function SecretBox({ secrets, notice, fileName }: Props) {
	const { t } = useTranslation("ui");
	const text = secrets.join("\n");
	const download = () => saveAs(fileName ?? "", `${text}\n`, "text/plain");
	return (
		<div className="gw-secret">
			<Notice kind="warning" title={notice} />
			<ul className="gw-secret-list" data-several={secrets.length > 1}>
				{secrets.map((secret) => (
					<li key={secret}>
						<code>{secret}</code>
					</li>
				))}
			</ul>
			<div className="gw-secret-actions">
				<CopyButton text={text} withLabel />
				{fileName && (
					<Button variant="secondary" icon={<DownloadIcon />} onClick={download}>
						{t("download")}
					</Button>
				)}
			</div>
		</div>
	);
}
