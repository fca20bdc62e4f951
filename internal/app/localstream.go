package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"

	"gateway/internal/api"
)

// largestMessage of a stream: a page of the packet log, or the states of all components.
const largestMessage = 16 << 20

// IsStream reports whether the path is that of a WebSocket operation.
func (l *Local) IsStream(method, path string) bool { return l.api.server.IsStream(method, path) }

// Stream opens a WebSocket operation and hands over each message until ctx ends, the stream
// ends, or each returns an error. A refusal is in the answer.
func (l *Local) Stream(ctx context.Context, path string, header http.Header, opened func(api.Answer), each func(message []byte) error) (api.Answer, error) {
	pipe := newPipe()
	server := &http.Server{Handler: l.api.Handler(), ReadHeaderTimeout: 5 * time.Second}
	served := make(chan struct{})
	go func() { defer close(served); _ = server.Serve(pipe) }()
	defer func() { _ = server.Close(); <-served }()

	client := &http.Client{Transport: &http.Transport{DialContext: pipe.dial}}
	call := l.call(http.MethodGet, path, header)
	options := &websocket.DialOptions{HTTPClient: client, HTTPHeader: call.Header}
	conn, res, err := websocket.Dial(ctx, "ws://localhost"+api.Prefix+call.Path, options) //nolint:bodyclose // the library sees to it
	if err != nil {
		return refused(res, err)
	}
	defer conn.CloseNow() //nolint:errcheck // closing twice is fine
	conn.SetReadLimit(largestMessage)
	answer := api.Answer{Status: res.StatusCode, Header: res.Header}
	opened(answer)
	for {
		_, message, err := conn.Read(ctx)
		if err != nil {
			return answer, ended(ctx, err)
		}
		if err := each(message); err != nil {
			return answer, err
		}
	}
}

// refused is the answer that came instead of a stream.
func refused(res *http.Response, err error) (api.Answer, error) {
	if res == nil || res.StatusCode == http.StatusSwitchingProtocols {
		return api.Answer{}, fmt.Errorf("open the stream: %w", err)
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return api.Answer{}, fmt.Errorf("open the stream: %w", err)
	}
	return api.Answer{Status: res.StatusCode, Header: res.Header, Body: body}, nil
}

// ended is nil for a stream that was closed as it should be.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil || websocket.CloseStatus(err) == websocket.StatusNormalClosure {
		return nil
	}
	var closed websocket.CloseError
	if errors.As(err, &closed) {
		return fmt.Errorf("the stream was closed: %s", closed.Reason)
	}
	return fmt.Errorf("the stream was closed: %w", err)
}

// pipe is a listener that only this process reaches: what dials gets the other end of what
// is accepted.
type pipe struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newPipe() *pipe { return &pipe{conns: make(chan net.Conn), done: make(chan struct{})} }

func (p *pipe) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.conns <- far:
		return near, nil
	case <-p.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipe) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipe) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

// Addr is that of nobody.
func (p *pipe) Addr() net.Addr { return &net.UnixAddr{Name: "local", Net: "unix"} }
