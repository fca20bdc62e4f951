import { useCan, useSave, useStates } from "@api";
import { Button } from "@patternfly/react-core";
import { NetworkWiredIcon } from "@patternfly/react-icons";
import { useNavigate } from "@tanstack/react-router";
import {
	type Column,
	EmptyState,
	ResourceTable,
	type RowAction,
	StatusLabel,
	Time,
	tell,
	toast,
	UnknownState,
	useErrorText,
} from "@ui";
import { useTranslation } from "@ui/translation";
import { type LeaseRow, leases, reservationOf } from "./leases";
import { useRelease, useSubnetChoices, useWake } from "./requests";
import { reservations } from "./resource";

/** LeasesTab is who has which address now. */
export function LeasesTab() {
	const { t } = useTranslation("dhcp");
	const actions = useActions();
	const subnets = useSubnetChoices();
	const columns: Column<LeaseRow>[] = [
		{ key: "address", title: t("lease.address"), sortable: true, width: 15 },
		{ key: "hostname", title: t("lease.hostname"), sortable: true, width: 15, cell: (one) => one.hostname || "–" },
		{ key: "mac", title: t("lease.mac"), sortable: true, width: 20, cell: (one) => <Mac of={one} /> },
		{ key: "state", title: t("lease.state"), width: 15, cell: (one, current) => <State of={one} current={current} /> },
		{ key: "last_seen", title: t("lease.last_seen"), sortable: true, width: 20, cell: (one) => <Seen of={one} /> },
		{
			key: "expires_at",
			title: t("lease.expires_at"),
			sortable: true,
			width: 15,
			cell: (one) => <Time value={one.expires_at} />,
		},
	];
	const filter = {
		key: "filter",
		label: t("allSubnets"),
		options: subnets.map(({ value, label }) => ({ value: `subnet_id:${value}`, label })),
	};
	return (
		<ResourceTable
			resource={leases}
			label={t("tab.leases")}
			columns={columns}
			actions={actions}
			filters={[filter]}
			defaultSort="address"
			searchLabel={t("lease.search")}
			empty={<Empty subnets={subnets.length} />}
		/>
	);
}

/** Empty says what comes before the first lease: a subnet, then a server that runs. */
function Empty({ subnets }: { subnets: number }) {
	const { t } = useTranslation("dhcp");
	const admin = useCan("admin");
	const navigate = useNavigate();
	const off = useStates("dhcp-server")("dhcp")?.state === "off";
	const step = (title: string, to: string) => admin && <Button onClick={() => void navigate({ to })}>{title}</Button>;
	const [text, action] =
		subnets === 0
			? ["lease.noSubnet", step(t("subnet.create"), "/dhcp?tab=subnets&do=create")]
			: off
				? ["lease.off", step(t("ui:off.settings"), "/dhcp?tab=settings")]
				: ["lease.emptyText"];
	return (
		<EmptyState title={t("lease.empty")} icon={NetworkWiredIcon} action={action}>
			{t(text)}
		</EmptyState>
	);
}

/** useActions are what an administrator does with a lease. */
function useActions(): (row: LeaseRow) => RowAction[] {
	const { t } = useTranslation("dhcp");
	const text = useErrorText();
	const save = useSave(reservations);
	const wake = useWake();
	const release = useRelease();
	const admin = useCan("admin");
	const failed = (title: string) => (error: unknown) => toast.danger(title, { detail: text(error) });
	return (row) => {
		if (!admin) return [];
		const { address, mac, subnet_id } = row;
		const keep = () =>
			save.mutate(
				{ body: reservationOf(row) },
				{
					onSuccess: ({ outcome }) => tell(t("lease.kept", { name: address }), "dhcp", outcome),
					onError: failed(t("lease.notKept")),
				},
			);
		const rouse = () =>
			wake.mutate(
				{ mac, subnet_id },
				{ onSuccess: () => toast.success(t("lease.woken", { mac })), onError: failed(t("lease.notWoken")) },
			);
		const end = () =>
			release.mutate(address, {
				onSuccess: () => toast.success(t("lease.ended", { name: address })),
				onError: failed(t("lease.notEnded")),
			});
		const known = subnet_id !== "";
		return [
			...(known && row.reservation_id === "" ? [{ title: t("lease.keep"), onClick: keep }] : []),
			...(known && mac !== "" ? [{ title: t("lease.wake"), onClick: rouse }] : []),
			{ title: t("lease.end"), onClick: end, isDanger: true },
		];
	};
}

function Mac({ of: { mac, random_mac } }: { of: LeaseRow }) {
	const { t } = useTranslation("dhcp");
	return (
		<>
			<code className="gw-mono">{mac || "–"}</code>
			{random_mac && (
				<span className="gw-dhcp-hint gw-dhcp-line" title={t("lease.randomHint")}>
					{t("lease.random")}
				</span>
			)}
		</>
	);
}

/** Seen has both times below each other: as columns their headings are cut. */
function Seen({ of: { first_seen, last_seen } }: { of: LeaseRow }) {
	const { t } = useTranslation("dhcp");
	return (
		<>
			<Time value={last_seen} />
			<span className="gw-dhcp-hint gw-dhcp-line">
				{t("lease.first_seen")}: <Time value={first_seen} />
			</span>
		</>
	);
}

function State({ of: { state, reservation_id }, current }: { of: LeaseRow; current: boolean }) {
	const { t } = useTranslation("dhcp");
	if (!current) return <UnknownState />;
	if (state === "declined") return <StatusLabel status="warning">{t("lease.declined")}</StatusLabel>;
	return <StatusLabel status="success">{t(reservation_id ? "lease.static" : "lease.assigned")}</StatusLabel>;
}
