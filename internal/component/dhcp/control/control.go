// Package control speaks to a running Kea over its control socket: one command a connection,
// JSON in both directions. Which command is due is left to package kea.
package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"golang.org/x/sys/unix"
)

// Socket is where gateway-apply reaches Kea: gateway-dhcp-control.socket of the package, which
// leads to KeaSocket. That one only Kea's own user may open, and Kea insists on it.
const (
	Socket    = "/run/gateway-dhcp/control.sock"
	KeaSocket = "/run/kea/kea4-ctrl-socket"
)

const (
	// An answer of a thousand leases has about 300 KB.
	maxAnswer = 64 << 20
	// For callers whose context has no deadline.
	timeout = time.Minute
)

// ErrDown says that nobody listens: Kea is not running, or has no control socket.
var ErrDown = errors.New("kea does not listen on its control socket")

// ErrUnsupported says that this Kea does not know the command.
var ErrUnsupported = errors.New("kea does not know this command")

// Refused is an answer that is no.
type Refused struct {
	Command string
	Text    string // what Kea said; it may quote its file
}

func (r *Refused) Error() string { return fmt.Sprintf("kea refused %s: %s", r.Command, r.Text) }

// The results that Kea answers with.
const (
	success     = 0
	unsupported = 2
	empty       = 3 // nothing matches, which is no error
)

// Client talks to the Kea at Path. It holds no connection.
type Client struct{ Path string }

// Do sends a command with its arguments, or with none for nil, and reads the arguments of the
// answer into out, unless that is nil.
func (c Client) Do(ctx context.Context, command string, arguments, out any) error {
	request, err := json.Marshal(struct {
		Command   string `json:"command"`
		Arguments any    `json:"arguments,omitempty"`
	}{command, arguments})
	if err != nil {
		return fmt.Errorf("ask kea for %s: %w", command, err)
	}
	text, err := c.exchange(ctx, request)
	if err != nil {
		return fmt.Errorf("ask kea for %s: %w", command, err)
	}
	return read(command, text, out)
}

func read(command string, text []byte, out any) error {
	var answer struct {
		Result    *int            `json:"result"`
		Text      string          `json:"text"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if err := json.Unmarshal(text, &answer); err != nil || answer.Result == nil {
		return fmt.Errorf("kea answered %s with what is no answer: %w", command, err)
	}
	switch {
	case *answer.Result == unsupported:
		return fmt.Errorf("%s: %w", command, ErrUnsupported)
	case *answer.Result != success && *answer.Result != empty:
		return &Refused{command, shorten(answer.Text)}
	case out == nil || len(answer.Arguments) == 0:
		return nil
	}
	if err := json.Unmarshal(answer.Arguments, out); err != nil {
		return fmt.Errorf("read what kea answered to %s: %w", command, err)
	}
	return nil
}

func (c Client) exchange(ctx context.Context, request []byte) ([]byte, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", c.Path)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ECONNREFUSED) {
		return nil, ErrDown
	}
	if err != nil {
		return nil, fmt.Errorf("reach kea: %w", err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(timeout)); err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	_, err = conn.Write(request)
	var answer []byte
	if err == nil {
		answer, err = io.ReadAll(io.LimitReader(conn, maxAnswer))
	}
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	// The relay takes the connection also while Kea is down, and closes it.
	case errors.Is(err, unix.EPIPE), errors.Is(err, unix.ECONNRESET), err == nil && len(answer) == 0:
		return nil, ErrDown
	}
	return answer, err
}

// shorten keeps an answer fit for a log line.
func shorten(s string) string {
	const enough = 300
	if len(s) > enough {
		return s[:enough] + "…"
	}
	return s
}

// Lease is one that Kea has given, as lease_cmds tells it.
type Lease struct {
	Address  string `json:"ip-address"`
	MAC      string `json:"hw-address"`
	ClientID string `json:"client-id"`
	Hostname string `json:"hostname"`
	Subnet   uint32 `json:"subnet-id"`
	State    int    `json:"state"`
	Seen     int64  `json:"cltt"`      // when the client was last heard of
	Lifetime int64  `json:"valid-lft"` // in seconds from then
}

// Leases reads all leases, a page at a time: Kea answers nobody else while it lists.
func (c Client) Leases(ctx context.Context) ([]Lease, error) {
	const page = 1000
	var all []Lease
	for from := "start"; ; from = all[len(all)-1].Address {
		var got struct {
			Leases []Lease `json:"leases"`
		}
		if err := c.Do(ctx, "lease4-get-page", map[string]any{"from": from, "limit": page}, &got); err != nil {
			return nil, err
		}
		all = append(all, got.Leases...)
		if len(got.Leases) < page {
			return all, nil
		}
	}
}

// LeasesOf are the leases of one client, by what it is known by.
func (c Client) LeasesOf(ctx context.Context, mac, clientID string) ([]Lease, error) {
	command, by, value := "lease4-get-by-hw-address", "hw-address", mac
	if mac == "" {
		command, by, value = "lease4-get-by-client-id", "client-id", clientID
	}
	var got struct {
		Leases []Lease `json:"leases"`
	}
	err := c.Do(ctx, command, map[string]any{by: value}, &got)
	return got.Leases, err
}

// Release deletes the lease of an address; it reports whether there was one.
func (c Client) Release(ctx context.Context, address string) (bool, error) {
	by := map[string]any{"ip-address": address}
	var lease json.RawMessage
	if err := c.Do(ctx, "lease4-get", by, &lease); err != nil || len(lease) == 0 {
		return false, err
	}
	return true, c.Do(ctx, "lease4-del", by, nil)
}

// Status is how Kea is doing.
type Status struct {
	Uptime  int64 `json:"uptime"`
	Sockets struct {
		Status string   `json:"status"` // ready, retrying or failed
		Errors []string `json:"errors"`
	} `json:"sockets"`
}

// Status asks Kea how it is doing.
func (c Client) Status(ctx context.Context) (s Status, err error) {
	err = c.Do(ctx, "status-get", nil, &s)
	return s, err
}

// Commands are what this Kea, with its hooks, can do.
func (c Client) Commands(ctx context.Context) (names []string, err error) {
	err = c.Do(ctx, "list-commands", nil, &names)
	return names, err
}
