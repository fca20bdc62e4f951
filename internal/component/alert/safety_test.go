package alert

import (
	"bytes"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"gateway/internal/problem"
)

// The address of a webhook is often its secret, and viewers read the log.
func TestTheAddressOfAWebhookIsNotLogged(t *testing.T) {
	r := newRig(t)
	var log bytes.Buffer
	r.a.Log = slog.New(slog.NewTextHandler(&log, nil))
	r.channel(body{"kind": "webhook", "target": "http://127.0.0.1:1/services/XYZZY"})
	r.last(down("shop"))
	r.deliver()
	if said := log.String(); !strings.Contains(said, "not delivered") || strings.Contains(said, "XYZZY") {
		t.Errorf("the log says %s", said)
	}
}

// What gets critical in quiet hours does not wait behind what waits for their end.
func TestWhatGetsCriticalIsSentInQuietHours(t *testing.T) {
	r := newRig(t)
	h := newHooks(t)
	now := r.now().In(time.Local) //nolint:gosmopolitan // as the node does
	clock := func(d time.Duration) string { return now.Add(d).Format("15:04") }
	r.hook(h, body{"quiet_hours": clock(-time.Hour) + "-" + clock(2*time.Hour)})
	r.last(down("shop"))
	r.deliver()
	if got := h.got(); len(got) != 0 {
		t.Fatalf("%d arrived in quiet hours", len(got))
	}
	r.last(down("shop").As(problem.Critical))
	r.deliver()
	if got := h.got(); len(got) != 1 || got[0].body["severity"] != "critical" {
		t.Errorf("%d arrived, want what got critical", len(got))
	}
}

// Who has mended a channel sees at once whether it works.
func TestATestIsSentToAChannelThatIsPaused(t *testing.T) {
	r := newRig(t)
	h := newHooks(t)
	h.answer = func(n int) int {
		if n == 1 {
			return http.StatusInternalServerError
		}
		return http.StatusNoContent
	}
	r.hook(h)
	r.last(down("shop"))
	r.deliver()
	r.Do("POST", "/alerts/test", nil).Want(http.StatusOK)
	r.deliver()
	if got := h.got(); len(got) < 2 || got[1].body["kind"] != testAlert.Alert {
		t.Errorf("%d arrived, want the test right after the failure", len(got))
	}
}

// A mail server that talks without end is cut off.
func TestAMailServerThatNeverStops(t *testing.T) {
	server, client := net.Pipe()
	defer server.Close()
	go func() {
		for {
			if _, err := server.Write(bytes.Repeat([]byte("2"), 4096)); err != nil {
				return
			}
		}
	}()
	conn := &limited{Conn: client, left: mostMail}
	n, buf := 0, make([]byte, 32<<10)
	for {
		got, err := conn.Read(buf)
		n += got
		if err != nil {
			break
		}
	}
	if n != mostMail {
		t.Errorf("%d bytes were read, want %d", n, mostMail)
	}
}
