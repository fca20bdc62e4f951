import { type DiagCapture, type DiagCaptureInput, startCapture } from "@api";
import { zDiagCaptureInput } from "@api/schemas";
import { Button } from "@patternfly/react-core";
import { DownloadIcon } from "@patternfly/react-icons";
import {
	BusyButton,
	type Choice,
	type Field,
	formatBytes,
	formatClock,
	formatNumber,
	Loaded,
	Notice,
	Page,
	PropertyList,
	SchemaForm,
	type Status,
	StatusLabel,
	Time,
} from "@ui";
import { useTranslation } from "react-i18next";
import { file, useCapture, useDeleteCapture, useInterfaces, useStopCapture } from "./capture";
import "./diag.css";

function useChoices(): Choice[] {
	return useInterfaces().map(({ ifname, addr_info }) => ({
		value: ifname,
		label: ifname,
		hint: addr_info.find(({ scope }) => scope === "global")?.local,
	}));
}

const fields: Field[] = [
	{ name: "interface", kind: "choice", useChoices },
	{ name: "protocol", initial: "any" },
	{ name: "host", autoComplete: "off" },
	{ name: "port", narrow: true },
	{ name: "max_packets", narrow: true },
	{ name: "max_megabytes", narrow: true },
	{ name: "max_seconds", narrow: true },
];

/** CapturePage records the packets of an interface, shows the last of them, and hands them out as a file. */
export default function CapturePage() {
	const { t } = useTranslation("diag");
	const query = useCapture();
	return (
		<Page
			title={t("capture.title")}
			description={t("capture.lead")}
			breadcrumbs={[{ title: t("title"), to: "/diagnostics" }]}
		>
			<Loaded query={query} withoutDatabase>
				{(capture) => (
					<>
						{capture.state !== "running" && (
							<SchemaForm<DiagCaptureInput, DiagCapture>
								schema={zDiagCaptureInput}
								ns="diag/capture"
								fields={fields}
								guard={false}
								submit={async (body) => (await startCapture({ body })).data}
								onDone={() => void query.refetch()}
								submitLabel={t("capture.submit")}
							/>
						)}
						{capture.state !== "none" && <Recorded capture={capture} />}
					</>
				)}
			</Loaded>
		</Page>
	);
}

const look = ({ state, reason }: DiagCapture): Status =>
	state === "running" ? "info" : reason === "failed" ? "danger" : "success";

function Recorded({ capture }: { capture: DiagCapture }) {
	const { t } = useTranslation("diag");
	const stop = useStopCapture();
	const remove = useDeleteCapture();
	const running = capture.state === "running";
	return (
		<section className="gw-diag" aria-label={t("capture.result")}>
			<p role="status">
				<StatusLabel status={look(capture)}>
					{t(running ? "capture.running" : `capture.reason.${capture.reason}`)}
				</StatusLabel>{" "}
				{t("capture.count", { packets: formatNumber(capture.packets), size: formatBytes(capture.bytes) })}
			</p>
			{capture.dropped > 0 && (
				<Notice kind="warning" title={t("capture.dropped", { n: formatNumber(capture.dropped) })} />
			)}
			<PropertyList
				items={[
					[t("capture.fact.interface"), capture.interface],
					[t("capture.fact.filter"), capture.filter || t("capture.all")],
					[t("capture.fact.by"), capture.by],
					[t("capture.fact.started"), <Time key="start" value={capture.started_at} exact />],
					[
						t(running ? "capture.fact.ends" : "capture.fact.expires"),
						<Time key="end" value={running ? capture.ends_at : capture.expires_at} exact />,
					],
				]}
			/>
			<p className="gw-diag-actions">
				{running ? (
					<BusyButton variant="primary" busy={stop.isPending} onClick={() => stop.mutate()}>
						{t("capture.stop")}
					</BusyButton>
				) : (
					<>
						<Button variant="secondary" component="a" href={file} download icon={<DownloadIcon />}>
							{t("capture.download")}
						</Button>{" "}
						<BusyButton variant="link" isDanger busy={remove.isPending} onClick={() => remove.mutate()}>
							{t("capture.delete")}
						</BusyButton>
					</>
				)}
			</p>
			{capture.lines.length > 0 && (
				// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
				<pre tabIndex={0}>
					{capture.lines
						.map(
							({ at, length, summary }) =>
								`${formatClock(new Date(at), true)}  ${summary}  ${t("path.bytes", { n: length })}`,
						)
						.join("\n")}
				</pre>
			)}
		</section>
	);
}
