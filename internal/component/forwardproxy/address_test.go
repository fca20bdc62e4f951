package forwardproxy_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"gateway/internal/component/componenttest"
	"gateway/internal/component/forwardproxy/squid"
	"gateway/internal/daemon"
	"gateway/internal/sys"
)

// changing are interfaces that change.
type changing struct {
	mu  sync.Mutex
	all []sys.Interface
}

func (l *changing) Interfaces() ([]sys.Interface, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all, nil
}

// An address that comes to the node is one more that the proxy must refuse.
func TestAnotherAddressIsNoticed(t *testing.T) {
	host := &changing{all: []sys.Interface{{Name: "eth0", AddrInfo: []sys.Address{{Local: "192.0.2.1", PrefixLen: 24}}}}}
	events := make(chan func())
	with := setup(t)
	with.Daemon = func(r *componenttest.Rig) daemon.Daemon {
		return squid.New(squid.Options{Units: r.Units, Exec: componenttest.ExecInRoot(t), Host: host, Watch: func(ctx context.Context, wake func()) error {
			select {
			case events <- wake:
			case <-ctx.Done():
			}
			<-ctx.Done()
			return nil
		}})
	}
	r := componenttest.New(t, with)
	r.MustSync()
	ctx, cancel := context.WithCancel(t.Context())
	again := make(chan struct{}, 8)
	done := make(chan error)
	go func() { done <- r.Daemon.Background(ctx, func() { again <- struct{}{} }) }()
	wake := <-events
	wake()
	select {
	case <-again:
		t.Error("nothing changed, and it is rendered again")
	case <-time.After(300 * time.Millisecond):
	}
	host.mu.Lock()
	host.all = append(host.all, sys.Interface{Name: "eth1", AddrInfo: []sys.Address{{Local: "198.51.100.1", PrefixLen: 24}}})
	host.mu.Unlock()
	wake()
	select {
	case <-again:
	case <-time.After(10 * time.Second):
		t.Error("another address was not noticed")
	}
	if text := r.Text(squid.ConfFile); !strings.Contains(text, "\nacl own dst 198.51.100.1\n") {
		t.Errorf("it is not refused:\n%s", text)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
