package fuzz

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"gateway/internal/api"
)

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   []byte
	took   time.Duration
}

// streamTime is how long a stream may be silent.
const streamTime = 200 * time.Millisecond

// send puts the request on the wire as it is: the client neither follows, nor
// decompresses, nor cleans the path.
func (d *Driver) send(r *request) (*answer, error) {
	var body io.Reader
	if r.body != "" {
		body = strings.NewReader(r.body)
		if r.chunked {
			body = io.MultiReader(body) // hides the length
		}
	}
	req, err := http.NewRequest(r.method, d.app.Server.URL, body)
	if err != nil {
		return nil, err
	}
	req.URL = &url.URL{Scheme: "https", Host: req.URL.Host, Opaque: r.target}
	req.Header = r.header.Clone()
	start := time.Now()
	res, err := d.transport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	a := &answer{status: res.StatusCode, header: res.Header}
	if res.StatusCode == http.StatusSwitchingProtocols {
		a.took = time.Since(start)
		// Most streams begin with something; one of what is yet to come may be silent.
		silent := time.AfterFunc(streamTime, func() { _ = res.Body.Close() })
		defer silent.Stop()
		_, _ = res.Body.Read(make([]byte, 512))
		return a, nil
	}
	a.body, err = io.ReadAll(res.Body)
	a.took = time.Since(start)
	return a, err
}

// call asks something that is no part of what is measured.
func (d *Driver) call(as caller, method, path string, body any) (*answer, error) {
	a, err := d.request(as, "", method, path, body)
	if err != nil || as.account == nil || as.byToken || !bytes.Contains(a.body, []byte(`"password_required"`)) {
		return a, err
	}
	var got struct{ Ticket string }
	asked := map[string]any{"password": as.password, "operation": method + " " + path}
	if ticket, err := d.request(as, "", http.MethodPost, "/auth/tickets", asked); err != nil || ticket.into(&got) != nil {
		return a, err
	}
	return d.request(as, got.Ticket, method, path, body)
}

func (d *Driver) request(as caller, ticket, method, path string, body any) (*answer, error) {
	r := &request{method: method, target: api.Prefix + path, header: http.Header{}}
	as.sign(r.header)
	if ticket != "" {
		r.header.Set("Gateway-Ticket", ticket)
	}
	// Real limits count addresses; these calls are not to be counted with the others.
	n := d.serial.Add(1)
	r.header.Set("X-Real-IP", fmt.Sprintf("10.%d.%d.%d", byte(n>>16), byte(n>>8), byte(n)))
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		r.body = string(b)
		r.header.Set("Content-Type", "application/json")
	}
	a, err := d.send(r)
	if err == nil && a.status == http.StatusInternalServerError {
		d.found.add(ServerError, path, method+" fails", d.example(r, a))
	}
	return a, err
}

// ask is call for its data.
func (d *Driver) ask(as caller, method, path string, body, into any) error {
	a, err := d.call(as, method, path, body)
	if err != nil {
		return err
	}
	return a.into(into)
}

// into decodes the data of a success; anything else is an error.
func (a *answer) into(v any) error {
	if a.status >= http.StatusBadRequest {
		return fmt.Errorf("answered %d %s", a.status, clip(string(a.body)))
	}
	if v == nil {
		return nil
	}
	return json.Unmarshal(a.body, &struct{ Data any }{v})
}

// session is the cookie that the answer sets.
func (a *answer) session() string {
	for _, c := range (&http.Response{Header: a.header}).Cookies() {
		if c.Name == api.SessionCookie {
			return c.Value
		}
	}
	return ""
}
