import { Button } from "@patternfly/react-core";
import { PauseIcon, PlayIcon } from "@patternfly/react-icons";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "./translation";

interface Props {
	/** Oldest first. */
	lines: { id: string | number; text: string }[];
	label: string;
	height?: number;
}

/** LogView shows many lines in a fixed width font. It follows the end until the reader scrolls up or pauses it. */
export function LogView({ lines, label, height = 480 }: Props) {
	const { t } = useTranslation("ui");
	const box = useRef<HTMLElement>(null);
	const [follow, setFollow] = useState(true);
	const [kept, setKept] = useState(lines);
	const shown = follow ? lines : kept;
	const virtual = useVirtualizer({
		count: shown.length,
		getScrollElement: () => box.current,
		estimateSize: () => 20,
		overscan: 20,
		initialRect: { width: 800, height },
	});
	useEffect(() => {
		if (follow && lines.length > 0) virtual.scrollToIndex(lines.length - 1, { align: "end" });
	}, [follow, lines.length, virtual]);
	const pause = () => {
		setKept(lines);
		setFollow(false);
	};
	const scrolled = () => {
		const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = box.current ?? {};
		const atEnd = scrollHeight - scrollTop - clientHeight < 40;
		if (follow && !atEnd) pause();
	};
	const missed = lines.length - kept.length;
	return (
		<div className="gw-log">
			<div className="gw-log-bar">
				<Button
					size="sm"
					variant="secondary"
					icon={follow ? <PauseIcon /> : <PlayIcon />}
					onClick={follow ? pause : () => setFollow(true)}
				>
					{follow ? t("log.pause") : t("log.follow")}
				</Button>
				{!follow && missed > 0 && <span role="status">{t("log.missed", { count: missed })}</span>}
			</div>
			<section
				ref={box}
				aria-label={label}
				// biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
				tabIndex={0}
				className="gw-log-lines"
				style={{ height }}
				onWheel={scrolled}
				onKeyUp={scrolled}
				onTouchMove={scrolled}
			>
				<div style={{ height: virtual.getTotalSize(), position: "relative" }}>
					{virtual.getVirtualItems().map((item) => (
						<div
							key={shown[item.index]!.id}
							ref={virtual.measureElement}
							data-index={item.index}
							className="gw-log-line"
							style={{ transform: `translateY(${item.start}px)` }}
						>
							{shown[item.index]!.text}
						</div>
					))}
				</div>
			</section>
		</div>
	);
}
