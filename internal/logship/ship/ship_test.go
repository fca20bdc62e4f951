package ship

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gateway/internal/journal"
	"gateway/internal/logship"
	"gateway/internal/outbound"
	"gateway/internal/sys"
	"gateway/lab/journaltest"
)

// ready is a sender whose lines arrive.
func ready(t *testing.T) (*rig, *receiver) {
	t.Helper()
	ca := newAuthority(t)
	to := newReceiver(t, ca.server(t, "logs.example.com"))
	r := newRig(t, to, ca.pool)
	r.start()
	until(t, "the sender is connected and well", func() bool {
		s := r.status()
		return s.ConnectedSince != nil && s.AwaySince == nil && s.Error == logship.NoTrouble
	})
	return r, to
}

func TestLinesArriveFromTheFirstStartOn(t *testing.T) {
	r, to := ready(t)
	want := numbered100("line")
	r.journal.write(append(want, "own line")...)
	until(t, "all lines arrived", func() bool { return to.has(want) })
	until(t, "the status says so", func() bool { s := r.status(); return s.Sent == 100 && s.LastSentAt != nil && s.BehindSince == nil })
	r.stop()
	to.mu.Lock()
	defer to.mu.Unlock()
	if to.got["before it was switched on"]+to.got["own line"] != 0 || len(to.got) != 100 || len(to.broken) > 0 {
		t.Errorf("%d lines arrived, broken: %q", len(to.got), to.broken)
	}
}

// A receiver that dies with lines in its buffers, again and again, and a sender that is ended meanwhile: each line arrives.
func TestEachLineArrivesAtLeastOnce(t *testing.T) {
	ca := newAuthority(t)
	to := newReceiver(t, ca.server(t, "logs.example.com"))
	r := newRig(t, to, ca.pool)
	r.options.Timing.Settle = 3 * time.Second // on a busy machine the receiver, which is in this process, may not run for a while
	r.start()
	until(t, "the sender is well", func() bool { s := r.status(); return s.ConnectedSince != nil && s.AwaySince == nil })
	var want []string
	for round := range 4 {
		to.mu.Lock()
		to.killAt = to.lines + int64(1+17*round)
		to.mu.Unlock()
		lines := numbered100(fmt.Sprint("round ", round))
		r.journal.write(lines...)
		want = append(want, lines...)
		until(t, "the receiver is dead", func() bool { return r.status().ConnectedSince == nil && r.status().AwaySince != nil })
		if round%2 == 1 {
			r.stop()
			r.journal.write("written while nobody sends " + fmt.Sprint(round))
			want = append(want, "written while nobody sends "+fmt.Sprint(round))
			r.start()
		}
		to.mu.Lock()
		to.killAt = 0
		to.mu.Unlock()
		to.start()
		until(t, "all lines arrived", func() bool { return to.has(want) })
		until(t, "the sender is well again", func() bool { s := r.status(); return s.ConnectedSince != nil && s.AwaySince == nil })
	}
	if to.mu.Lock(); len(to.broken) > 0 {
		t.Errorf("broken frames: %q", to.broken)
	}
	to.mu.Unlock()
}

// The control: without what it remembers, lines of the time between are lost.
func TestWithoutTheCursorLinesAreLost(t *testing.T) {
	for _, kept := range []bool{true, false} {
		r, to := ready(t)
		r.stop()
		if !kept {
			if err := os.Remove(filepath.Join(r.options.StateDir, System+".json")); err != nil {
				t.Fatal(err)
			}
		}
		r.journal.write("written while nobody sends")
		r.start()
		until(t, "the sender is connected again", func() bool { return r.status().AwaySince == nil && r.status().ConnectedSince != nil })
		r.journal.write("the end")
		until(t, "the end arrived", func() bool { return to.has([]string{"the end"}) })
		if got := to.has([]string{"written while nobody sends"}); got != kept {
			t.Errorf("with the cursor kept: %t, the line arrived: %t", kept, got)
		}
		r.stop()
	}
}

