import { type DiagCapture, type DiagCaptureInput, startCapture } from "@api";
import { zDiagCaptureInput } from "@api/schemas";
import { Button } from "@patternfly/react-core";
import { DownloadIcon } from "@patternfly/react-icons";
import {
	BusyButton,
	type Choice,
	ConfirmDialog,
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
	sentence,
	serverText,
	Time,
	toast,
	useErrorText,
} from "@ui";
import { useTranslation } from "@ui/translation";
import { useState } from "react";
import { file, useCapture, useDeleteCapture, useInterfaces, useStopCapture } from "./capture";
import "./diag.css";

function useChoices(): Choice[] {
	return useInterfaces()
		.filter(({ link_type }) => link_type !== "loopback") // the server refuses it
		.map(({ ifname, addr_info }) => ({
			value: ifname,
			label: ifname,
			hint: addr_info.find(({ scope }) => scope === "global")?.local,
		}));
}

const fields: Field[] = [
	{ name: "interface", kind: "choice", useChoices, section: "packets" },
	{ name: "protocol", initial: "any", section: "packets" },
	{ name: "host", autoComplete: "off", section: "packets" },
	{ name: "port", narrow: true, section: "packets" },
	{ name: "max_packets", narrow: true, section: "limits" },
	{ name: "max_seconds", unit: "seconds", presets: [10, 60, 300], section: "limits" },
	{ name: "max_megabytes", unit: "mebibytes", presets: [1, 10, 64], section: "limits" },
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
						{capture.state === "ended" && <Notice kind="info" title={t("capture.replaces", { by: capture.by })} />}
						{/* It stays while a capture runs: who looks for something starts the next one with nearly the same. */}
						<div hidden={capture.state === "running"}>
							<div className="gw-panel gw-settings">
								<SchemaForm<DiagCaptureInput, DiagCapture>
									schema={zDiagCaptureInput}
									ns="diag/capture"
									fields={fields}
									guard={false}
									submit={async (body) => (await startCapture({ body })).data}
									onDone={() => void query.refetch()}
									submitLabel={t("capture.submit")}
									wide
								/>
							</div>
						</div>
						{capture.state !== "none" && <Recorded capture={capture} />}
					</>
				)}
			</Loaded>
		</Page>
	);
}

/** look: that a capture ended is neither good nor bad; that something is missing in it is. */
const look = ({ state, reason, dropped }: DiagCapture): Status => {
	if (state === "running") return "info";
	if (reason === "failed") return "danger";
	return dropped > 0 ? "warning" : "neutral";
};

function Recorded({ capture }: { capture: DiagCapture }) {
	const { t } = useTranslation("diag");
	const text = useErrorText();
	const stop = useStopCapture();
	const remove = useDeleteCapture();
	const [asking, ask] = useState(false);
	const running = capture.state === "running";
	return (
		<section className="gw-diag" aria-label={t("capture.result")}>
			<p>
				{/* Not the counts, which are new every second. */}
				<span role="status">
					<StatusLabel status={look(capture)}>
						{t(running ? "capture.running" : `capture.reason.${capture.reason}`)}
					</StatusLabel>
				</span>{" "}
				{t("capture.count", { packets: formatNumber(capture.packets), size: formatBytes(capture.bytes) })}
			</p>
			{capture.error && <Notice kind="danger" title={sentence(serverText(capture.error))} />}
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
					<BusyButton
						variant="primary"
						busy={stop.isPending}
						onClick={() => stop.mutate(undefined, { onError: (error) => toast.danger(text(error)) })}
					>
						{t("capture.stop")}
					</BusyButton>
				) : (
					<>
						<Button variant="secondary" component="a" href={file} download icon={<DownloadIcon />}>
							{t("capture.download")}
						</Button>{" "}
						<Button variant="link" isDanger onClick={() => ask(true)}>
							{t("capture.delete")}
						</Button>
					</>
				)}
			</p>
			{asking && !running && (
				<ConfirmDialog
					title={t("capture.deleteTitle")}
					confirm={t("capture.delete")}
					danger
					onConfirm={() => remove.mutateAsync()}
					onClose={() => ask(false)}
				>
					{t("capture.deleteText", { by: capture.by })}
				</ConfirmDialog>
			)}
			{capture.lines.length > 0 && (
				// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
				<section className="gw-diag-lines" aria-label={t("capture.lines")} tabIndex={0}>
					{capture.lines
						.map(
							({ at, length, summary }) =>
								`${formatClock(new Date(at), "ms")}  ${summary}  ${t("path.bytes", { n: length })}`,
						)
						.join("\n")}
				</section>
			)}
		</section>
	);
}
