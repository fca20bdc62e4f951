package fuzz

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// shapes are requests that a client library would not send; %s is the host.
var shapes = []string{
	"",
	"\r\n\r\n",
	"GET\r\n\r\n",
	"GET /api/v1/users\r\n\r\n",
	"GET /api/v1/users HTTP/0.9\r\n\r\n",
	"GET /api/v1/users HTTP/1.0\r\n\r\n",
	"GET /api/v1/users HTTP/1.1\r\n\r\n",
	"GET /api/v1/users HTTP/9.9\r\nHost: %s\r\n\r\n",
	"GET /api/v1/users HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
	"GET /api/v1/users HTTP/1.1\r\nHost: bad host\r\n\r\n",
	"get /api/v1/users HTTP/1.1\r\nHost: %s\r\n\r\n",
	"G\x00T /api/v1/users HTTP/1.1\r\nHost: %s\r\n\r\n",
	"GET /api/v1/us\x00ers HTTP/1.1\r\nHost: %s\r\n\r\n",
	"GET /api/v1/us\xffers HTTP/1.1\r\nHost: %s\r\n\r\n",
	"GET /api/v1/%%00 HTTP/1.1\r\nHost: %s\r\n\r\n",
	"GET /api/v1/%%zz HTTP/1.1\r\nHost: %s\r\n\r\n",
	"GET /api/v1/users?q=\x7f HTTP/1.1\r\nHost: %s\r\n\r\n",
	"GET https://elsewhere.example/api/v1/users HTTP/1.1\r\nHost: %s\r\n\r\n",
	"GET api/v1/users HTTP/1.1\r\nHost: %s\r\n\r\n",
	"OPTIONS * HTTP/1.1\r\nHost: %s\r\n\r\n",
	"CONNECT elsewhere.example:443 HTTP/1.1\r\nHost: %s\r\n\r\n",
	"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
	"GET /api/v1/users HTTP/1.1\r\nHost: %s\r\nNo colon\r\n\r\n",
	"GET /api/v1/users HTTP/1.1\r\nHost: %s\r\nX: a\r\n folded\r\n\r\n",
	"GET /api/v1/users HTTP/1.1\r\nHost: %s\r\nX: a\x00b\r\n\r\n",
	"GET /api/v1/users HTTP/1.1\r\nHost: %s\r\nX : a\r\n\r\n",
	"GET /api/v1/users HTTP/1.1\r\nHost: %s\r\nExpect: the unexpected\r\n\r\n",
	"GET /api/v1/users HTTP/1.1\r\nHost: %s\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\n\r\n",
	"POST /api/v1/auth/login HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: -1\r\n\r\n{}",
	"POST /api/v1/auth/login HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{}",
	"POST /api/v1/auth/login HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
	"POST /api/v1/auth/login HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: 99999999999999999999\r\n\r\n{}",
	"POST /api/v1/auth/login HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
	"POST /api/v1/auth/login HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
	"POST /api/v1/auth/login HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n{}",
	"POST /api/v1/auth/login HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
	"POST /api/v1/auth/login HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}GET /api/v1/users HTTP/1.1\r\nHost: %[1]s\r\n\r\n",
}

// malformed sends bytes over a connection of their own.
func (w *worker) malformed(m maker, n int) error {
	host := w.driver.app.Server.Listener.Addr().String()
	shape := pick(m, shapes)
	text := shape
	if strings.Contains(shape, "%") {
		text = fmt.Sprintf(shape, host)
	}
	switch m.IntN(6) {
	case 0:
		text = m.bytes(m.IntN(2000))
	case 1:
		text = text[:m.IntN(len(text)+1)]
	case 2:
		at := m.IntN(len(text) + 1)
		text = text[:at] + m.bytes(1+m.IntN(4)) + text[at:]
	case 3:
		text = strings.Replace(text, "\r\n", "\r\nX-Long: "+strings.Repeat("a", pick(m, []int{4_000, 100_000, 1_100_000}))+"\r\n", 1)
	}
	r := &request{number: n, who: "raw bytes", method: "(raw)", body: text}
	answers, err := w.driver.rawSend(host, text)
	if err != nil {
		return fmt.Errorf("%s: %w", r, err)
	}
	for _, a := range answers {
		w.driver.judgeRaw(r, a)
		w.count(nil, a.status)
		w.times = append(w.times, a.took)
	}
	if len(answers) == 0 {
		w.count(nil, 0) // hanging up is an answer to bytes like these
	}
	return nil
}

// rawSend writes the bytes, says that there are no more, and reads what comes until
// the other side hangs up.
func (d *Driver) rawSend(host, text string) ([]*answer, error) {
	conn, err := tls.Dial("tcp", host, d.transport.TLSClientConfig)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(slowest)); err != nil {
		return nil, err
	}
	start := time.Now()
	// A server that has seen enough hangs up on the writer; its answer counts all the same.
	_, _ = io.WriteString(conn, text)
	_ = conn.CloseWrite()
	var answers []*answer
	from := bufio.NewReader(conn)
	for {
		res, err := http.ReadResponse(from, nil)
		if err != nil {
			return answers, nil //nolint:nilerr // the end of the connection is the end of the answers
		}
		body, _ := io.ReadAll(res.Body) // cut short is short
		_ = res.Body.Close()
		answers = append(answers, &answer{status: res.StatusCode, header: res.Header, body: body, took: time.Since(start)})
	}
}

// judgeRaw knows that net/http refuses what is not HTTP by itself, in plain text; in
// JSON the envelope holds, and nothing is ever our fault.
func (d *Driver) judgeRaw(r *request, a *answer) {
	report := func(kind Kind, err error) {
		if err != nil {
			d.found.add(kind, "(raw)", err.Error(), d.example(r, a))
		}
	}
	report(OutsideEnvelope, enveloped(r, a))
	if a.status >= 500 && a.status != http.StatusNotImplemented && a.status != http.StatusHTTPVersionNotSupported {
		report(ServerError, fmt.Errorf("%d to bytes that are hardly HTTP", a.status))
	}
	if a.took > slowest {
		report(Slow, errors.New("no answer in time to bytes that are hardly HTTP"))
	}
}