// Not a byte of a log goes to somebody who is not known to be the receiver.
func TestAStrangerGetsNothing(t *testing.T) {
	ca, other := newAuthority(t), newAuthority(t)
	for name, tc := range map[string]struct {
		roots *x509.CertPool
		fail  error
		name  string
	}{
		"another authority":            {other.pool, nil, "logs.example.com"},
		"another name":                 {ca.pool, nil, "evil.example.com"},
		"authorities that are missing": {nil, errors.New("no such file"), "logs.example.com"},
	} {
		t.Run(name, func(t *testing.T) {
			to := newReceiver(t, ca.server(t, tc.name))
			r := newRig(t, to, tc.roots)
			if tc.fail != nil {
				r.options.Roots = func() (*x509.CertPool, error) { return nil, tc.fail }
			}
			r.start()
			r.journal.write("top secret")
			until(t, "the status says why", func() bool { return r.status().Error == logship.NotTrusted })
			r.stop()
			if to.mu.Lock(); to.bytes != 0 || r.status().ConnectedSince != nil || r.status().AwaySince == nil {
				t.Errorf("%d bytes of lines were sent; %+v", to.bytes, r.status())
			}
			to.mu.Unlock()
		})
	}
}

func TestWhatKeepsLinesFromArrivingIsTold(t *testing.T) {
	ca := newAuthority(t)
	to := newReceiver(t, ca.server(t, "logs.example.com"))
	mute, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()
	go func() {
		for {
			c, err := mute.Accept()
			if err != nil {
				return
			}
			_, _ = c.Write([]byte("220 hello\r\n"))
			_ = c.Close()
		}
	}()
	for name, tc := range map[string]struct {
		set  func(o *Options)
		want logship.Trouble
	}{
		"no receiver":    {func(o *Options) { o.Config.Host = "" }, logship.Unconfigured},
		"nobody listens": {func(o *Options) { o.Config.Port = 1 }, logship.NotReached},
		"not by TLS":     {func(o *Options) { o.Config.Port = mute.Addr().(*net.TCPAddr).Port }, logship.NoTLS},
		"an address of ours": {func(o *Options) {
			o.Dial = outbound.Dialer(func() ([]netip.Addr, error) { return nil, nil }).DialContext
		}, logship.LocalAddress},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, to, ca.pool)
			tc.set(&r.options)
			r.start()
			until(t, "the status says why", func() bool { return r.status().Error == tc.want })
		})
	}
}

// What journald removed before it was sent is counted, and the rest arrives.
func TestLinesThatWereRotatedAwayAreTold(t *testing.T) {
	r, to := ready(t)
	r.journal.write("one")
	until(t, "it arrived for sure", func() bool {
		var p place
		data, _ := os.ReadFile(filepath.Join(r.options.StateDir, System+".json"))
		return json.Unmarshal(data, &p) == nil && numbers(p.Cursor).number == 2
	})
	r.stop()
	r.journal.write("two", "three", "four", "five")
	r.journal.rotate(4)
	r.start()
	until(t, "the rest arrived", func() bool { return to.has([]string{"four", "five"}) })
	until(t, "the loss is told", func() bool { return r.status().Lost == 2 && r.status().LostAt != nil })
	r.stop()
	r.start()
	until(t, "it is told after a restart, too, and once", func() bool { return r.status().ConnectedSince != nil && r.status().Lost == 2 })
	if to.has([]string{"two"}) {
		t.Error("a line arrived that was rotated away, so this shows nothing")
	}
}

// Entries of units that are not sent leave no trace: they are not lost when journald removes them, and not sent when their unit is added.
func TestWhatIsNotSentDoesNotHoldThePlace(t *testing.T) {
	r, to := ready(t)
	r.stop()
	r.options.Config.Units = []string{"unbound.service"}
	r.start()
	r.journal.write("one")
	until(t, "it arrived", func() bool { return to.has([]string{"one"}) })
	r.journal.write("other 1", "other 2", "other 3", "other 4")
	until(t, "it went on to the newest", func() bool {
		var p place
		data, _ := os.ReadFile(filepath.Join(r.options.StateDir, System+".json"))
		return json.Unmarshal(data, &p) == nil && numbers(p.Cursor).number == 6
	})
	r.stop()
	r.journal.write("two", "other 5")
	r.journal.rotate(5)
	r.options.Config.Units = append(r.options.Config.Units, "cron.service")
	r.start()
	until(t, "what was written since arrived", func() bool { return to.has([]string{"two", "other 5"}) })
	if s := r.status(); s.Lost != 0 || to.has([]string{"other 4"}) {
		t.Errorf("%d entries lost, those of before the unit was added sent: %t", s.Lost, to.has([]string{"other 4"}))
	}
}

