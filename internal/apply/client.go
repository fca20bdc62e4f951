package apply

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"time"

	"golang.org/x/sys/unix"

	"gateway/internal/change"
	"gateway/internal/db"
	"gateway/internal/fault"
)

// Socket is where an installed appliance has the applier.
const Socket = "/run/gateway/apply.sock"

// Client asks the applier at Socket. It holds no connection, so it may be copied, and
// outlives the applier's restarts.
type Client struct{ Socket string }

// PacketFilterLoaded reports whether the packet filter's table is in the kernel.
func (c Client) PacketFilterLoaded(ctx context.Context) (bool, error) {
	var a packetFilterAnswer
	if err := c.call(ctx, packetFilterRequest{Verb: "packet-filter"}, &a); err != nil {
		return false, fmt.Errorf("ask for the packet filter: %w", err)
	}
	if a.Loaded == nil {
		return false, errors.New("ask for the packet filter: the answer does not say")
	}
	return *a.Loaded, nil
}

// Service acts on a service and returns when systemd is done with it, which may take
// minutes; end ctx to stop waiting for it.
func (c Client) Service(ctx context.Context, action Action, service string) error {
	var a emptyAnswer
	if err := c.call(ctx, serviceRequest{Verb: "service", Action: action, Service: service}, &a); err != nil {
		return fmt.Errorf("%s %s: %w", action, service, err)
	}
	return nil
}

// Sync brings a component up to date with what is committed, and says how it went.
func (c Client) Sync(ctx context.Context, component string) (change.Applied, error) {
	var a syncAnswer
	if err := c.call(ctx, syncRequest{Verb: "sync", Component: component}, &a); err != nil {
		return change.Applied{}, fmt.Errorf("sync %s: %w", component, err)
	}
	return change.Applied{State: a.State, Why: a.why()}, nil
}

// States is how every managed component stands.
func (c Client) States(ctx context.Context) ([]State, error) {
	var a statesAnswer
	if err := c.call(ctx, statesRequest{Verb: "states"}, &a); err != nil {
		return nil, fmt.Errorf("read component states: %w", err)
	}
	return a.States, nil
}

// Ask has a component do what it needs privilege for. Both in and out may be nil.
func (c Client) Ask(ctx context.Context, component, do string, in, out any) error {
	r := componentRequest{Verb: "component", Component: component, Do: do}
	var err error
	if in != nil {
		if r.In, err = json.Marshal(in); err != nil {
			return fmt.Errorf("%s %s: %w", component, do, err)
		}
	}
	var a componentAnswer
	if err := c.call(ctx, r, &a); err != nil {
		return fmt.Errorf("%s %s: %w", component, do, err)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(a.Out, out); err != nil {
		return fmt.Errorf("%s %s: decode the answer: %w", component, do, err)
	}
	return nil
}

// StartJob starts to restore or to verify an archive, in a unit of its own that outlives the caller and the applier.
func (c Client) StartJob(ctx context.Context, job, id string) error {
	var a emptyAnswer
	if err := c.call(ctx, jobRequest{Verb: "job", Job: job, ID: id}, &a); err != nil {
		return fmt.Errorf("start to %s %s: %w", job, id, err)
	}
	return nil
}

// askTime is how long the applier may take for what somebody waits for.
const askTime = 5 * time.Second

// AskSoon asks a Client, or what stands for it in a test, for an answer within a few seconds.
func AskSoon(ctx context.Context, client interface {
	Ask(ctx context.Context, component, do string, in, out any) error
}, component, do string, in, out any,
) error {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	return InWords(client.Ask(ctx, component, do, in, out), nil)
}

// InWords words what the applier does not: its silence must not read as that of the database. late
// is for a request that may still be carried out after its time; nil where that makes no difference.
func InWords(err error, late *fault.Fault) error {
	switch _, worded := fault.Of(err); {
	case err == nil || worded:
		return err
	case late != nil && db.Expired(err):
		return errors.Join(late, err)
	default:
		return errors.Join(fault.New(fault.Unavailable, "the applier could not do this; see this node's log for details").WithCode("applier_unavailable"), err)
	}
}

func (c Client) call(ctx context.Context, request, answer any) error {
	// The applier gives up before we do, so that its words arrive.
	ctx, cancel := context.WithTimeout(ctx, readTimeout+workTimeout+writeTimeout)
	defer cancel()
	conn, err := c.dial(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Now()) })
	defer stop()
	line, err := exchange(conn, request)
	if ctx.Err() != nil && err != nil {
		return fmt.Errorf("wait for the applier: %w", context.Cause(ctx))
	}
	if err != nil {
		return err
	}
	return decodeAnswer(line, answer)
}

// dial tells apart what the operator can mend: an applier that is down.
func (c Client) dial(ctx context.Context) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", c.Socket)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ECONNREFUSED) {
		return nil, fault.New(fault.Unavailable, "the applier is not running (gateway-apply)").WithCode("applier_unavailable")
	}
	if err != nil {
		return nil, fmt.Errorf("reach the applier: %w", err)
	}
	return conn, nil
}

func exchange(conn net.Conn, request any) ([]byte, error) {
	if err := writeLine(conn, request); err != nil {
		return nil, fmt.Errorf("ask the applier: %w", err)
	}
	line, err := readLine(conn, maxAnswer)
	if err != nil {
		// Not wrapped: readLine's faults are about requests, and this is no operator's fault.
		return nil, fmt.Errorf("read the applier's answer: %v", err) //nolint:errorlint // see above
	}
	return line, nil
}

// decodeAnswer lets unknown fields pass: during an upgrade the applier may be the newer
// of the two.
func decodeAnswer(line []byte, answer any) error {
	var e errorAnswer
	if err := json.Unmarshal(line, &e); err != nil {
		return fmt.Errorf("decode the applier's answer: %w", err)
	}
	if e.Error != nil {
		return fromWire(e.Error)
	}
	if err := json.Unmarshal(line, answer); err != nil {
		return fmt.Errorf("decode the applier's answer: %w", err)
	}
	return nil
}
