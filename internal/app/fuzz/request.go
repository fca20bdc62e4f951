package fuzz

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"gateway/internal/api"
	"gateway/internal/db"
)

// request is one question, ready to be sent, and sent again.
type request struct {
	number  int
	op      *operation // nil when nothing is registered there
	who     string
	method  string
	target  string // path and query as they go over the wire
	header  http.Header
	body    string
	chunked bool // do not tell the length
}

// build makes request n of the run: the seed and the number decide everything but
// what was learnt from earlier answers.
func (w *worker) build(m maker, n int, op *operation, as caller) *request {
	r := &request{number: n, op: op, who: as.String(), method: op.method, header: http.Header{}}
	path := op.path
	if strings.Contains(path, "{") {
		path = strings.Replace(path, "{id}", w.id(m, r, op), 1)
	}
	r.target = api.Prefix + path + query(m, op)
	as.sign(r.header)
	w.fill(m, r)
	if op.stream() {
		upgrade(m, r.header)
	}
	if m.one(12) {
		oddHeader(m, r.header)
	}
	if m.one(40) {
		w.otherMethod(m, r)
	}
	if m.one(60) {
		r.op, r.target = nil, otherSpelling(m, r.target)
	}
	return r
}

// id is that of a row we made, or of somebody else's, or of none. With a row's own
// id goes, at times, the version we know of it.
func (w *worker) id(m maker, r *request, op *operation) string {
	switch known, ok := w.driver.rows.pick(m, w.number, op.collection()); {
	case ok && m.IntN(100) < 70:
		if m.one(3) {
			r.header.Set("If-Match", known.etag)
		}
		return known.id
	case ok && m.one(4):
		return strings.ToUpper(known.id)
	case m.one(2):
		return db.NewID()
	}
	odd := pick(m, append(texts, "0", "me", "00000000-0000-0000-0000-000000000000", strings.Repeat("f", 3000)))
	return url.PathEscape(odd)
}

// query gives the documented parameters, some of them wrong, and at times nonsense.
func query(m maker, op *operation) string {
	values := url.Values{}
	for _, p := range op.Parameters {
		if p.Value.In != "query" || m.one(2) {
			continue
		}
		s := p.Value.Schema.Value
		v := fmt.Sprint(m.valid(p.Value.Name, s))
		if m.one(3) {
			// No longer, or net/http would refuse the header before we see it.
			v = pick(m, []string{m.long(201, 255, 1025, 4097), pick(m, texts), pick(m, broken), pick(m, moments), pick(m, numbers)})
		}
		values.Add(p.Value.Name, v)
	}
	q := values.Encode()
	if m.one(15) {
		q += "&" + pick(m, garbage)
	}
	if q == "" {
		return ""
	}
	return "?" + q
}

// fill gives the request its body: right, nearly right, or not at all.
func (w *worker) fill(m maker, r *request) {
	s := r.op.body
	if s == nil {
		if m.one(15) {
			r.send(m, pick(m, []string{"{}", "null", "x", m.mangle("{}")}))
		}
		return
	}
	o := m.object(s)
	switch n := m.IntN(100); {
	case n < 40:
		r.send(m, encode(o))
	case n < 65:
		r.send(m, encode(m.nearly(o, s)))
	case n < 83:
		if len(o) > 0 {
			o[m.IntN(len(o))].value = m.hostile()
		}
		r.send(m, encode(o))
	case n < 99 || !m.one(4):
		r.send(m, m.mangle(encode(o)))
	default: // about the limit of 1 MiB
		r.send(m, fmt.Sprintf(`{"email":%q}`, strings.Repeat("a", 1<<20+pick(m, []int{-13, -12, -11, 0, 1, 1 << 20}))))
	}
}

func (r *request) send(m maker, body string) {
	r.body, r.chunked = body, m.one(20)
	r.header.Set("Content-Type", "application/json")
	if m.one(20) {
		r.header.Set("Content-Type", pick(m, []string{
			"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json; charset=utf-16",
			"APPLICATION/JSON", "application/json;;;", "application/cbor", "application/merge-patch+json", "*/*", strings.Repeat("a", 5000),
		}))
	}
}

