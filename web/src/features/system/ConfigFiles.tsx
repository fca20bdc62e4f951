import { CopyButton, Loaded, serviceName } from "@ui";
import { useTranslation } from "@ui/translation";
import { useState } from "react";
import { filesOf } from "./config";
import { useConfigFiles } from "./requests";

/** ConfigFiles are the files of every component as the database wants them, folded. */
export function ConfigFiles({ components }: { components: string[] }) {
	const { t } = useTranslation("system");
	return (
		<section className="gw-panel gw-system-files">
			<h2>{t("files.title")}</h2>
			<p className="gw-system-sub">{t("files.lead")}</p>
			{components.map((component) => (
				<Folded key={component} component={component} />
			))}
		</section>
	);
}

/** Folded asks for a component's files only when it is opened: those of one with many rows are long. */
function Folded({ component }: { component: string }) {
	const [open, setOpen] = useState(false);
	return (
		<details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
			<summary>{serviceName(component)}</summary>
			{open && <Files component={component} />}
		</details>
	);
}

function Files({ component }: { component: string }) {
	const { t } = useTranslation("system");
	return (
		<Loaded query={useConfigFiles(component)} height="6rem">
			{(previews) => {
				const files = filesOf(previews);
				if (files.length === 0) return <p className="gw-system-sub">{t("files.none")}</p>;
				return files.map((file) => (
					<details key={file.path} open={files.length === 1}>
						<summary>
							<code>{file.path}</code> <span className="gw-system-sub">{t("files.lines", { count: file.lines })}</span>
						</summary>
						<FileText path={file.path} text={file.text} />
					</details>
				));
			}}
		</Loaded>
	);
}

function FileText({ path, text }: { path: string; text: string }) {
	const { t } = useTranslation("system");
	return (
		<div className="gw-system-file">
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
			<pre tabIndex={0}>{text}</pre>
			<CopyButton text={text} label={t("files.copy", { path })} />
		</div>
	);
}