func TestHowManyLieBetween(t *testing.T) {
	for _, tc := range []struct {
		sent, there string
		want        int64
	}{
		{"s=a;i=5;b=1", "s=a;i=5;b=1", 0}, {"s=a;i=5", "s=a;i=6", 0}, {"s=a;i=5", "s=a;i=10", 10}, {"s=a;i=5", "s=b;i=6", 1}, {"x", "s=a;i=1", 1},
	} {
		if got := between(tc.sent, tc.there); got != tc.want {
			t.Errorf("between %s and %s there are %d, want %d", tc.sent, tc.there, got, tc.want)
		}
	}
}

// journalctl itself begins at a cursor as the sender expects it to, also where the entry at it does not match.
func TestJournalctlBeginsAtACursor(t *testing.T) {
	if _, err := os.Stat("/usr/bin/journalctl"); err != nil {
		t.Skip("there is no journalctl")
	}
	dir := t.TempDir()
	var entries []journaltest.Entry
	for i := range 10 {
		unit := []string{"a.service", "b.service"}[i%2]
		entries = append(entries, journaltest.Entry{At: time.Now().Add(time.Duration(i-100) * time.Second), Fields: []string{"MESSAGE=" + fmt.Sprint(i), "_SYSTEMD_UNIT=" + unit, "PRIORITY=3", "SYSLOG_FACILITY=10"}})
	}
	if err := journaltest.Write(filepath.Join(dir, "system.journal"), [16]byte{1}, 1, entries); err != nil {
		t.Fatal(err)
	}
	reader := &journal.Reader{Now: time.Now, Lines: func(ctx context.Context, c sys.Command, each func([]byte) error) error {
		c.Args = append(c.Args, "--directory="+dir)
		return sys.Lines(ctx, c, each)
	}}
	read := func(cursor string, units []string, n int) (messages, cursors []string) {
		t.Helper()
		enough := errors.New("enough")
		err := reader.FollowFrom(t.Context(), journal.Query{Units: units}, cursor, func(e journal.Entry) error {
			messages, cursors = append(messages, e.Message), append(cursors, e.Cursor)
			if e.Severity != 3 || e.Facility != 10 {
				t.Errorf("entry %+v", e)
			}
			if len(messages) == n {
				return enough
			}
			return nil
		})
		if !errors.Is(err, enough) {
			t.Fatal(err)
		}
		return messages, cursors
	}
	all, cursors := read("", nil, 10)
	if got := strings.Join(all, ""); got != "0123456789" {
		t.Fatalf("without a cursor it reads %s", got)
	}
	if got, _ := read(cursors[4], nil, 6); strings.Join(got, "") != "456789" {
		t.Errorf("from the fifth on it reads %v", got)
	}
	if got, _ := read(cursors[4], []string{"b.service"}, 3); strings.Join(got, "") != "579" {
		t.Errorf("of another unit it reads %v", got)
	}
	for cursor, want := range map[string]bool{cursors[4]: true, cursors[8]: true, cursors[9]: false} {
		if waits, err := reader.Waits(t.Context(), journal.Query{Units: []string{"b.service"}}, cursor); err != nil || waits != want {
			t.Errorf("since %s something waits: %t (%v)", cursor, waits, err)
		}
	}
	if e, found, err := reader.At(t.Context(), "", cursors[4]); err != nil || !found || e.Cursor != cursors[4] {
		t.Errorf("at the fifth there is %+v (%t, %v)", e, found, err)
	}
	if e, found, err := reader.Newest(t.Context(), ""); err != nil || !found || e.Message != "9" {
		t.Errorf("the newest is %+v (%t, %v)", e, found, err)
	}
}
