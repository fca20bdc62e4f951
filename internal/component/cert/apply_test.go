package cert

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"testing"

	"github.com/coder/websocket"
)

// shows CERT-03
func TestHAProxyServesEachCertificateForItsNames(t *testing.T) {
	r := newRig(t)
	h := r.withProxy()
	worker := h.Worker().PID
	fallback := h.serves("nobody.example.com")
	a := r.make(object{"source": "self_signed", "names": []string{"a.example.com", "*.w.example.com"}})
	b := r.make(object{"source": "self_signed", "names": []string{"b.example.com"}})
	for name, want := range map[string]string{
		"a.example.com": a.Serial, "x.w.example.com": a.Serial, "b.example.com": b.Serial, "nobody.example.com": fallback, "x.y.w.example.com": fallback,
	} {
		if got := h.serves(name); !sameSerial(got, want) {
			t.Errorf("%s is served with %s, want %s", name, got, want)
		}
	}
	b = r.put(b, object{"source": "self_signed", "names": []string{"b.example.com"}, "key_type": "rsa-2048"})
	if got := h.serves("b.example.com"); !sameSerial(got, b.Serial) {
		t.Errorf("after a new key: %s, want %s", got, b.Serial)
	}
	r.Do("DELETE", "/certificates/"+a.ID, nil).Want(http.StatusOK)
	if got := h.serves("a.example.com"); got != fallback {
		t.Errorf("after its deletion: %s, want the fallback %s", got, fallback)
	}
	if got := h.Worker().PID; got != worker {
		t.Error("HAProxy was reloaded for what it can do by itself")
	}

	// Other names for an entry: by a reload, so that nobody sees the fallback meanwhile.
	b = r.put(b, object{"source": "self_signed", "names": []string{"b.example.com", "c.example.com"}})
	if got := h.serves("c.example.com"); !sameSerial(got, b.Serial) {
		t.Errorf("after a name was added: %s, want %s", got, b.Serial)
	}
	if h.Worker().PID == worker {
		t.Error("the list got another line without a reload")
	}
}

func TestARestartServesTheSame(t *testing.T) {
	r := newRig(t)
	h := r.withProxy()
	a := r.make(object{"source": "self_signed", "names": []string{"a.example.com"}})
	h.Stop()
	if got := r.sync(); got.State != "live" {
		t.Fatalf("nothing to do = %+v", got)
	}
	b := r.make(object{"source": "self_signed", "names": []string{"b.example.com"}}) // finds HAProxy down
	for name, want := range map[string]string{"a.example.com": a.Serial, "b.example.com": b.Serial} {
		if got := h.serves(name); !sameSerial(got, want) {
			t.Errorf("%s is served with %s, want %s", name, got, want)
		}
	}
}

// tunnel is a WebSocket through the proxy.
type tunnel struct{ *websocket.Conn }

func (h *proxy) tunnel(name string) tunnel {
	h.t.Helper()
	client := &http.Client{Transport: &http.Transport{DialTLSContext: func(context.Context, string, string) (net.Conn, error) {
		return tls.Client(h.Dial("web"), &tls.Config{ServerName: name, InsecureSkipVerify: true}), nil
	}}}
	conn, _, err := websocket.Dial(h.t.Context(), "wss://"+name+"/", &websocket.DialOptions{HTTPClient: client})
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = conn.CloseNow() })
	return tunnel{conn}
}

// says reports whether a word comes back.
func (w tunnel) says(ctx context.Context, word string) bool {
	if err := w.Write(ctx, websocket.MessageText, []byte(word)); err != nil {
		return false
	}
	_, data, err := w.Read(ctx)
	return err == nil && string(data) == word
}
