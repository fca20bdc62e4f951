package diag

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway/internal/api"
	"gateway/internal/api/apitest"
	"gateway/internal/capture"
	"gateway/internal/component"
	"gateway/internal/component/componenttest"
	"gateway/internal/component/diag/recorder"
	"gateway/internal/fault"
	"gateway/internal/sys"
	"gateway/lab/wiretest"
)

// wired is a node with two ends of one link, on which only tests send.
type wired struct {
	*componenttest.Rig
	wire  wiretest.Wire
	ended chan error // one for each capture whose program ended
	state string     // folder of the files
	kept  *overtaken
}

// overtaken is a recorder in which something happens right after a file was taken from it.
type overtaken struct {
	*recorder.Recorder
	then func()
}

func (o *overtaken) File() (io.ReadSeekCloser, recorder.State, error) {
	f, s, err := o.Recorder.File()
	if o.then != nil {
		o.then()
	}
	return f, s, err
}

type ends struct{ node }

func (ends) Interfaces() ([]sys.Interface, error) {
	return []sys.Interface{{Name: "seen"}, {Name: "sends"}, {Name: "gone"}, {Name: "inside", LinkType: "loopback"}, {Name: "lo"}}, nil
}

func newWired(t *testing.T) *wired {
	t.Helper()
	w := &wired{wire: wiretest.NewWire(t), ended: make(chan error, 100), state: t.TempDir()}
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "capture.sock"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() { // as systemd does: a program for each connection
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			file, err := conn.(*net.UnixConn).File()
			conn.Close()
			if err != nil {
				return
			}
			go func() {
				w.ended <- w.wire.Do(func() error { defer file.Close(); return capture.Serve(file) })
			}()
		}
	}()
	w.Rig = componenttest.New(t, componenttest.Setup{Component: func(r *componenttest.Rig) component.Component {
		w.kept = &overtaken{Recorder: &recorder.Recorder{Socket: l.Addr().String(), Dir: w.state, Now: time.Now, Log: slog.New(slog.DiscardHandler)}}
		return New(Options{Run: r.Run, Questions: &scheduler{}, Host: ends{}, Captures: w.kept})
	}})
	return w
}

// packet is one of UDP to a port, with a header of Ethernet.
func packet(port uint16, size int) []byte {
	b := make([]byte, 14+20+8+size)
	b[12], b[14], b[23] = 8, 0x45, 17
	copy(b[26:], []byte{192, 0, 2, 1, 192, 0, 2, 9})
	binary.BigEndian.PutUint16(b[36:], port)
	return b
}

func (w *wired) look() Capture {
	return apitest.Data[Capture](w.Do("GET", "/diagnostics/capture", nil).Want(http.StatusOK))
}

// until waits for a state.
func (w *wired) until(t *testing.T, is func(Capture) bool) Capture {
	t.Helper()
	var c Capture
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); <-time.After(10 * time.Millisecond) {
		if c = w.look(); is(c) {
			return c
		}
	}
	t.Fatalf("it stays %+v", c)
	return c
}

func over(c Capture) bool { return c.State == recorder.Ended }

func TestPacketsAreCaptured(t *testing.T) {
	w := newWired(t)
	if c := w.look(); c.State != recorder.None || c.StartedAt != nil {
		t.Errorf("at first %+v", c)
	}
	w.Do("GET", "/diagnostics/capture/file", nil).Want(http.StatusConflict)
	sent := [][]byte{packet(53, 10), packet(123, 10), packet(53, 10)}
	for filter, want := range map[string]int{"udp host 192.0.2.0/24 port 53": 2, "": 3} { // the second is the control
		body := object{"interface": "seen"}
		if filter != "" {
			body = object{"interface": "seen", "protocol": "udp", "host": "192.0.2.7/24", "port": 53, "max_seconds": 30}
		}
		if c := apitest.Data[Capture](w.Do("POST", "/diagnostics/capture", body).Want(http.StatusOK)); c.State != recorder.Running || c.Filter != filter || c.Interface != "seen" {
			t.Errorf("%+v", c)
		}
		if got := w.Do("POST", "/diagnostics/capture", body).Want(http.StatusConflict); got.Error.Code != "capture_running" {
			t.Errorf("a second one: %+v", got.Error)
		}
		w.wire.Send(t, nil, sent...)
		w.until(t, func(c Capture) bool { return c.Packets >= want })
		c := apitest.Data[Capture](w.Do("POST", "/diagnostics/capture/stop", nil).Want(http.StatusOK))
		if c.State != recorder.Ended || c.Reason != capture.Stopped || c.Packets != want || len(c.Lines) != want || !strings.Contains(c.Lines[0].Summary, "192.0.2.9:53: UDP") {
			t.Errorf("%q: %+v", filter, c)
		}
		select {
		case err := <-w.ended:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(10 * time.Second):
			t.Error("the program goes on")
		}
	}
	for _, call := range [][2]string{{"POST", ""}, {"GET", ""}, {"DELETE", ""}, {"POST", "/stop"}, {"GET", "/file"}} {
		w.As("viewer", call[0], "/diagnostics/capture"+call[1], object{"interface": "seen"}).Want(http.StatusForbidden)
	}
	w.Do("GET", "/diagnostics/capture/file", nil).Want(http.StatusOK)
	w.Do("DELETE", "/diagnostics/capture", nil).Want(http.StatusOK)
	if c := w.look(); c.State != recorder.None {
		t.Errorf("after deleting it %+v", c)
	}
	rows, err := w.Pool.Query(t.Context(), `select action || ': ' || subject from audit_entries where action like 'diag.capture%' order by seq`)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		said = append(said, line)
	}
	for _, want := range []string{"diag.capture.start: seen udp host 192.0.2.0/24 port 53", "diag.capture.start: seen", "diag.capture.start.failed: seen", "diag.capture.stop: seen", "diag.capture.download: seen", "diag.capture.delete: seen"} {
		if !slices.ContainsFunc(said, func(s string) bool { return strings.HasPrefix(s, want) }) {
			t.Errorf("the audit log lacks %q: %q", want, said)
		}
	}
}

