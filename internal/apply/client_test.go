package apply

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"gateway/internal/fault"
	"gateway/internal/sys"
)

func TestPacketFilterLoaded(t *testing.T) {
	for _, loaded := range []bool{true, false} {
		f := &fakeHost{loaded: loaded}
		got, err := serve(t, f).client.PacketFilterLoaded(t.Context())
		if err != nil || got != loaded {
			t.Errorf("loaded = %t, %v, want %t", got, err, loaded)
		}
		if f.asked != "inet gateway" {
			t.Errorf("asked for %q", f.asked)
		}
	}
}

func TestAFilterThatCannotBeReadIsNoAnswer(t *testing.T) {
	f := &fakeHost{filterErr: errors.New("operation not permitted")}
	if _, err := serve(t, f).client.PacketFilterLoaded(t.Context()); err == nil {
		t.Error("no error")
	}
}

func TestErrorsCrossTheSocketByKind(t *testing.T) {
	for _, tc := range []struct {
		name string
		host *fakeHost
		kind fault.Kind // "" means not for the operator
		want string
	}{
		{"a service that is not installed", &fakeHost{loadState: "not-found"}, fault.NotFound, "the forward proxy is not installed on this node"},
		{"a service that is masked", &fakeHost{loadState: "masked"}, fault.Conflict, "the forward proxy is masked on this node; unmask squid.service first"},
		{
			"a job that failed",
			&fakeHost{errs: map[string]error{"restart": &sys.JobError{Result: "failed"}}},
			fault.Unavailable, `the forward proxy did not change state: systemd reports "failed"; see the log of squid.service`,
		},
		{"a bus that is away", &fakeHost{errs: map[string]error{"states": errors.New("dial: canary")}}, "", "applier: internal: the applier failed; see its log"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := serve(t, tc.host).client.Service(t.Context(), Restart, ForwardProxy)
			f, ok := fault.Of(err)
			switch {
			case tc.kind == "" && (ok || err == nil || err.Error() != "restart forward-proxy: "+tc.want):
				t.Errorf("err = %v, want the plain error %q", err, tc.want)
			case tc.kind != "" && (!ok || f.Kind != tc.kind || f.Message != tc.want):
				t.Errorf("err = %v, want the %s fault %q", err, tc.kind, tc.want)
			}
		})
	}
}

func TestAnUnknownServiceIsAnInvalidFault(t *testing.T) {
	if err := serve(t, &fakeHost{}).client.Service(t.Context(), Restart, "ssh"); !fault.Is(err, fault.Invalid) {
		t.Errorf("err = %v, want an invalid fault", err)
	}
}

func TestWithoutAnApplierTheOperatorIsTold(t *testing.T) {
	dir := shortDir(t)
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "dead")})
	if err != nil {
		t.Fatal(err)
	}
	dead.SetUnlinkOnClose(false)
	_ = dead.Close()
	for _, socket := range []string{"missing", "dead"} {
		_, err := Client{Socket: filepath.Join(dir, socket)}.PacketFilterLoaded(t.Context())
		if f, ok := fault.Of(err); !ok || f.Kind != fault.Unavailable || f.Code != "applier_unavailable" {
			t.Errorf("%s socket: err = %v, want applier_unavailable", socket, err)
		}
	}
}

// An applier of another version, or something else at its path, must never be read as
// "not loaded" or "done".
func TestAnswersThatMakeNoSense(t *testing.T) {
	for _, tc := range []struct{ name, answer, want string }{
		{"nothing", "", "the connection was closed without an answer"},
		{"half a line", `{"loaded":tr`, "ended within the line"},
		{"no JSON", "hello\n", "decode the applier's answer"},
		{"another type", `{"loaded":"yes"}` + "\n", "decode the applier's answer"},
		{"an empty object", "{}\n", "the answer does not say"},
		{"an error of an unknown code", `{"error":{"code":"new","message":"m"}}` + "\n", "applier: new: m"},
		{"an answer without an end", strings.Repeat("x", maxAnswer+1), "more than 16777216 bytes"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := answering(t, tc.answer).PacketFilterLoaded(t.Context())
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("err = %v, want %q", err, tc.want)
			}
			if _, ok := fault.Of(err); ok {
				t.Errorf("err = %v is a fault, but no operator can mend it", err)
			}
		})
	}
}

func TestANewerApplierMaySayMore(t *testing.T) {
	got, err := answering(t, `{"loaded":true,"rules":7}`+"\n").PacketFilterLoaded(t.Context())
	if err != nil || !got {
		t.Errorf("loaded = %t, %v, want true", got, err)
	}
}

func TestTheClientLeavesWithItsContext(t *testing.T) {
	l, err := Listen(filepath.Join(shortDir(t), "mute"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		_, _ = bufio.NewReader(c).ReadString('\n')
		cancel() // the request is in; the answer never comes
		_, _ = io.ReadAll(c)
	}()
	if err := (Client{Socket: l.Addr().String()}).Service(ctx, Restart, DNS); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v, want cancelled", err)
	}
}

// answering is a client of something that reads a line and says text.
func answering(t *testing.T, text string) Client {
	t.Helper()
	l, err := Listen(filepath.Join(shortDir(t), "s"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		_, _ = bufio.NewReader(c).ReadString('\n')
		_, _ = io.WriteString(c, text)
	}()
	return Client{Socket: l.Addr().String()}
}

type answers func(ctx context.Context) error

func (a answers) Ask(ctx context.Context, _, _ string, _, _ any) error { return a(ctx) }

// An operator reads that the applier was silent, not that the database was.
func TestWhatTheApplierDoesNotSayIsWorded(t *testing.T) {
	broken := errors.New("broken pipe")
	for name, tc := range map[string]struct {
		err  error
		code string
	}{
		"an answer":         {nil, ""},
		"a refusal":         {fault.New(fault.Conflict, "no").WithCode("said_so"), "said_so"},
		"no answer in time": {context.DeadlineExceeded, "applier_unavailable"},
		"anything else":     {broken, "applier_unavailable"},
	} {
		err := AskSoon(t.Context(), answers(func(ctx context.Context) error {
			if _, limited := ctx.Deadline(); !limited {
				t.Errorf("%s: it may take for ever", name)
			}
			return tc.err
		}), "dns", "stats", nil, nil)
		f, _ := fault.Of(err)
		if (err == nil) != (tc.code == "") || err != nil && f.Code != tc.code || !errors.Is(err, tc.err) {
			t.Errorf("%s: %v, want %s", name, err, tc.code)
		}
	}
}
