import type { Certificate } from "@api";
import { Button } from "@patternfly/react-core";
import { useTranslation } from "@ui/translation";
import type { UseFormReturn } from "react-hook-form";
import { coverOf } from "./cover";
import { authorityOf, hostOf, poolName, type Step, testable, type Values } from "./publish";
import { ServerReach } from "./ReachHint";
import { useAuthority, usePools } from "./requests";

interface Props {
	form: UseFormReturn<Values>;
	certificates: Certificate[] | undefined;
	onEdit: (step: Step) => void;
}

/** SummaryStep shows all answers once more, each with the way back to it. */
export function SummaryStep({ form, certificates = [], onEdit }: Props) {
	const { t } = useTranslation("proxy");
	const { data: stored } = useAuthority();
	const values = form.getValues();
	const name = hostOf(values.name);
	const pool = usePools()?.find((one) => one.id === values.backend_id)?.name ?? "";
	const server = `${values.scheme}://${values.address.includes(":") ? `[${values.address}]` : values.address}:${values.port}`;
	const where = {
		pool: [pool],
		new: [server, t("publish.newPool", { name: poolName(values) })],
		later: [t("publish.where.later")],
	}[values.where];
	const authority = authorityOf(values.directory || stored?.directory_url);
	const chosen = t(`publish.certificate.${values.certificate}`, { authority });
	const cover = values.certificate === "covered" ? [coverOf(certificates, name)?.names[0] ?? ""] : [];
	const rows: [Step, string[]][] = [
		["name", [name]],
		["where", where],
		["certificate", [chosen, ...cover]],
	];
	return (
		<dl className="gw-steps-review">
			{rows.map(([step, lines]) => (
				<div key={step}>
					<dt>{t(`publish.${step}.step`)}</dt>
					<dd>
						{lines.map((line) => (
							<span key={line}>{line}</span>
						))}
						{step === "where" && values.where === "new" && <ServerReach server={testable(values)} />}
					</dd>
					<dd>
						<Button
							variant="link"
							isInline
							aria-label={t("publish.editOf", { name: t(`publish.${step}.step`) })}
							onClick={() => onEdit(step)}
						>
							{t("publish.edit")}
						</Button>
					</dd>
				</div>
			))}
		</dl>
	);
}
