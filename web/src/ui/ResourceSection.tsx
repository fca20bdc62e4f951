import { type Done, queryClient, type Resource, type Row, useCan } from "@api";
import { Button } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { type ComponentType, type ReactNode, Suspense, useState } from "react";
import type { BulkAction } from "./BulkBar";
import { tell } from "./change/outcome";
import { EmptyState } from "./EmptyState";
import { later } from "./later";
import type { FormSpec } from "./ResourceForm";
import { type Column, ResourceTable } from "./ResourceTable";
import type { RowAction } from "./RowMenu";
import type { Filter } from "./TableToolbar";
import { useUrlState } from "./urlState";
import { useWords } from "./words";

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

export interface ResourceSectionProps<R extends Row, In> {
	resource: Resource<R, In>;
	/**
	 * Namespace of the feature's messages, with "title", "lead", "create", "edit", "delete", "deleteMany", "deleteText",
	 * "created", "saved", "deleted", "empty", "emptyText", "search" and, per field, "field.*", "help.*", "option.*".
	 */
	ns: string;
	icon?: ComponentType;
	columns: Column<R>[];
	/** () => import("./form"), which exports `form`: schema and fields of create and edit. */
	form: () => Promise<{ form: FormSpec }>;
	dialogs?: RowDialog<R>[];
	/** What can be done to many rows at once, beside deleting them. */
	bulk?: BulkAction<R>[];
	filters?: Filter[];
	defaultSort?: string;
	/** Rows that must stay; the menu has no Delete then. */
	keeps?: (row: R) => boolean;
	/** Stands in the question before a row is deleted: what else that touches. */
	removing?: (row: R) => ReactNode;
	/** Shows the rows in place of the table, where they are more than lines of one. */
	list?: (given: {
		actions: ((row: R) => RowAction[]) | undefined;
		bulk: BulkAction<R>[] | undefined;
		create: ReactNode;
		empty: ReactNode;
	}) => ReactNode;
	/** The list does not have all that the form asks: the row is read again when a dialog opens. */
	reload?: boolean;
	/** Where the button goes that creates one; beside the search when left out. */
	frame?: (create: ReactNode, content: ReactNode) => ReactNode;
}

const RemoveDialog = later(
	"remove",
	() => import("./change/RemoveDialog"),
) as unknown as typeof import("./change/RemoveDialog").default;

/** ResourceSection lists, creates, changes and deletes a resource. Which dialog is open is in the URL. */
export function ResourceSection<R extends Row, In>(props: ResourceSectionProps<R, In>) {
	const { resource, ns, columns, dialogs = [], keeps } = props;
	const [ResourceForm] = useState(() => lazyForm<R, In>(ns, props.form));
	const { t } = useWords(ns);
	const admin = useCan("admin");
	const [search, set] = useUrlState();
	const close = () => set({ do: undefined, id: undefined });
	const open = (what: string, row?: R) => {
		if (row && props.reload) queryClient.removeQueries({ queryKey: rowKey(resource, row.id) });
		else if (row) queryClient.setQueryData(rowKey(resource, row.id), row);
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
	const remove: BulkAction<R> = {
		id: "delete",
		title: t("delete"),
		many: (count) => t("deleteMany", { count }),
		danger: true,
		fits: (item) => !keeps?.(item),
		step: () => ({ method: "DELETE" }),
	};
	const saved =
		(words: string) =>
		({ data, outcome }: Done<R>) => {
			tell(t(words, { name: resource.name(data) }), resource.component, outcome);
			close();
		};
	const create = admin && <Button onClick={() => open("create")}>{t("create")}</Button>;
	const form = { resource, ns, onClose: close };
	const empty = (
		<EmptyState title={t("empty")} icon={props.icon} action={create}>
			{t("emptyText")}
		</EmptyState>
	);
	const bulk = admin ? [...(props.bulk ?? []), remove] : undefined;
	const table = props.list?.({ actions: admin ? actions : undefined, bulk, create, empty }) ?? (
		<ResourceTable
			// Another object's list starts anew: what was shown and ticked before is not of it.
			key={resource.of}
			resource={resource}
			label={t("title")}
			columns={columns}
			actions={admin ? actions : undefined}
			onOpen={admin ? (item) => open("edit", item) : undefined}
			bulk={bulk}
			filters={props.filters}
			defaultSort={props.defaultSort}
			searchLabel={t("search")}
			toolbar={!props.frame && create}
			empty={empty}
		/>
	);
	const content = (
		<>
			{table}
			<Suspense fallback={null}>
				{admin && search.do === "create" && <ResourceForm {...form} title={t("create")} onSaved={saved("created")} />}
				{admin && row && search.do === "edit" && (
					<ResourceForm key={row.id} {...form} row={row} title={t("edit")} onSaved={saved("saved")} />
				)}
				{admin && row && dialogs.find((d) => d.id === search.do)?.dialog(row, close)}
				{admin && row && search.do === "delete" && (
					<RemoveDialog
						resource={resource}
						row={row}
						title={t("delete")}
						more={props.removing?.(row)}
						onRemoved={({ outcome }) => tell(t("deleted", { name: resource.name(row) }), resource.component, outcome)}
						onClose={close}
					>
						{t("deleteText", { name: resource.name(row) })}
					</RemoveDialog>
				)}
			</Suspense>
		</>
	);
	return props.frame ? props.frame(create, content) : content;
}

/** lazyForm is the form's code and spec, loaded when a dialog opens: most visits only look. */
function lazyForm<R extends Row, In>(ns: string, load: ResourceSectionProps<R, In>["form"]) {
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
