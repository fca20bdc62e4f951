package haproxy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"gateway/internal/process"
)

// Master tells the process that keeps the workers what to do, through the socket at Path.
type Master struct{ Path string }

// Worker is a process that serves, or one that only finishes what it began before a reload.
type Worker struct {
	PID     int
	Old     bool
	Reloads int // since it began
	Uptime  time.Duration
}

// Reload starts a worker on the files as they are now, and returns when it serves. When
// HAProxy refuses them, the worker before goes on, and the error has HAProxy's complaints.
func (m Master) Reload(ctx context.Context) error {
	const tries = 5
	answer, err := m.reload(ctx, time.Second)
	// Between two of them the master has no socket for a moment.
	for try := 1; try < tries && (unanswered(answer, err) || try > 1 && errors.Is(err, ErrDown)); try++ {
		process.Pause(ctx, 50*time.Millisecond<<try)
		answer, err = m.reload(ctx, time.Second<<try)
	}
	if err != nil {
		return about("reload", err)
	}
	status, log, _ := strings.Cut(answer, "\n")
	if status == "Success=1" {
		return nil
	}
	if status != "Success=0" {
		return refuse("reload", answer)
	}
	return &Refusal{Command: "reload", Answer: alerts(log)}
}

// unanswered is a reload that came while another was under way, perhaps of a process that
// was killed: HAProxy answers only one of them, and hangs up on the other or forgets it.
func unanswered(answer string, err error) bool {
	return err == nil && answer == "" || errors.Is(err, errForgotten) || errors.Is(err, unix.ECONNRESET)
}

var errForgotten = errors.New("HAProxy lost the reload request")

// reload waits for the answer as long as the master is busy with it: one that answers
// something else in between has none to give any more.
func (m Master) reload(ctx context.Context, patient time.Duration) (string, error) {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	go func() {
		process.Pause(ctx, patient)
		if _, err := talk(ctx, m.Path, "show proc\n", true); err == nil {
			process.Pause(ctx, patient/2)
			end(errForgotten)
		}
	}()
	return talk(ctx, m.Path, "reload\n", false)
}

// quickly asks what a master answers at once. One that begins to reload hangs up, and one
// that passes a command on to a worker that ends meanwhile may never answer.
func (m Master) quickly(ctx context.Context, text string) (string, error) {
	const tries = 4
	for try := 1; ; try++ {
		short, cancel := context.WithTimeout(ctx, time.Second)
		answer, err := talk(short, m.Path, text, true)
		cancel()
		again := unanswered(answer, err) || errors.Is(err, ErrDown) || errors.Is(err, context.DeadlineExceeded)
		if !again || try == tries || ctx.Err() != nil {
			return answer, err
		}
		process.Pause(ctx, 25*time.Millisecond<<try)
	}
}

// alerts are the lines of a log that say why HAProxy did not start, as far as is useful.
func alerts(log string) string {
	const enough = 20
	var lines []string
	for line := range strings.Lines(log) {
		if _, text, found := strings.Cut(line, ") : "); found && strings.HasPrefix(line, "[ALERT]") && len(lines) < enough {
			lines = append(lines, strings.TrimSpace(text))
		}
	}
	if len(lines) == 0 {
		return "no reason given"
	}
	return strings.Join(lines, "\n")
}

// Workers lists the workers, the current one first.
func (m Master) Workers(ctx context.Context) ([]Worker, error) {
	answer, err := m.quickly(ctx, "show proc\n")
	if err != nil {
		return nil, about("show proc", err)
	}
	return parseWorkers(answer)
}

func parseWorkers(answer string) ([]Worker, error) {
	if !strings.HasPrefix(answer, "#<PID>") {
		return nil, refuse("show proc", answer)
	}
	var workers []Worker
	old := false
	for line := range strings.Lines(answer) {
		fields := strings.Fields(line)
		if strings.HasPrefix(line, "#") {
			old = strings.HasPrefix(line, "# old workers")
		}
		if len(fields) < 4 || fields[1] != "worker" {
			continue
		}
		w, err := parseWorker(fields)
		if err != nil {
			return nil, fmt.Errorf("read HAProxy's list of workers: %w", err)
		}
		w.Old = old
		workers = append(workers, w)
	}
	return workers, nil
}

func parseWorker(fields []string) (Worker, error) {
	pid, err1 := strconv.Atoi(fields[0])
	reloads, err2 := strconv.Atoi(fields[2])
	var days, hours, minutes, seconds int
	_, err3 := fmt.Sscanf(fields[3], "%dd%dh%dm%ds", &days, &hours, &minutes, &seconds)
	up := time.Duration(((days*24+hours)*60+minutes)*60+seconds) * time.Second
	return Worker{PID: pid, Reloads: reloads, Uptime: up}, errors.Join(err1, err2, err3)
}

// Retire ends an old worker by closing what it still serves. It returns when the worker is
// gone, which is no error either when it was so before.
func (m Master) Retire(ctx context.Context, pid int) error {
	const sessionsFirst = 10
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for round := 0; ; round++ {
		there, err := m.old(ctx, pid)
		if err != nil || !there {
			return err
		}
		// Sessions are closed and logged one by one. A connection that waits for its next
		// request is no session; nothing but the end of the worker closes it.
		end := m.shutDown
		if round >= sessionsFirst {
			end = m.exit
		}
		if err := end(ctx, pid); err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("wait for worker %d to end: %w", pid, context.Cause(ctx))
		}
	}
}

// old looks for a worker, and refuses the one that serves.
func (m Master) old(ctx context.Context, pid int) (bool, error) {
	workers, err := m.Workers(ctx)
	if err != nil {
		return false, err
	}
	i := slices.IndexFunc(workers, func(w Worker) bool { return w.PID == pid })
	if i >= 0 && !workers[i].Old {
		return false, fmt.Errorf("worker %d is the current one", pid)
	}
	return i >= 0, nil
}

// shutDown closes every session of a worker. One that ends by itself meanwhile, with the
// worker or alone, is no error.
func (m Master) shutDown(ctx context.Context, pid int) error {
	answer, err := m.quickly(ctx, fmt.Sprintf("@!%d show sess\n", pid))
	if err != nil {
		return about("show sess", err)
	}
	var commands strings.Builder
	for _, id := range parseSessions(answer) {
		fmt.Fprintf(&commands, "@!%d shutdown session %s\n", pid, id)
	}
	if commands.Len() == 0 {
		return nil
	}
	if _, err = m.quickly(ctx, commands.String()); err != nil {
		return about("shutdown session", err)
	}
	return nil
}

// exit ends a worker at once. HAProxy has it among the tools for developers; the master
// takes note of the end of an old worker and does no more about it.
func (m Master) exit(ctx context.Context, pid int) error {
	short, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_, err := talk(short, m.Path, fmt.Sprintf("expert-mode on\n@!%d debug dev exit 0\n", pid), true)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) { // one that is gone may not answer
		return about("debug dev exit", err)
	}
	return nil
}

// parseSessions lists the sessions that are not commands like ours.
func parseSessions(answer string) []string {
	var ids []string
	for line := range strings.Lines(answer) {
		id, rest, found := strings.Cut(line, ": ")
		if found && strings.HasPrefix(id, "0x") && !strings.Contains(rest, " fe=GLOBAL ") {
			ids = append(ids, id)
		}
	}
	return ids
}
