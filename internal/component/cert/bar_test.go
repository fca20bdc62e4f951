package cert

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"gateway/internal/component/cert/certtest"
	"gateway/internal/component/cert/pemfiles"
	"gateway/lab/pebbletest"
	"gateway/tools/bar"
)

// watcher asks for names all the time, and counts those that got another certificate than
// one of their own.
type watcher struct {
	mu     sync.Mutex
	names  []string
	seen   int
	wrong  []string
	stop   context.CancelFunc
	ended  chan struct{}
	socket string
}

func watch(t testing.TB, h *certtest.Proxy) *watcher {
	ctx, stop := context.WithCancel(t.Context())
	w := &watcher{stop: stop, ended: make(chan struct{}), socket: h.Path("web")}
	go func() {
		defer close(w.ended)
		for i := 0; ctx.Err() == nil; i++ {
			w.look(ctx, i)
		}
	}()
	return w
}

func (w *watcher) add(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.names = append(w.names, name)
}

func (w *watcher) look(ctx context.Context, i int) {
	w.mu.Lock()
	names := slices.Clone(w.names)
	w.mu.Unlock()
	if len(names) == 0 {
		names = []string{""}
	}
	name := names[i%len(names)]
	select {
	case <-ctx.Done():
		return
	case <-time.After(5 * time.Millisecond):
	}
	if name == "" {
		return
	}
	err := handshake(ctx, w.socket, name)
	if ctx.Err() != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen++
	if err != nil {
		w.wrong = append(w.wrong, err.Error())
	}
}

func handshake(ctx context.Context, socket, name string) error {
	raw, err := (&net.Dialer{}).DialContext(ctx, "unix", socket)
	if err != nil {
		return err
	}
	defer raw.Close()
	conn := tls.Client(raw, &tls.Config{ServerName: name, InsecureSkipVerify: true})
	if err := conn.HandshakeContext(ctx); err != nil {
		return err
	}
	return conn.ConnectionState().PeerCertificates[0].VerifyHostname(name)
}

func (w *watcher) end() (seen int, wrong []string) {
	w.stop()
	<-w.ended
	return w.seen, w.wrong
}

// shows CERT-06
func TestBarProxy08CertificatesUnderFaults(t *testing.T) {
	bar.NotShort(t)
	a := newFaulty(t, pebbletest.Options{RejectNonce: 20})
	h := a.withProxy()
	w := watch(t, h)
	cycles, served := bar.Size(8, 50), 0
	c := a.issued("cycle."+testZone, false)
	w.add(c.Names[0])
	for range cycles {
		a.renew(c)
		now := a.get(c.ID)
		if now.Serial != c.Serial && pemfiles.SameSerial(h.Serial(c.Names[0]), now.Serial) && now.code() == "" {
			served++
		}
		c = now
	}
	told := len(a.alerted())
	codes := map[string]bool{}
	for i, f := range injections {
		name := fmt.Sprintf("f%d.%s", i, testZone)
		if f.suffers(a, name) {
			codes[f.code] = true
		}
		w.add(name)
	}
	seen, wrong := w.end()
	for _, err := range wrong[:min(len(wrong), 5)] {
		t.Log(err)
	}
	alerts := len(a.alerted()) - told
	figure := fmt.Sprintf("%d of %d issued and served with 20%% of nonces refused, %d of %d handshakes with another certificate, %d alerts in %d domains, %d codes for %d faults",
		served, cycles, len(wrong), seen, alerts, len(injections), len(codes), len(injections))
	bar.Report(t, "proxy", 8, figure, "all served, 0 with another, 1 alert per domain, 8 codes",
		served == cycles && seen > 100 && len(wrong) == 0 && told == 0 && alerts == len(injections) && len(codes) == 8)
}
