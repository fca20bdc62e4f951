// Package haproxy speaks to a running HAProxy 3.0: over its runtime socket, where maps,
// servers and certificates change without a reload, and over the socket of its master
// process, which reloads. What is to change, and the files that make a change last, are
// left to the callers.
package haproxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Where Debian's HAProxy listens, started by our configuration and its own unit.
const (
	RuntimeSocket = "/run/haproxy/admin.sock"
	MasterSocket  = "/run/haproxy-master.sock"
)

const (
	// The longest that a command may take, a reload of 10,000 certificates included.
	timeout = time.Minute
	// The statistics of 100,000 servers are shorter than this.
	maxAnswer = 256 << 20
	// A command and what it reads must fit into one buffer of HAProxy, of 16,384 bytes
	// unless tune.bufsize says otherwise, and it keeps 1,024 of them to itself.
	maxCommand = 15_000
)

// ErrDown says that nobody listens: HAProxy is not running, or has no such socket.
var ErrDown = errors.New("HAProxy does not listen on its socket")

// Refusal is HAProxy's answer to a command that it did not carry out.
type Refusal struct {
	Command string // without its values
	Answer  string // its first line
}

func (r *Refusal) Error() string {
	return fmt.Sprintf("HAProxy answered %q with %q", r.Command, r.Answer)
}

// refuse makes a Refusal of what HAProxy said.
func refuse(command, answer string) error {
	const enough = 300
	line, _, _ := strings.Cut(strings.TrimSpace(answer), "\n")
	if len(line) > enough {
		line = line[:enough] + "…"
	}
	return &Refusal{Command: command, Answer: line}
}

// talk sends a text and reads what comes until HAProxy closes. A master closes only when
// it is told that nothing more follows.
func talk(ctx context.Context, path, text string, last bool) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	conn, err := dial(ctx, path)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	answer, err := exchange(conn, text, last)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return answer, err
}

// dial waits for its turn when many ask at once: HAProxy takes ten callers at a time and
// the kernel turns away the rest.
func dial(ctx context.Context, path string) (*net.UnixConn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", path)
	for errors.Is(err, unix.EAGAIN) {
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for a place at HAProxy's socket: %w", context.Cause(ctx))
		case <-time.After(time.Millisecond):
			conn, err = (&net.Dialer{}).DialContext(ctx, "unix", path)
		}
	}
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ECONNREFUSED) {
		return nil, ErrDown
	}
	if err != nil {
		return nil, fmt.Errorf("reach HAProxy: %w", err)
	}
	return conn.(*net.UnixConn), nil
}

// exchange reads while it writes: HAProxy answers the first commands of many before it
// reads the last, and would wait for us to take the answers.
func exchange(conn *net.UnixConn, text string, last bool) (string, error) {
	written := make(chan error, 1)
	go func() {
		_, err := io.WriteString(conn, text)
		if err == nil && last {
			err = conn.CloseWrite()
		}
		written <- err
	}()
	answer, err := io.ReadAll(io.LimitReader(conn, maxAnswer))
	if err != nil {
		_ = conn.Close() // ends the writing too
		<-written
		return "", err
	}
	// An error of the writing only says that HAProxy closed early, and it has said why.
	<-written
	return string(answer), nil
}

// answers takes apart what several commands answered: lines up to an empty one, each.
func answers(text string) []string {
	var all []string
	for text != "" {
		if rest, none := strings.CutPrefix(text, "\n"); none {
			all, text = append(all, ""), rest
			continue
		}
		one, rest, _ := strings.Cut(text, "\n\n")
		all, text = append(all, one), rest
	}
	return all
}

// word makes one word of a value, for the command line. Two "<" would announce lines that
// follow, even behind a space that is part of a word.
func word(s string) string {
	if !strings.ContainsAny(s, special) {
		return s
	}
	var b strings.Builder
	for _, c := range []byte(s) {
		if strings.IndexByte(special, c) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}

const special = ` ;<\`

// plain says whether a text has no character that ends a line or hides one.
func plain(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// checkWords refuses names that could not be sent as one word each.
func checkWords(words ...string) error {
	for _, w := range words {
		if w == "" || !plain(w) {
			return fmt.Errorf("%q is not a valid name for HAProxy", w)
		}
	}
	return nil
}
