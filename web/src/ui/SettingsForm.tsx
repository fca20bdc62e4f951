import { asResource, type Done, type Row, type Settings, useCan, useSettings } from "@api";
import { useState } from "react";
import { FailedNotice } from "./change/FailedNotice";
import { tell } from "./change/outcome";
import { Loaded } from "./Loaded";
import type { FormSpec } from "./ResourceForm";
import { SchemaForm } from "./SchemaForm";
import { SettingsView } from "./SettingsView";
import { useTranslation } from "./translation";
import { useSaving } from "./useSaving";
import { useWords } from "./words";

interface Props<R extends Row, In> extends FormSpec {
	settings: Settings<R, In>;
	/** Namespace of "field.*", "help.*", "option.*" and "saved". */
	ns: string;
}

/** SettingsForm shows settings that there are once, and lets administrators change them. */
export function SettingsForm<R extends Row, In>(props: Props<R, In>) {
	const admin = useCan("admin");
	const query = useSettings(props.settings);
	return (
		<Loaded query={query} height="24rem">
			{(stored) => (
				<div className="gw-panel gw-settings">
					{admin ? <Editor {...props} stored={stored} /> : <SettingsView {...props} stored={stored} />}
				</div>
			)}
		</Loaded>
	);
}

function Editor<R extends Row, In>({ settings, ns, schema, fields, stored }: Props<R, In> & { stored: R }) {
	const { t } = useTranslation("ui");
	const { t: own } = useWords(ns);
	const [resource] = useState(() => asResource(settings));
	const [dirty, setDirty] = useState(false);
	const [failed, setFailed] = useState<Done<R>>();
	const { base = stored, setBase, submit, foot, forget, dialog } = useSaving(resource, stored, ns, fields);
	// Undone, or changed elsewhere: shown at once, unless something is typed here that it would overwrite.
	if (stored.revision !== base.revision && !dirty && !dialog) setBase(stored);
	const done = (saved: Done<R>) => {
		const lost = saved.outcome?.apply === "failed";
		setDirty(false);
		setBase(saved.data);
		forget();
		setFailed(lost ? saved : undefined);
		if (!lost) tell(own("saved"), settings.component, saved.outcome);
	};
	return (
		<>
			{failed?.outcome && (
				<FailedNotice component={settings.component} outcome={failed.outcome} onUndone={() => setFailed(undefined)} />
			)}
			<SchemaForm<In, Done<R>>
				key={base.revision}
				schema={schema}
				ns={ns}
				fields={fields}
				initial={base}
				submit={submit}
				onDone={done}
				onDirty={setDirty}
				foot={foot}
				wide
				submitLabel={t("save")}
			/>
			{dialog}
		</>
	);
}
