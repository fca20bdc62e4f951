package cert

import (
	"net/http"
	"strings"
	"testing"

	"gateway/internal/component/cert/pemfiles"
	"gateway/internal/daemon"
)

// shows CERT-03
func TestHAProxyServesEachCertificateForItsNames(t *testing.T) {
	r := newRig(t)
	h := r.withProxy()
	worker := h.Worker().PID
	fallback := h.Serial("nobody.example.com")
	a := r.make(object{"source": "self_signed", "names": []string{"a.example.com", "*.w.example.com"}})
	b := r.make(object{"source": "self_signed", "names": []string{"b.example.com"}})
	for name, want := range map[string]string{
		"a.example.com": a.Serial, "x.w.example.com": a.Serial, "b.example.com": b.Serial, "nobody.example.com": fallback, "x.y.w.example.com": fallback,
	} {
		if got := h.Serial(name); !pemfiles.SameSerial(got, want) {
			t.Errorf("%s is served with %s, want %s", name, got, want)
		}
	}
	b = r.put(b, object{"source": "self_signed", "names": []string{"b.example.com"}, "key_type": "rsa-2048"})
	if got := h.Serial("b.example.com"); !pemfiles.SameSerial(got, b.Serial) {
		t.Errorf("after a new key: %s, want %s", got, b.Serial)
	}
	r.Do("DELETE", "/certificates/"+a.ID, nil).Want(http.StatusOK)
	if got := h.Serial("a.example.com"); got != fallback {
		t.Errorf("after its deletion: %s, want the fallback %s", got, fallback)
	}
	if got := h.Worker().PID; got != worker {
		t.Error("HAProxy was reloaded for what it can do by itself")
	}

	// Other names for an entry: by a reload, so that nobody sees the fallback meanwhile.
	b = r.put(b, object{"source": "self_signed", "names": []string{"b.example.com", "c.example.com"}})
	if got := h.Serial("c.example.com"); !pemfiles.SameSerial(got, b.Serial) {
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
	if got := r.Sync(); got.State != "live" {
		t.Fatalf("nothing to do = %+v", got)
	}
	b := r.make(object{"source": "self_signed", "names": []string{"b.example.com"}}) // finds HAProxy down
	for name, want := range map[string]string{"a.example.com": a.Serial, "b.example.com": b.Serial} {
		if got := h.Serial(name); !pemfiles.SameSerial(got, want) {
			t.Errorf("%s is served with %s, want %s", name, got, want)
		}
	}
}

func TestThePreviewShowsNoKey(t *testing.T) {
	r := newRig(t)
	c := r.make(object{"source": "self_signed", "names": []string{"a.example.com"}})
	set := daemon.Set{Configs: []daemon.Config{r.Daemon.Config}, Unseal: r.Box.Unseal}
	texts, err := set.Preview(t.Context(), r.Pool, "cert")
	if err != nil {
		t.Fatal(err)
	}
	if text := texts["/etc/gateway/haproxy/certs/"+c.ID+".pem"]; !strings.HasPrefix(text, "(content not shown") || strings.Contains(text, "PRIVATE") {
		t.Errorf("preview = %s, want nothing of the file", text)
	}
}
