package apply

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gateway/internal/fault"
	"gateway/internal/sys"
)

func TestTheWire(t *testing.T) {
	const restart = `{"verb":"service","action":"restart","service":"reverse-proxy"}`
	for _, tc := range []struct{ name, say, want string }{
		{"the packet filter is loaded", `{"verb":"packet-filter"}` + "\n", `{"loaded":true}`},
		{"a service is restarted", restart + "\n", `{}`},
		{"only the first line counts", restart + "\n" + `{"verb":"x"}` + "\n", `{}`},
		{"a carriage return does no harm", restart + "\r\n", `{}`},
		{"a job is started by a UUID", `{"verb":"job","job":"restore","id":"0198c0de-0000-7000-8000-000000000001"}` + "\n", `{}`},
		{"an unknown job is refused", `{"verb":"job","job":"shell","id":"0198c0de-0000-7000-8000-000000000001"}` + "\n", `{"error":{"code":"invalid","message":"there is no job \"shell\""}}`},
		{"a job of anything but a UUID is refused", `{"verb":"job","job":"restore","id":"0198c0de-0000-7000-8000-000000000001.service x"}` + "\n", `{"error":{"code":"invalid","message":"the id of the archive must be a UUID"}}`},
		{"a job with more than its id is refused", `{"verb":"job","job":"verify","id":"0198c0de-0000-7000-8000-000000000001","file":"/etc/shadow"}` + "\n", `{"error":{"code":"invalid","message":"the request cannot be read: json: unknown field \"file\""}}`},
		{"an unknown verb is refused", `{"verb":"install"}` + "\n", `{"error":{"code":"invalid","message":"there is no verb \"install\""}}`},
		{"no verb is refused", "{}\n", `{"error":{"code":"invalid","message":"there is no verb \"\""}}`},
		{"an unknown service is refused", `{"verb":"service","action":"restart","service":"ssh"}` + "\n", `{"error":{"code":"invalid","message":"there is no service \"ssh\""}}`},
		{"a unit name is no service", `{"verb":"service","action":"restart","service":"haproxy.service"}` + "\n", `{"error":{"code":"invalid","message":"there is no service \"haproxy.service\""}}`},
		{"an unknown action is refused", `{"verb":"service","action":"mask","service":"dns"}` + "\n", `{"error":{"code":"invalid","message":"there is no action \"mask\""}}`},
		{"an action of another kind of service is refused", `{"verb":"service","action":"off","service":"dns"}` + "\n", `{"error":{"code":"invalid","message":"the action \"off\" is not available for the service \"dns\""}}`},
		{"an unknown field is refused", `{"verb":"packet-filter","path":"/etc"}` + "\n", `{"error":{"code":"invalid","message":"the request cannot be read: json: unknown field \"path\""}}`},
		{"a field of another verb is refused", `{"verb":"packet-filter","service":"dns"}` + "\n", `{"error":{"code":"invalid","message":"the request cannot be read: json: unknown field \"service\""}}`},
		{"two objects on a line are refused", restart + restart + "\n", `{"error":{"code":"invalid","message":"the request is not one JSON object"}}`},
		{"a list is refused", "[]\n", `{"error":{"code":"invalid","message":"the request is not one JSON object"}}`},
		{"an empty line is refused", "\n", `{"error":{"code":"invalid","message":"the request is not one JSON object"}}`},
		{"a value of another type is refused", `{"verb":"service","action":["restart"],"service":"dns"}` + "\n", `{"error":{"code":"invalid","message":"the request cannot be read: json: cannot unmarshal array into Go struct field serviceRequest.action of type apply.Action"}}`},
		{"a line of the full size is read", `{"verb":"` + strings.Repeat("x", maxLine-12) + "\"}\n", `{"error":{"code":"invalid","message":"there is no verb \"` + strings.Repeat("x", maxLine-12) + `\""}}`},
		{"an oversize line is refused", `{"verb":"` + strings.Repeat("x", maxLine-11) + "\"}\n", `{"error":{"code":"too_large","message":"more than 65536 bytes without the end of a line"}}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h := serve(t, &fakeHost{loaded: true})
			if got := wordless(h.say(t, tc.say)); got != tc.want+"\n" {
				t.Errorf("answer = %.300q\nwant     %.300q", got, tc.want+"\n")
			}
		})
	}
}

// wordless is an answer without the words for translations: TestTheWireKeepsTheWords has them.
func wordless(answer string) string {
	return regexp.MustCompile(`,"text":.*`).ReplaceAllString(answer, "}}")
}

func TestActionsAreStepsOfSystemd(t *testing.T) {
	for _, tc := range []struct {
		action Action
		svc    string
		want   string
	}{
		{Restart, ForwardProxy, "restart squid.service"},
		{Restart, ReverseProxy, "reload haproxy.service"},
		{On, WAF, "enable gateway-waf.service, start gateway-waf.service"},
		{Off, WAF, "stop gateway-waf.service, disable gateway-waf.service"},
	} {
		t.Run(string(tc.action+" "+Action(tc.svc)), func(t *testing.T) {
			f := &fakeHost{}
			if err := serve(t, f).client.Service(t.Context(), tc.action, tc.svc); err != nil {
				t.Fatal(err)
			}
			if got := f.heard(); got != tc.want {
				t.Errorf("systemd heard %q, want %q", got, tc.want)
			}
		})
	}
}

func TestAReverseProxyThatDoesNotReloadIsRestarted(t *testing.T) {
	f := &fakeHost{errs: map[string]error{"reload": errors.New("not active")}}
	if err := serve(t, f).client.Service(t.Context(), Restart, ReverseProxy); err != nil {
		t.Fatal(err)
	}
	if got := f.heard(); got != "reload haproxy.service, restart haproxy.service" {
		t.Errorf("systemd heard %q, want a restart after the reload", got)
	}
}

func TestAFailedStepEndsTheAction(t *testing.T) {
	f := &fakeHost{errs: map[string]error{"enable": errors.New("read-only file system")}}
	h := serve(t, f)
	if err := h.client.Service(t.Context(), On, WAF); err == nil {
		t.Error("no error")
	}
	if got := f.heard(); got != "enable gateway-waf.service" {
		t.Errorf("systemd heard %q, want nothing after enable", got)
	}
}

func TestOnlyAllowedUsersAreAnswered(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("taking another uid needs root")
	}
	for _, tc := range []struct {
		name      string
		uids      []uint32
		want, log string
	}{
		{"another user finds the connection closed", []uint32{0}, "", "uid 65534 (pid "},
		{"an allowed user is answered", []uint32{0, nobody}, "restart unbound.service", "level=INFO msg=apply uid=65534"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := &fakeHost{}
			h := serve(t, f, func(s *Server) { s.uids = tc.uids })
			if err := os.Chmod(h.socket, 0o666); err != nil { // the uid alone shall keep others out
				t.Fatal(err)
			}
			err := asNobody(func() error { return h.client.Service(t.Context(), Restart, DNS) })
			if got := err == nil; got != (tc.want != "") || errors.Is(err, unix.EACCES) {
				t.Errorf("err = %v, want answered: %t", err, tc.want != "")
			}
			if got := f.heard(); got != tc.want {
				t.Errorf("systemd heard %q, want %q", got, tc.want)
			}
			_ = h.stop() // so that the line is written
			if lines := h.log.lines(); len(lines) != 1 || !strings.Contains(lines[0], tc.log) {
				t.Errorf("log = %q, want one line with %q", lines, tc.log)
			}
		})
	}
}

const nobody = 65534

// asNobody changes the uid of one thread, which is what the kernel vouches for when that
// thread connects. The thread is never unlocked, so it ends with its goroutine.
func asNobody(do func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, nobody, nobody, nobody); errno != 0 {
			done <- errno
			return
		}
		done <- do()
	}()
	return <-done
}

func TestASlowPeerIsLeft(t *testing.T) {
	h := serve(t, &fakeHost{}, func(s *Server) { s.read = 30 * time.Millisecond })
	for _, tc := range []struct{ name, say string }{
		{"who sends nothing", ""},
		{"who sends half a line", `{"verb":"pac`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			want := `{"error":{"code":"invalid","message":"the line did not end in time"}}` + "\n"
			if got := wordless(h.say(t, tc.say)); got != want {
				t.Errorf("answer = %q, want %q", got, want)
			}
		})
	}
}