// The audit log names the capture that was sent, also when somebody begins another one meanwhile.
func TestADownloadIsAuditedAsWhatWasSent(t *testing.T) {
	w := newWired(t)
	w.Do("POST", "/diagnostics/capture", object{"interface": "seen", "port": 53}).Want(http.StatusOK)
	w.Do("POST", "/diagnostics/capture/stop", nil).Want(http.StatusOK)
	w.kept.then = func() {
		w.Do("POST", "/diagnostics/capture", object{"interface": "sends", "port": 123}).Want(http.StatusOK)
	}
	w.Do("GET", "/diagnostics/capture/file", nil).Want(http.StatusOK)
	var subject string
	if err := w.Pool.QueryRow(t.Context(), `select subject from audit_entries where action = 'diag.capture.download'`).Scan(&subject); err != nil || subject != "seen port 53" {
		t.Errorf("the audit log says %q, want %q: %v", subject, "seen port 53", err)
	}
	w.kept.then = nil
	w.Do("DELETE", "/diagnostics/capture", nil).Want(http.StatusOK)
}

// bounded is an answer that knows until when it may be written.
type bounded struct {
	*httptest.ResponseRecorder
	until time.Time
}

func (b *bounded) SetWriteDeadline(until time.Time) error { b.until = until; return nil }

// Whoever reads slowly keeps the space of a capture that was deleted since.
func TestASlowDownloadIsOneOfAFewAndEnds(t *testing.T) {
	w := newWired(t)
	w.Do("POST", "/diagnostics/capture", object{"interface": "seen"}).Want(http.StatusOK)
	w.Do("POST", "/diagnostics/capture/stop", nil).Want(http.StatusOK)
	sent, asks := &bounded{ResponseRecorder: httptest.NewRecorder()}, httptest.NewRequestWithContext(t.Context(), "GET", api.Prefix+"/diagnostics/capture/file", nil)
	asks.Header.Set("Authorization", "Bearer admin")
	w.Edge.Handler().ServeHTTP(sent, asks)
	if left := time.Until(sent.until); sent.Code != http.StatusOK || left <= 0 || left > 10*time.Minute {
		t.Errorf("%d, and it may take %s", sent.Code, left)
	}
	for range recorder.MostDownloads {
		slow, _, err := w.kept.File()
		if err != nil {
			t.Fatal(err)
		}
		defer slow.Close()
	}
	if got := w.Do("GET", "/diagnostics/capture/file", nil).Want(http.StatusConflict); got.Error.Code != "too_many_downloads" || !strings.Contains(got.Error.Message, "3 downloads of captures are running") {
		t.Errorf("%+v", got.Error)
	}
}

