import type { Backup } from "@api";

/** download hands the archive to the browser, which writes it to disk while it comes: it may be larger than the memory. */
export function download({ id, file }: Pick<Backup, "id" | "file">, ticket: string): void {
	const link = document.createElement("a");
	link.href = `/api/v1/backups/${encodeURIComponent(id)}/download?ticket=${encodeURIComponent(ticket)}`;
	link.download = file;
	link.click();
}
