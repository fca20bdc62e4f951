package forwardproxy

import (
	"context"
	"net"
	"testing"
	"time"
)

// Whoever looks for problems waits for two seconds; a proxy that hangs has to be told by then.
func TestAHangingProxyIsToldInTime(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // it never accepts
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	h := &handlers{Options: Options{Dial: func(ctx context.Context) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", l.Addr().String())
	}}}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	if _, err := h.ask(ctx, "server_list"); err == nil || ctx.Err() != nil {
		t.Errorf("%v, and %v that it took too long; want an error in time", err, ctx.Err())
	}
}