func TestWhatCannotBeCapturedIsRefused(t *testing.T) {
	w := newWired(t)
	for _, tc := range []struct {
		field string
		body  object
	}{
		{"interface", object{"interface": "eth99"}},
		{"interface", object{"interface": "gone"}}, // it went away since
		{"interface", object{"interface": "inside"}},
		{"interface", object{"interface": "lo"}}, // gateway-capture sees what it is
		{"port", object{"interface": "seen", "protocol": "icmp", "port": 1}},
		{"port", object{"interface": "seen", "port": 65536}},
		{"host", object{"interface": "seen", "protocol": "arp", "host": "2001:db8::1"}},
		{"max_packets", object{"interface": "seen", "max_packets": 100_001}},
		{"max_megabytes", object{"interface": "seen", "max_megabytes": 65}},
		{"max_seconds", object{"interface": "seen", "max_seconds": 301}},
		{"max_seconds", object{"interface": "seen", "max_seconds": -1}},
	} {
		got := w.Do("POST", "/diagnostics/capture", tc.body).Want(http.StatusBadRequest)
		if got.Complaint(tc.field) == "" {
			t.Errorf("%v: %+v", tc.body, got.Error)
		}
		if name := tc.body["interface"]; (name == "inside" || name == "lo") && !strings.Contains(got.Complaint("interface"), "sessions and passwords of the management") {
			t.Errorf("%v: %+v", tc.body, got.Error)
		}
	}
	if c := w.look(); c.State != recorder.None {
		t.Errorf("one of them began: %+v", c)
	}
}

// Who is told that a capture runs looks for it, and for a button that stops it.
func TestOnlyACaptureOfOursIsSaidToRun(t *testing.T) {
	for code, err := range map[string]error{
		"capture_running":     recorder.ErrRunning,
		"capture_unavailable": errors.Join(recorder.ErrTurnedAway, io.EOF),
	} {
		if f, is := fault.Of(toldOf(err)); !is || f.Code != code {
			t.Errorf("%v: %+v, want %s", err, f, code)
		}
	}
}

// figures are what the bar says of captures.
type figures struct {
	injected, obeyed, begun int
	captures, beyond        int
	largest                 int64
	all, some               int // packets without and with a filter
}

func (f figures) String() string {
	return fmt.Sprintf("captures: %d hostile fields: %d taken, %d begun; %d floods: %d beyond their size (the largest at %.2f %% of it); with a filter %d packets, control without %d",
		f.injected, f.obeyed, f.begun, f.captures, f.beyond, float64(f.largest)/(1<<20)*100, f.some, f.all)
}

func (f figures) good() bool {
	return f.obeyed == 0 && f.begun == 0 && f.beyond == 0 && f.captures > 0 && f.largest > 0 && f.some == 2 && f.all == 3
}

// captures sends hostile fields, then more packets than a file may have, and then a few.
func captures(t *testing.T) (f figures) {
	t.Helper()
	w := newWired(t)
	hostile := append(options(), "tcp or udp", "udp port 53", "host 192.0.2.1", "seen -w /tmp/x", "seen;id", "../seen", "seen\x00", "192.0.2.1/33", "192.0.2.1-192.0.2.9", "fe80::1%seen", "any and not port 22")
	for _, s := range hostile {
		for _, body := range []object{{"interface": s}, {"interface": "seen", "host": s}, {"interface": "seen", "protocol": s}, {"interface": "seen", "port": s}, {"interface": "seen", "filter": s}} {
			f.injected++
			if got := w.Do("POST", "/diagnostics/capture", body); got.Status != http.StatusBadRequest {
				f.obeyed++
				t.Errorf("%v: %d %+v", body, got.Status, got.Error)
			}
		}
	}
	if w.look().State != recorder.None {
		f.begun++
	}
	for _, size := range []int{0, 7, 700, 1400} {
		f.captures++
		w.Do("POST", "/diagnostics/capture", object{"interface": "seen", "max_megabytes": 1, "max_packets": capture.MostPackets, "max_seconds": 20}).Want(http.StatusOK)
		stop, sent := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(sent)
			w.wire.Send(t, stop, slices.Repeat([][]byte{packet(53, size)}, 64)...)
		}()
		c := w.until(t, over)
		close(stop)
		<-sent
		f.largest = max(f.largest, c.Bytes)
		if c.Bytes > 1<<20 || c.Packets > capture.MostPackets || c.Reason != capture.ByBytes {
			f.beyond++
			t.Errorf("%d bytes, %d packets, ended by %s", c.Bytes, c.Packets, c.Reason)
		}
	}
	count := func(body object, want int) int {
		w.Do("POST", "/diagnostics/capture", body).Want(http.StatusOK)
		w.wire.Send(t, nil, packet(53, 1), packet(80, 1), packet(53, 1))
		w.until(t, func(c Capture) bool { return c.Packets >= want })
		return apitest.Data[Capture](w.Do("POST", "/diagnostics/capture/stop", nil).Want(http.StatusOK)).Packets
	}
	f.some, f.all = count(object{"interface": "seen", "port": 53}, 2), count(object{"interface": "seen"}, 3)
	w.Do("DELETE", "/diagnostics/capture", nil).Want(http.StatusOK)
	return f
}
