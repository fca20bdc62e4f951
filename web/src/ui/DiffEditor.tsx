import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, lineNumbers } from "@codemirror/view";
import { useEffect, useRef } from "react";
import type { DiffViewProps } from "./DiffView";
import { useTranslation } from "./translation";

const fold = { margin: 3, minSize: 6 };

const look = EditorView.theme({
	"&": { fontSize: "13px", color: "var(--pf-t--global--text--color--regular)", backgroundColor: "transparent" },
	".cm-scroller": { fontFamily: "var(--pf-t--global--font--family--mono)" },
	".cm-gutters": { color: "var(--pf-t--global--text--color--subtle)", backgroundColor: "transparent", border: "none" },
	"&.cm-merge-a .cm-changedLine, .cm-deletedChunk": { backgroundColor: "color-mix(in srgb, #c9190b 14%, transparent)" },
	"&.cm-merge-b .cm-changedLine, .cm-insertedLine, &.cm-merge-b .cm-inlineChangedLine": {
		backgroundColor: "color-mix(in srgb, #3e8635 16%, transparent)",
	},
	".cm-collapsedLines::before, .cm-collapsedLines::after": { content: "none !important" },
	".cm-collapsedLines": {
		color: "var(--pf-t--global--text--color--subtle)",
		background: "var(--pf-t--global--background--color--secondary--default)",
	},
});

const readOnly = (label: string, unchanged: string): Extension => [
	EditorState.phrases.of({ "$ unchanged lines": unchanged }),
	EditorView.editable.of(false),
	EditorState.readOnly.of(true),
	EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
	EditorView.lineWrapping,
	lineNumbers(),
	look,
];

/**
 * CodeMirror adds style elements to the document, which our Content-Security-Policy
 * forbids. Inside a shadow root it adopts constructed style sheets instead.
 */
export default function DiffEditor({ before, after, label }: DiffViewProps) {
	const { t } = useTranslation("ui");
	const unchanged = t("diff.unchanged");
	const host = useRef<HTMLDivElement>(null);
	useEffect(() => {
		if (!host.current) return;
		const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: "open" });
		const parent = root.appendChild(document.createElement("div"));
		const extensions = readOnly(label, unchanged);
		const view =
			host.current.clientWidth > 800
				? new MergeView({
						a: { doc: before, extensions },
						b: { doc: after, extensions },
						parent,
						root,
						collapseUnchanged: fold,
					})
				: new EditorView({
						doc: after,
						parent,
						root,
						extensions: [
							extensions,
							unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: fold }),
						],
					});
		return () => {
			view.destroy();
			parent.remove();
		};
	}, [before, after, label, unchanged]);
	return <div ref={host} className="gw-diff" />;
}
