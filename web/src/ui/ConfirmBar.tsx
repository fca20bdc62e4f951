import "./waiting.css";
import { secondsLeft } from "@api";
import { HourglassHalfIcon } from "@patternfly/react-icons";
import { useEffect, useState } from "react";
import { BusyButton } from "./BusyButton";

/** Way is one of the two ways on. */
interface Way {
	label: string;
	busy: boolean;
	go: () => void;
}

interface Props {
	/** Stands before the countdown. */
	title: string;
	/** Stands there when the time is over. */
	over: string;
	/** When it is reverted, by this browser's clock, in milliseconds. */
	until: number;
	/** What it is about. */
	what?: string;
	/** Left out for those who may not choose. */
	ways?: { keep: Way; back: Way };
}

/** ConfirmBar says that something is reverted unless somebody confirms it, and how much time is left. */
export function ConfirmBar({ title, over, until, what, ways }: Props) {
	const left = useSecondsLeft(until);
	const busy = Boolean(ways?.keep.busy || ways?.back.busy);
	return (
		<div className="gw-waiting">
			<HourglassHalfIcon aria-hidden="true" />
			<p>
				<strong>
					{left > 0 ? (
						<>
							{title}{" "}
							<span role="timer" className="gw-waiting-left">
								{clock(left)}
							</span>
						</>
					) : (
						over
					)}
				</strong>
				{what && (
					<span className="gw-waiting-what" title={what}>
						{what}
					</span>
				)}
			</p>
			{ways && left > 0 && (
				<div className="gw-waiting-buttons">
					<BusyButton size="sm" busy={ways.keep.busy} isDisabled={busy} onClick={ways.keep.go}>
						{ways.keep.label}
					</BusyButton>
					<BusyButton size="sm" variant="secondary" busy={ways.back.busy} isDisabled={busy} onClick={ways.back.go}>
						{ways.back.label}
					</BusyButton>
				</div>
			)}
		</div>
	);
}

const clock = (seconds: number) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;

/** useSecondsLeft counts down, once a second. Hidden tabs are throttled, so it is computed and not counted. */
function useSecondsLeft(until: number): number {
	const [now, setNow] = useState(Date.now);
	useEffect(() => {
		const timer = setInterval(() => setNow(Date.now()), 250);
		return () => clearInterval(timer);
	}, []);
	return secondsLeft(until, now);
}
