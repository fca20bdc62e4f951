import { FormField } from "@ui/FormField";
import type { Input } from "@ui/fields";
import { useTranslation } from "@ui/translation";
import { useRef } from "react";
import type { Control, UseFormReturn } from "react-hook-form";
import { Choices } from "./Choices";
import { hostOf, poolName, serverOf, type Values } from "./publish";
import { inputs } from "./publishForm";
import { PoolTaken, ServerReach } from "./ReachHint";
import { useSitePools } from "./requests";
import { useHolder, type Wanted } from "./taken";
import { useSettled } from "./useReach";

const usual = { http: 80, https: 443 };

/** WhereStep asks which servers answer for the site. */
export function WhereStep({ form }: { form: UseFormReturn<Values> }) {
	const { t } = useTranslation("proxy");
	const none = useSitePools().length === 0;
	const field = (input: Input) => (
		<FormField key={input.name} ns="proxy/publish" input={input} control={form.control as unknown as Control} />
	);
	const scheme = form.watch("scheme");
	const port = form.watch("port");
	// Only a port that nobody chose follows the scheme.
	const other = scheme === "http" ? "https" : "http";
	if (port === usual[other] && !form.formState.dirtyFields.port) form.setValue("port", usual[scheme]);
	const box = useRef<HTMLDivElement>(null);
	const settled = useSettled(serverOf(form.watch()), box);
	const poolBox = useRef<HTMLDivElement>(null);
	const pool: Wanted = { noun: "backend", name: useSettled(poolName(form.watch()), poolBox) };
	const holder = useHolder(pool);
	const fresh = (
		<>
			<div ref={box}>
				<div className="gw-publish-server">{[inputs.scheme, inputs.address, inputs.port].map(field)}</div>
				<ServerReach server={settled ? JSON.parse(settled) : undefined} />
			</div>
			<div ref={poolBox}>
				{field(inputs.poolName)}
				<p className="gw-hint">{t("publish.poolNameHint", { name: hostOf(form.watch("name")) })}</p>
				<PoolTaken name={pool.name} holder={holder} />
			</div>
		</>
	);
	return (
		<Choices
			form={form}
			name="where"
			choices={[
				{ value: "new", content: fresh },
				{ value: "pool", off: none, content: field(inputs.pool), hint: none ? t("publish.where.noPool") : undefined },
				{ value: "later" },
			]}
		/>
	);
}
