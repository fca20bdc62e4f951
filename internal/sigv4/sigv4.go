// Package sigv4 signs HTTP requests by AWS Signature Version 4, which Amazon's services and
// the object stores that speak S3 ask for. Sending them, and what they say, is left to the
// callers.
package sigv4

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"
)

// Unsigned stands for the hash of a body that nobody reads in advance. S3 takes it, and TLS
// protects the body instead.
const Unsigned = "UNSIGNED-PAYLOAD"

const (
	algorithm = "AWS4-HMAC-SHA256"
	end       = "aws4_request"
	s3        = "s3"
)

// Key is an access key, and what it is used for.
type Key struct {
	ID, Secret      string
	Region, Service string // such as "us-east-1" and "s3"
}

// Hash is the hash of a body that is at hand; nil for none.
func Hash(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// Sign adds the headers by which the service knows who sent the request, and that it is
// whole. payload is the Hash of the body, or Unsigned. All headers that are set are signed,
// but for those that a proxy may change; what is set later is not. The address is written in
// the form that is signed.
func (k Key) Sign(r *http.Request, payload string, now time.Time) {
	date := now.UTC().Format("20060102T150405Z")
	r.Header.Set("X-Amz-Date", date)
	if k.Service == s3 {
		r.Header.Set("X-Amz-Content-Sha256", payload)
	}
	r.URL.RawPath, r.URL.RawQuery = escape(r.URL.Path, true), query(r.URL.Query())
	names, headers := canonicalHeaders(r)
	request := strings.Join([]string{cmp.Or(r.Method, http.MethodGet), k.path(r.URL.Path), r.URL.RawQuery, headers, names, payload}, "\n")
	scope := strings.Join([]string{date[:8], k.Region, k.Service, end}, "/")
	signature := hex.EncodeToString(mac(k.derived(date[:8]), strings.Join([]string{algorithm, date, scope, Hash([]byte(request))}, "\n")))
	r.Header.Set("Authorization", algorithm+" Credential="+k.ID+"/"+scope+", SignedHeaders="+names+", Signature="+signature)
}

// derived is the key of one day, region and service: whoever learns it can do no more.
func (k Key) derived(day string) []byte {
	key := []byte("AWS4" + k.Secret)
	for _, part := range []string{day, k.Region, k.Service, end} {
		key = mac(key, part)
	}
	return key
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text)) // a hash takes everything
	return h.Sum(nil)
}

// path is the path as it is signed: for S3 as it is sent, since names of objects may hold
// anything, for all others cleaned and escaped once more.
func (k Key) path(p string) string {
	if p == "" {
		return "/"
	}
	if k.Service == s3 {
		return escape(p, true)
	}
	clean := path.Clean("/" + p)
	if strings.HasSuffix(p, "/") && clean != "/" {
		clean += "/"
	}
	return escape(escape(clean, true), true)
}

// query puts the parameters in order: by their names, then by their values.
func query(values url.Values) string {
	var pairs [][]string
	for name, all := range values {
		for _, value := range all {
			pairs = append(pairs, []string{escape(name, false), escape(value, false)})
		}
	}
	slices.SortFunc(pairs, slices.Compare)
	var out []string
	for _, pair := range pairs {
		out = append(out, pair[0]+"="+pair[1])
	}
	return strings.Join(out, "&")
}

// unsigned are headers that are changed on the way, or set by net/http when it sends.
var unsigned = []string{"Accept-Encoding", "Authorization", "Connection", "Content-Length", "Expect", "Transfer-Encoding", "User-Agent"}

// canonicalHeaders are the names of the signed headers, and the headers themselves, each
// with a newline after it.
func canonicalHeaders(r *http.Request) (names, headers string) {
	values := map[string]string{"host": cmp.Or(r.Host, r.URL.Host)}
	for name, all := range r.Header {
		if slices.Contains(unsigned, name) {
			continue
		}
		var trimmed []string
		for _, value := range all {
			trimmed = append(trimmed, strings.Join(strings.Fields(value), " "))
		}
		values[strings.ToLower(name)] = strings.Join(trimmed, ",")
	}
	var order []string
	for name := range values {
		order = append(order, name)
	}
	slices.Sort(order)
	for _, name := range order {
		headers += name + ":" + values[name] + "\n"
	}
	return strings.Join(order, ";"), headers
}

// escape writes all but the unreserved characters of RFC 3986 as %XX; net/url leaves more.
func escape(s string, slash bool) string {
	const hexadecimal = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0 || slash && c == '/' {
			b.WriteByte(c)
			continue
		}
		b.Write([]byte{'%', hexadecimal[c>>4], hexadecimal[c&15]})
	}
	return b.String()
}
