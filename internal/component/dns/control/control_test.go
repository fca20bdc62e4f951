package control

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// fake answers in unbound's place and writes down what it was told.
type fake struct {
	mu      sync.Mutex
	answers []string
	told    []string
}

// serve answers one command after the other with the given texts, the last for ever.
func serve(t *testing.T, answers ...string) (*fake, Client) {
	t.Helper()
	dir, err := os.MkdirTemp("", "ctl") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	f := &fake{answers: answers}
	t.Cleanup(func() { ln.Close(); os.RemoveAll(dir) })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			f.answer(conn)
		}
	}()
	return f, Client{Path: ln.Addr().String()}
}

func (f *fake) answer(conn net.Conn) {
	defer conn.Close()
	r := bufio.NewReader(conn)
	told, _ := r.ReadString('\n')
	if strings.Contains(told, "datas") {
		for !strings.HasSuffix(told, "\x04\n") {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			told += line
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.told = append(f.told, told)
	answer := f.answers[0]
	if len(f.answers) > 1 {
		f.answers = f.answers[1:]
	}
	fmt.Fprint(conn, answer)
}

func (f *fake) heard() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.told
}

func TestDataIsAddedInBatches(t *testing.T) {
	f, c := serve(t, "added 100 datas\n", "added 50 datas\n")
	var lines []string
	for i := range 150 {
		lines = append(lines, fmt.Sprintf("h%d.example.com. 60 IN A 192.0.2.1", i))
	}
	if err := c.AddData(t.Context(), lines); err != nil {
		t.Fatal(err)
	}
	told := f.heard()
	if len(told) != 2 || !strings.HasPrefix(told[0], "UBCT1 local_datas\nh0.example.com. 60 IN A 192.0.2.1\n") || !strings.HasSuffix(told[1], "h149.example.com. 60 IN A 192.0.2.1\n\x04\n") {
		t.Errorf("told %q", told)
	}
	if err := c.AddData(t.Context(), nil); err != nil || len(f.heard()) != 2 {
		t.Errorf("nothing was told as %q, %v", f.heard(), err)
	}
}

func TestWhatUnboundDidNotTakeIsAnError(t *testing.T) {
	for _, answer := range []string{"", "error x\n", "added 0 datas\n", "error for input line: a.\nadded 0 datas\n", "added 10 datas\n"} {
		_, c := serve(t, answer)
		if err := c.AddData(t.Context(), []string{"a. 60 IN A 192.0.2.1"}); err == nil {
			t.Errorf("%q passes for added", answer)
		}
	}
	_, c := serve(t, "error no local data\nerror for input line: a. 60 IN A 192.0.2.1\nremoved 1 datas\n")
	if err := c.RemoveData(t.Context(), []string{"a. 60 IN A 192.0.2.1", "b."}); err == nil {
		t.Error("half passes for whole")
	}
	_, c = serve(t, "error no such zone\n")
	if err := c.FlushZone(t.Context(), "."); err == nil {
		t.Error("an error passes for a flush")
	}
	_, c = serve(t, "gibberish\n")
	if n, err := c.Threads(t.Context()); err == nil {
		t.Errorf("%d threads", n)
	}
	if s, err := c.Stats(t.Context()); err == nil {
		t.Errorf("stats %v", s)
	}
}

// A line that is two would be two commands, and one that is too long another one.
func TestOnlyWholeLinesAreSent(t *testing.T) {
	f, c := serve(t, "ok\n")
	for _, bad := range []string{"", "a\nb", "a\n", strings.Repeat("a", MaxLine+1)} {
		if err := c.AddData(t.Context(), []string{bad}); err == nil {
			t.Errorf("%.20q was sent", bad)
		}
	}
	for _, bad := range []string{"flush_zone a\nreload", "x\ry", "x\x00"} {
		if _, err := c.Do(t.Context(), bad); err == nil {
			t.Errorf("%q was sent", bad)
		}
	}
	if len(f.heard()) != 0 {
		t.Errorf("told %q", f.heard())
	}
}

func TestHowUnboundIsDown(t *testing.T) {
	gone := Client{Path: filepath.Join(t.TempDir(), "s")}
	if err := gone.FastReload(t.Context()); !errors.Is(err, ErrDown) {
		t.Errorf("without a socket: %v", err)
	}
	ln, err := net.Listen("unix", gone.Path)
	if err != nil {
		t.Fatal(err)
	}
	ln.(*net.UnixListener).SetUnlinkOnClose(false)
	ln.Close()
	if err := gone.FastReload(t.Context()); !errors.Is(err, ErrDown) {
		t.Errorf("with a socket that nobody listens on: %v", err)
	}
}

func TestReloads(t *testing.T) {
	for answer, want := range map[string]error{
		"ok\n": nil, "start fast_reload\nthread started\nok\n": nil,
		"The config changes items that are not compatible with fast_reload, perhaps do reload or restart: interface\n": ErrIncompatible,
	} {
		_, c := serve(t, answer)
		if err := c.FastReload(t.Context()); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", answer, err, want)
		}
	}
	_, c := serve(t, "config_read /etc/unbound/unbound.conf failed\n")
	if err := c.FastReload(t.Context()); err == nil || errors.Is(err, ErrIncompatible) || errors.Is(err, ErrDown) {
		t.Errorf("a refusal is %v", err)
	}
	// It is cut off once, and answers then.
	f, c := serve(t, "ok\n", "", "threads: 1\n")
	if err := c.Reload(t.Context()); err != nil || len(f.heard()) != 3 {
		t.Errorf("%v after %q", err, f.heard())
	}
}

func TestAnAnswerThatNeverComesIsNotWaitedFor(t *testing.T) {
	ln, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		conn, err := ln.Accept()
		if err == nil {
			defer conn.Close()
			_, _ = bufio.NewReader(conn).ReadString('\n')
			cancel()
			<-t.Context().Done()
		}
	}()
	if _, err := (Client{Path: ln.Addr().String()}).Do(ctx, "status"); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v, want canceled", err)
	}
}

func TestStatsAreNumbers(t *testing.T) {
	_, c := serve(t, "total.num.queries=4\ntime.up=12.5\nmem.cache.rrset=100\n")
	s, err := c.Stats(t.Context())
	if err != nil || s["total.num.queries"] != 4 || s["time.up"] != 12.5 || len(s) != 3 {
		t.Errorf("%v, %v", s, err)
	}
}
