package reach

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// maxHead of an answer that is read; the rest says nothing about whether it answers.
const maxHead = 64 << 10

func (t Tester) server(ctx context.Context, q Question, s Server) Result {
	out, start := Result{Server: s}, time.Now()
	out.Code, out.Status = t.request(ctx, q, s)
	out.Milliseconds = int(time.Since(start).Milliseconds())
	return out
}

// request does what HAProxy will: connect, TLS without a look at the certificate, one request.
func (t Tester) request(ctx context.Context, q Question, s Server) (code string, status int) {
	conn, err := t.Dial(ctx, "tcp", net.JoinHostPort(s.Address, strconv.Itoa(s.Port)))
	if err != nil {
		return whyNot(err), 0
	}
	defer conn.Close()
	if deadline, ok := ctx.Deadline(); ok {
		_ = conn.SetDeadline(deadline) // ctx ends it all the same
	}
	host := s.Address
	if q.Domain != "" && !strings.HasPrefix(q.Domain, "*.") {
		host = q.Domain
	}
	switch q.Scheme {
	case "tcp":
		return connects, 0
	case "https":
		secure := tls.Client(conn, &tls.Config{
			ServerName:         host,
			InsecureSkipVerify: true, //nolint:gosec // as HAProxy does unless told otherwise; nothing secret is sent
		})
		if err := secure.HandshakeContext(ctx); err != nil {
			return orTimeout(err, tlsFailed), 0
		}
		conn = secure
	}
	return request(ctx, conn, q, host)
}

func request(ctx context.Context, conn net.Conn, q Question, host string) (code string, status int) {
	if addr, err := netip.ParseAddr(host); err == nil && addr.Is6() {
		host = "[" + host + "]"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, q.Scheme+"://"+host+q.Path, http.NoBody)
	if err != nil {
		return failed, 0
	}
	req.Header.Set("User-Agent", "gateway-health-check")
	req.Close = true
	if err := req.Write(conn); err != nil {
		return orTimeout(err, noHTTP), 0
	}
	resp, err := http.ReadResponse(bufio.NewReader(io.LimitReader(conn, maxHead)), req)
	if err != nil {
		return orTimeout(err, noHTTP), 0
	}
	_ = resp.Body.Close() // what it says besides is not ours to read
	return answers, resp.StatusCode
}

// whyNot is the code for an error of dialling.
func whyNot(err error) string {
	var unknown *net.DNSError
	switch {
	case errors.Is(err, ErrNotAllowed):
		return notAllowed
	case errors.As(err, &unknown):
		return lookupFailed(err, 0)
	case errors.Is(err, syscall.ECONNREFUSED):
		return refused
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EADDRNOTAVAIL):
		return noRoute
	case errors.Is(err, syscall.EPERM), errors.Is(err, syscall.EACCES):
		return blocked
	}
	return orTimeout(err, failed)
}

func orTimeout(err error, code string) string {
	var slow net.Error
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) || errors.As(err, &slow) && slow.Timeout() {
		return timedOut
	}
	return code
}
