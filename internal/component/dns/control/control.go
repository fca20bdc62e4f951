// Package control speaks to a running unbound over its control socket: one command a
// connection, plain text, on a unix socket that only unbound's user and group may open.
// Which command is due is left to package dns.
package control

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Socket is where Debian's unbound listens for commands.
const Socket = "/run/unbound.ctl"

// MaxLine is the longest line of data that unbound reads whole; it has 2048 bytes for
// it, and cuts off what is longer without a word.
const MaxLine = 2000

const (
	// batch bounds how long unbound is kept from its queries: it serves nobody else while
	// it reads data, about 25 us a line.
	batch = 100
	// A listing of a million records is shorter than this.
	maxAnswer = 128 << 20
	// For callers whose context has no deadline.
	timeout = time.Minute
)

// ErrDown says that nobody listens: unbound is not running, or has no control socket.
var ErrDown = errors.New("unbound does not listen on its control socket")

// ErrIncompatible says that a change needs a restart: fast_reload does not do it.
var ErrIncompatible = errors.New("unbound needs a restart for this")

// Client talks to the unbound at Path. It holds no connection.
type Client struct{ Path string }

// Do sends a command and what it reads, and returns the answer as it came.
func (c Client) Do(ctx context.Context, command string, data ...string) (string, error) {
	request, err := encode(command, data)
	if err != nil {
		return "", err
	}
	conn, err := c.dial(ctx)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	answer, err := exchange(conn, request)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("ask unbound for %s: %w", command, err)
	}
	return answer, nil
}

func (c Client) dial(ctx context.Context) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", c.Path)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ECONNREFUSED) {
		return nil, ErrDown
	}
	if err != nil {
		return nil, fmt.Errorf("reach unbound: %w", err)
	}
	return conn, conn.SetDeadline(time.Now().Add(timeout))
}

func exchange(conn net.Conn, request string) (string, error) {
	if _, err := io.WriteString(conn, request); err != nil {
		return "", err
	}
	answer, err := io.ReadAll(io.LimitReader(conn, maxAnswer))
	return string(answer), err
}

// encode refuses what would be read as something else than one line each.
func encode(command string, data []string) (string, error) {
	var b strings.Builder
	b.WriteString("UBCT1 " + command + "\n")
	for _, line := range data {
		if line == "" || len(line) > MaxLine {
			return "", fmt.Errorf("a line of %d bytes is not for unbound's control socket", len(line))
		}
		b.WriteString(line + "\n")
	}
	if len(data) > 0 {
		b.WriteString("\x04\n")
	}
	if strings.ContainsAny(command, "\n\r\x00") || strings.Count(b.String(), "\n") != len(data)+1+min(len(data), 1) {
		return "", errors.New("a line break is not for unbound's control socket")
	}
	return b.String(), nil
}

// ok runs a command that answers with that word.
func (c Client) ok(ctx context.Context, command string) error {
	answer, err := c.Do(ctx, command)
	if err != nil {
		return err
	}
	if last(answer) != "ok" && !strings.HasPrefix(answer, "ok ") {
		return fmt.Errorf("unbound answered %s with %q", command, shorten(answer))
	}
	return nil
}

// AddData adds records, given as in a zone file. One that is there already stays.
func (c Client) AddData(ctx context.Context, records []string) error {
	return c.each(ctx, "local_datas", "added %d datas", records)
}

// RemoveData removes records, and whole names where a line is just that. A record that
// is not there is an error; a name that has none is not.
func (c Client) RemoveData(ctx context.Context, records []string) error {
	return c.each(ctx, "local_datas_remove", "removed %d datas", records)
}

func (c Client) each(ctx context.Context, command, done string, lines []string) error {
	for len(lines) > 0 {
		n := min(len(lines), batch)
		answer, err := c.Do(ctx, command, lines[:n]...)
		if err != nil {
			return err
		}
		// It complains line by line and goes on with the next, so only the count counts.
		if last(answer) != fmt.Sprintf(done, n) {
			return fmt.Errorf("unbound answered %s of %d lines with %q", command, n, shorten(answer))
		}
		lines = lines[n:]
	}
	return nil
}

// FastReload has unbound read its files anew beside its work, and then swap: it pauses
// for less than a millisecond and keeps its cache.
func (c Client) FastReload(ctx context.Context) error {
	answer, err := c.Do(ctx, "fast_reload")
	switch {
	case err != nil:
		return err
	case last(answer) == "ok":
		return nil
	case strings.Contains(answer, "not compatible with fast_reload"):
		return ErrIncompatible
	}
	return fmt.Errorf("unbound did not read its files anew: %q", shorten(answer))
}

// Reload has unbound drop everything and begin anew with what its files say, on the sockets
// it has. It returns when unbound answers again.
func (c Client) Reload(ctx context.Context) error {
	if err := c.ok(ctx, "reload"); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		// A command that comes while it reads its files waits for that; one that came just
		// before is cut off.
		_, err := c.Threads(ctx)
		if err == nil || errors.Is(err, ErrDown) {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("wait for unbound to read its files: %w", err)
		}
	}
}

// FlushZone drops everything cached at or below a name.
func (c Client) FlushZone(ctx context.Context, name string) error {
	return c.ok(ctx, "flush_zone "+name)
}

// FlushInfra forgets which servers were slow or gone.
func (c Client) FlushInfra(ctx context.Context) error { return c.ok(ctx, "flush_infra all") }

// Threads is how many threads answer queries.
func (c Client) Threads(ctx context.Context) (int, error) {
	answer, err := c.Do(ctx, "status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(answer) {
		if n, found := strings.CutPrefix(line, "threads: "); found {
			return strconv.Atoi(strings.TrimSpace(n))
		}
	}
	return 0, fmt.Errorf("unbound answered status with %q", shorten(answer))
}

// Process is the number of the process that answers.
func (c Client) Process(ctx context.Context) (int, error) {
	answer, err := c.Do(ctx, "status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(answer) {
		var n int
		if _, err := fmt.Sscanf(line, "unbound (pid %d) is running", &n); err == nil {
			return n, nil
		}
	}
	return 0, fmt.Errorf("unbound answered status with %q", shorten(answer))
}

// Data lists all records that unbound serves by itself, as in a zone file.
func (c Client) Data(ctx context.Context) ([]string, error) {
	answer, err := c.Do(ctx, "list_local_data")
	if err != nil {
		return nil, err
	}
	var records []string
	for line := range strings.Lines(answer) {
		if line = strings.TrimSpace(line); line != "" {
			records = append(records, line)
		}
	}
	return records, nil
}

// Stats reads the counters without setting them back: others read them too.
func (c Client) Stats(ctx context.Context) (map[string]float64, error) {
	answer, err := c.Do(ctx, "stats_noreset")
	if err != nil {
		return nil, err
	}
	stats := map[string]float64{}
	lines := bufio.NewScanner(strings.NewReader(answer))
	for lines.Scan() {
		name, value, found := strings.Cut(lines.Text(), "=")
		n, err := strconv.ParseFloat(value, 64)
		if !found || err != nil {
			return nil, fmt.Errorf("unbound answered stats with %q", shorten(lines.Text()))
		}
		stats[name] = n
	}
	return stats, lines.Err()
}

// last is the last line of an answer.
func last(answer string) string {
	answer = strings.TrimSpace(answer)
	return answer[strings.LastIndexByte(answer, '\n')+1:]
}

// shorten keeps an answer fit for a log line.
func shorten(s string) string {
	const enough = 200
	if s = strings.TrimSpace(s); len(s) > enough {
		return s[:enough] + "…"
	}
	return s
}