func TestADripOfBytesDoesNotBuyTime(t *testing.T) {
	h := serve(t, &fakeHost{}, func(s *Server) { s.read = 100 * time.Millisecond })
	c := h.dial(t)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = io.ReadAll(c)
	}()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(10 * time.Second)
	for {
		select {
		case <-gone:
			return
		case <-tick.C:
			_, _ = c.Write([]byte("x"))
		case <-deadline:
			t.Fatal("the connection is still open")
		}
	}
}

func TestSlowPeersDoNotLockOthersOut(t *testing.T) {
	h := serve(t, &fakeHost{}, func(s *Server) { s.read = 50 * time.Millisecond })
	for range 3 * maxConnections {
		h.dial(t)
	}
	if _, err := h.client.PacketFilterLoaded(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestAPeerThatSaysNothingIsNotLogged(t *testing.T) {
	h := serve(t, &fakeHost{})
	c := h.dial(t)
	if err := c.(*net.UnixConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if got, _ := io.ReadAll(c); len(got) != 0 {
		t.Errorf("answer = %q, want none", got)
	}
	_ = h.stop()
	if lines := h.log.lines(); len(lines) != 0 {
		t.Errorf("log = %q", lines)
	}
}

func TestHalfALineIsRefused(t *testing.T) {
	h := serve(t, &fakeHost{})
	c := h.dial(t)
	_, _ = io.WriteString(c, `{"verb":"packet-filter"}`)
	_ = c.(*net.UnixConn).CloseWrite()
	got, _ := io.ReadAll(c)
	if !strings.Contains(string(got), "the connection ended within the line") {
		t.Errorf("answer = %q", got)
	}
}

func TestAHundredAtOnce(t *testing.T) {
	f := &fakeHost{loaded: true}
	h := serve(t, f)
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			if i%2 == 0 {
				if ok, err := h.client.PacketFilterLoaded(t.Context()); err != nil || !ok {
					t.Errorf("loaded = %t, %v", ok, err)
				}
				return
			}
			if err := h.client.Service(t.Context(), Restart, DNS); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := strings.Count(f.heard(), "restart unbound.service"); got != 50 {
		t.Errorf("restarts = %d, want 50", got)
	}
	if f.maxBusy != 1 {
		t.Errorf("%d restarts of one unit at once, want 1", f.maxBusy)
	}
}

func TestNoMoreThanTheSlotsAreServed(t *testing.T) {
	f := &fakeHost{}
	h := serve(t, f, func(s *Server) { s.read = time.Hour })
	busy := make([]net.Conn, maxConnections)
	for i := range busy {
		busy[i] = h.dial(t)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := h.client.PacketFilterLoaded(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("err = %v, want to be kept waiting", err)
	}
	_ = busy[0].Close()
	if _, err := h.client.PacketFilterLoaded(t.Context()); err != nil {
		t.Errorf("with a slot free: %v", err)
	}
}

func TestDifferentUnitsDoNotWaitForEachOther(t *testing.T) {
	f := &fakeHost{hold: make(chan struct{}), started: make(chan struct{})}
	h := serve(t, f)
	var wg sync.WaitGroup
	for _, s := range []string{DNS, NTP} {
		wg.Go(func() {
			if err := h.client.Service(t.Context(), Restart, s); err != nil {
				t.Error(err)
			}
		})
	}
	<-f.started
	<-f.started // both are under way
	close(f.hold)
	wg.Wait()
}

func TestWorkGoesOnWhenThePeerLeaves(t *testing.T) {
	f := &fakeHost{hold: make(chan struct{}), started: make(chan struct{}, 2)}
	h := serve(t, f)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-f.started; cancel() }()
	if err := h.client.Service(ctx, Restart, DNS); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v, want cancelled", err)
	}
	close(f.hold)
	// The next request for the unit has its turn after the first is done.
	if err := h.client.Service(t.Context(), Restart, DNS); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(f.heard(), "restart"); got != 2 {
		t.Errorf("restarts = %d, want 2", got)
	}
	_ = h.stop()
	if said := strings.Join(h.log.lines(), "\n"); strings.Contains(said, "ERROR") {
		t.Errorf("that somebody left is no error: %s", said)
	}
}

func TestShutdownCancelsTheWorkAndStillAnswers(t *testing.T) {
	f := &fakeHost{hold: make(chan struct{}), started: make(chan struct{}, 1)}
	h := serve(t, f)
	h.dial(t) // and does not wait for one who says nothing
	answer := make(chan error, 1)
	go func() { answer <- h.client.Service(t.Context(), Restart, DNS) }()
	<-f.started
	if err := h.stop(); err != nil {
		t.Errorf("Serve = %v", err)
	}
	if err := <-answer; err == nil || !strings.Contains(err.Error(), "the applier is shutting down") {
		t.Errorf("err = %v", err)
	}
}

func TestWaitingForATurnEndsToo(t *testing.T) {
	f := &fakeHost{hold: make(chan struct{}), started: make(chan struct{}, 1)}
	h := serve(t, f, func(s *Server) { s.work = 50 * time.Millisecond })
	leave := make(chan error, 1)
	go func() { leave <- h.client.Service(t.Context(), Restart, DNS) }()
	<-f.started
	if err := h.client.Service(t.Context(), Restart, DNS); !fault.Is(err, fault.Unavailable) {
		t.Errorf("err = %v, want unavailable", err)
	}
	<-leave
}

func TestWorkThatTakesTooLongIsAnswered(t *testing.T) {
	f := &fakeHost{hold: make(chan struct{})}
	h := serve(t, f, func(s *Server) { s.work = 20 * time.Millisecond })
	err := h.client.Service(t.Context(), Restart, DNS)
	if err == nil || !strings.Contains(err.Error(), "the DNS resolver did not change state in time") {
		t.Errorf("err = %v", err)
	}
}

func TestTheLogHasOneLinePerChangeOrFailure(t *testing.T) {
	f := &fakeHost{errs: map[string]error{"stop": errors.New("cause for the log")}}
	h := serve(t, f)
	_, _ = h.client.PacketFilterLoaded(t.Context()) // a look leaves no line
	_ = h.client.Service(t.Context(), Restart, DNS)
	_ = h.client.Service(t.Context(), Off, WAF)
	_ = h.stop()
	// In any order: a line is written when its answer is already out.
	lines := h.log.lines()
	all := strings.Join(lines, "")
	if len(lines) != 2 || !strings.Contains(all, "level=INFO msg=apply uid=") || !strings.Contains(all, "level=ERROR msg=apply uid=") ||
		!strings.Contains(all, `err="cause for the log"`) {
		t.Errorf("log = %q", lines)
	}
}

func TestServeReturnsWhatTheListenerSays(t *testing.T) {
	l, err := Listen(shortDir(t) + "/s")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	if err := NewServer(&fakeHost{}, &fakeHost{}, nil, nil, nil, nil).Serve(t.Context(), l); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Serve = %v, want the closed listener", err)
	}
}

func TestARealSystemFitsTheServer(*testing.T) {
	_ = NewServer(sys.NewUnits(), sys.NewNft(sys.Run), nil, nil, nil, nil)
}

func TestAPanicEndsOneRequestOnly(t *testing.T) {
	s := &Server{work: time.Second} // without a packet filter to ask
	if answer, err := s.perform(t.Context(), []byte(`{"verb":"packet-filter"}`)); err == nil || !strings.Contains(err.Error(), "panic") {
		t.Errorf("perform = %v, %v; want the panic as an error", answer, err)
	}
}
