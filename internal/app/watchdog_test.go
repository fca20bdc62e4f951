package app

import (
	"context"
	"log/slog"
	"net"
	"path/filepath"
	"testing"
	"time"

	systemd "github.com/coreos/go-systemd/v22/daemon"

	"gateway/internal/component"
)

// manager is systemd's end of NOTIFY_SOCKET.
type manager struct{ *net.UnixConn }

func newManager(t *testing.T) manager {
	t.Helper()
	at := &net.UnixAddr{Name: filepath.Join(t.TempDir(), "notify"), Net: "unixgram"}
	conn, err := net.ListenUnixgram("unixgram", at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	t.Setenv("NOTIFY_SOCKET", at.Name)
	if err := conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	return manager{conn}
}

func (m manager) hears(t *testing.T, want string) {
	t.Helper()
	line := make([]byte, 100)
	n, err := m.Read(line)
	if err != nil || string(line[:n]) != want {
		t.Fatalf("systemd heard %q, %v, want %q", line[:n], err, want)
	}
}

func TestTheWatchdogHearsOfASchedulerWhoseJobsEnd(t *testing.T) {
	m, start := newManager(t), time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	now := start
	jobs := runs{now: func() time.Time { return now }}
	began, end := make(chan struct{}), make(chan struct{})
	job := jobs.timed(component.Job{Name: "test", Within: 10 * time.Minute, Run: func(context.Context) error {
		began <- struct{}{}
		<-end
		return nil
	}})
	ticks, done := make(chan time.Time), make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { defer close(done); jobs.keepAlive(ctx, ticks, slog.New(slog.DiscardHandler)) }()
	ended := make(chan error, 1)
	go func() { ended <- job.Run(ctx) }()
	<-began

	ticks <- start.Add(time.Minute) // a job takes its time
	m.hears(t, "WATCHDOG=1")
	ticks <- start.Add(11 * time.Minute) // it hangs: systemd hears nothing, which is what it waits for
	ticks <- start.Add(2 * time.Minute)  // taken when that is over
	m.hears(t, "WATCHDOG=1")
	end <- struct{}{}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	ticks <- start.Add(12 * time.Minute)
	m.hears(t, "WATCHDOG=1")
	cancel()
	<-done
	if _, err := systemd.SdNotify(false, "END"); err != nil {
		t.Fatal(err)
	}
	m.hears(t, "END") // and not another sign of life, which would have been that of the hung job
}

func TestWithoutAWatchdogNobodyIsTold(t *testing.T) {
	t.Setenv("WATCHDOG_USEC", "")
	jobs := runs{now: time.Now}
	if err := jobs.watched(t.Context(), slog.New(slog.DiscardHandler)); err != nil { // at once: ctx has not ended
		t.Error(err)
	}
}

// The services list shows by the last sign of life that the scheduler hangs.
func TestASignOfLifeIsGivenEverySecond(t *testing.T) {
	m := newManager(t)
	t.Setenv("WATCHDOG_USEC", "30000000")
	jobs := runs{now: time.Now}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- jobs.watched(ctx, slog.New(slog.DiscardHandler)) }()
	begin := time.Now()
	m.hears(t, "WATCHDOG=1")
	m.hears(t, "WATCHDOG=1")
	if took := time.Since(begin); took > 8*time.Second { // the machine may be busy
		t.Errorf("two signs of life took %v", took)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