// upgrade asks for a WebSocket, and half of the time not quite rightly.
func upgrade(m maker, h http.Header) {
	h.Set("Connection", "Upgrade")
	h.Set("Upgrade", "websocket")
	h.Set("Sec-WebSocket-Version", "13")
	h.Set("Sec-WebSocket-Key", base64.StdEncoding.EncodeToString([]byte(m.words16())))
	if m.one(2) {
		name := pick(m, []string{"Connection", "Upgrade", "Sec-WebSocket-Version", "Sec-WebSocket-Key", "Origin", "Sec-WebSocket-Protocol", "Sec-WebSocket-Extensions"})
		h.Set(name, pick(m, []string{"", "x", "websocket", "https://evil.example", "permessage-deflate; server_max_window_bits=99", "12"}))
	}
}

func (m maker) words16() string { return fmt.Sprintf("%016x", m.Uint64()) }

// oddHeader adds one that nobody expects, or one that everybody does with an odd value.
func oddHeader(m maker, h http.Header) {
	name := pick(m, []string{
		"Authorization", "Cookie", "If-Match", "Origin", "Sec-Fetch-Site", "Accept", "Accept-Encoding", "X-Real-IP", "X-Forwarded-For",
		"User-Agent", "Content-Encoding", "Range", "If-None-Match", "X-HTTP-Method-Override", "Referer", "Accept-Charset", "Prefer", "Via",
	})
	h.Set(name, pick(m, []string{
		"", "*", `"1"`, `W/"1"`, `"` + strings.Repeat("9", 300) + `"`, "garbage", "Bearer ", "Bearer x", "Basic YTpi", "gzip", "cross-site",
		"https://evil.example", "null", "application/openmetrics-text", "application/cbor", "text/html;q=0.9", "q=;;=,", "::1", "10.0.0.1, 10.0.0.2",
		"bytes=0-", api.SessionCookie + "=x", api.SessionCookie + "=a; " + api.SessionCookie + "=b", "\xff\xfe", "é", "%00", strings.Repeat("a", 9000), "DELETE",
	}))
}

// otherMethod sends the same to a method that the path may not have.
func (w *worker) otherMethod(m maker, r *request) {
	r.method = pick(m, []string{"HEAD", "OPTIONS", "PATCH", "TRACE", "PROPFIND", "BREW", "GET", "POST", "PUT", "DELETE"})
	lookup := r.method
	if lookup == http.MethodHead {
		lookup = http.MethodGet
	}
	r.op = w.driver.find(lookup, r.op.path)
}

// otherSpelling names the same thing as a careless proxy would.
func otherSpelling(m maker, target string) string {
	path, query, _ := strings.Cut(target, "?")
	switch m.IntN(8) {
	case 0:
		path += "/"
	case 1:
		path = "/" + path
	case 2:
		path = strings.Replace(path, "/v1/", "/v1/./", 1)
	case 3:
		path = strings.Replace(path, "/v1/", "/v1/x/../", 1)
	case 4:
		path = strings.Replace(path, "/v1/", "/v1%2f", 1)
	case 5:
		path += ";a=b"
	case 6:
		path = "/api/v2" + strings.TrimPrefix(path, api.Prefix)
	default:
		path += "/nothing/here"
	}
	return path + "?" + query
}

// String is what somebody needs to send the same again.
func (r *request) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "request %d as %s: %s %s\n", r.number, r.who, r.method, clip(r.target))
	for name, values := range r.header {
		for _, v := range values {
			if name == "Cookie" || name == "Authorization" {
				v = v[:min(len(v), 40)] + "…" // whose it is stands above
			}
			fmt.Fprintf(&b, "  %s: %s\n", name, clip(fmt.Sprintf("%+q", v)))
		}
	}
	fmt.Fprintf(&b, "  body (%d bytes): %s", len(r.body), clip(fmt.Sprintf("%+q", r.body)))
	return b.String()
}

func clip(s string) string {
	if len(s) > 500 {
		return s[:500] + "…"
	}
	return s
}
