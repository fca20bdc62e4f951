import { queryClient, type Resource, type Row, useCan, useRemove } from "@api";
import { Button } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { type ComponentType, type ReactNode, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { ConfirmDialog } from "./ConfirmDialog";
import { EmptyState } from "./EmptyState";
import { later } from "./later";
import { Page } from "./Page";
import type { FormSpec } from "./ResourceForm";
import { type Column, ResourceTable } from "./ResourceTable";
import type { RowAction } from "./RowMenu";
import type { Filter } from "./TableToolbar";
import { toast } from "./toast";
import { useUrlState } from "./urlState";

/** RowDialog is a feature's own action on a row: an entry of the row menu and the dialog it opens. */
export interface RowDialog<R> {
	/** In the URL: ?do=<id>&id=<row>. */
	id: string;
	title: string;
	danger?: boolean;
	/** Leaves the entry out for rows it does not fit. */
	fits?: (row: R) => boolean;
	/** Load it with later(): it is not part of the page's first load then. */
	dialog: (row: R, close: () => void) => ReactNode;
}

interface Props<R extends Row, In> {
	resource: Resource<R, In>;
	/**
	 * Namespace of the feature's messages, with "title", "lead", "create", "edit", "delete", "deleteText",
	 * "created", "saved", "deleted", "empty", "emptyText", "search" and, per field, "field.*", "help.*", "option.*".
	 */
	ns: string;
	icon?: ComponentType;
	columns: Column<R>[];
	/** () => import("./form"), which exports `form`: schema and fields of create and edit. */
	form: () => Promise<{ form: FormSpec }>;
	dialogs?: RowDialog<R>[];
	filters?: Filter[];
	defaultSort?: string;
	/** Rows that must stay; the menu has no Delete then. */
	keeps?: (row: R) => boolean;
}

/** ResourcePage lists, creates, changes and deletes a resource. Which dialog is open is in the URL. */
export function ResourcePage<R extends Row, In>(props: Props<R, In>) {
	const { resource, ns, columns, dialogs = [], keeps } = props;
	const [ResourceForm] = useState(() => lazyForm<R, In>(ns, props.form));
	const { t } = useTranslation(ns);
	const admin = useCan("admin");
	const { mutateAsync: remove } = useRemove(resource);
	const [search, set] = useUrlState();
	const close = () => set({ do: undefined, id: undefined });
	const open = (what: string, row?: R) => {
		if (row) queryClient.setQueryData(rowKey(resource, row.id), row);
		set({ do: what, id: row?.id }, { push: true });
	};
	const row = useRow(resource, search.do === "create" ? undefined : search.id);

	const actions = (item: R): RowAction[] => [
		{ title: t("edit"), onClick: () => open("edit", item) },
		...dialogs
			.filter((d) => d.fits?.(item) ?? true)
			.map((d) => ({ title: d.title, isDanger: d.danger, onClick: () => open(d.id, item) })),
		...(keeps?.(item)
			? []
			: [{ isSeparator: true as const }, { title: t("delete"), isDanger: true, onClick: () => open("delete", item) }]),
	];
	const saved = (words: string) => (made: R) => {
		toast.success(t(words, { name: resource.name(made) }));
		close();
	};
	const createButton = <Button onClick={() => open("create")}>{t("create")}</Button>;
	const form = { resource, ns, onClose: close };
	return (
		<Page title={t("title")} description={t("lead")} actions={admin && createButton}>
			<ResourceTable
				resource={resource}
				label={t("title")}
				columns={columns}
				actions={admin ? actions : undefined}
				filters={props.filters}
				defaultSort={props.defaultSort}
				searchLabel={t("search")}
				empty={
					<EmptyState title={t("empty")} icon={props.icon} action={admin && createButton}>
						{t("emptyText")}
					</EmptyState>
				}
			/>
			<Suspense fallback={null}>
				{admin && search.do === "create" && <ResourceForm {...form} title={t("create")} onSaved={saved("created")} />}
				{admin && row && search.do === "edit" && (
					<ResourceForm key={row.id} {...form} row={row} title={t("edit")} onSaved={saved("saved")} />
				)}
				{admin && row && dialogs.find((d) => d.id === search.do)?.dialog(row, close)}
			</Suspense>
			{admin && row && search.do === "delete" && (
				<ConfirmDialog
					title={t("delete")}
					confirm={t("delete")}
					danger
					onConfirm={() => remove(row).then(() => toast.success(t("deleted", { name: resource.name(row) })))}
					onClose={close}
				>
					{t("deleteText", { name: resource.name(row) })}
				</ConfirmDialog>
			)}
		</Page>
	);
}

/** lazyForm is the form's code and spec, loaded when a dialog opens: most visits only look. */
function lazyForm<R extends Row, In>(ns: string, load: Props<R, In>["form"]) {
	return later(`form of ${ns}`, async () => {
		const [{ ResourceForm }, { form }] = await Promise.all([import("./ResourceForm"), load()]);
		type Given = Omit<Parameters<typeof ResourceForm<R, In>>[0], keyof FormSpec>;
		return { default: (given: Given) => <ResourceForm<R, In> {...given} {...form} /> };
	});
}

const rowKey = <R extends Row, In>(resource: Resource<R, In>, id: string) => [{ _id: `${resource.path}/`, id }];

/** useRow is the row a dialog is about; it stays as it was when the dialog opened, for If-Match. */
function useRow<R extends Row, In>(resource: Resource<R, In>, id: string | undefined): R | undefined {
	const { data } = useQuery({
		queryKey: rowKey(resource, id ?? ""),
		queryFn: async ({ signal }) => (await resource.get({ path: { id: id ?? "" }, signal })).data,
		enabled: Boolean(id),
		staleTime: Number.POSITIVE_INFINITY,
		gcTime: 10_000,
	});
	return id ? data : undefined;
}
