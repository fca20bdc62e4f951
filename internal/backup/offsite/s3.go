package offsite

import (
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"gateway/internal/outbound"
	"gateway/internal/sigv4"
)

const (
	// mostAnswer bounds what is read of an answer: a page of a list has a thousand names.
	mostAnswer = 4 << 20
	// mostPages bounds a list.
	mostPages = 100
	// mostTries is how often a part is sent before the upload is given up.
	mostTries = 3
)

// bucket is a bucket that is spoken to. It is addressed in the path, which all stores understand.
type bucket struct {
	S3
	deps      Deps
	base      url.URL
	key       sigv4.Key
	transport *http.Transport
	client    *http.Client
}

func openS3(s S3, d Deps) (store, error) {
	base, err := s.base()
	if err != nil {
		return nil, err
	}
	transport, err := outbound.Transport(d.Own, d.Authorities)
	if err != nil {
		return nil, fail(CodeAuthorities, map[string]string{"file": d.Authorities}, err)
	}
	transport.DialContext = func(ctx context.Context, _, address string) (net.Conn, error) { return d.dial(ctx, address) }
	// One connection for one upload: its end is seen at once, and stores speak HTTP/1.1.
	transport.ForceAttemptHTTP2 = false
	transport.ResponseHeaderTimeout = d.Stall
	// So that a store that refuses or leads elsewhere says so before it has the archive.
	transport.ExpectContinueTimeout = min(5*time.Second, d.Stall)
	return &bucket{
		S3: s, deps: d, base: base, transport: transport,
		key:    sigv4.Key{ID: s.AccessKey, Secret: s.SecretKey.Reveal(), Region: cmp.Or(s.Region, "us-east-1"), Service: "s3"},
		client: &http.Client{Transport: transport, CheckRedirect: outbound.NoRedirects},
	}, nil
}

// base is the address of the bucket.
func (s S3) base() (url.URL, error) {
	scheme := "http"
	if s.HTTPS {
		scheme = "https"
	}
	u, err := url.Parse(scheme + "://" + s.Endpoint)
	if err != nil || u.Host == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" ||
		s.Bucket == "" || strings.Contains(s.Bucket, "/") {
		return url.URL{}, fail(CodeSettings, nil, errors.New("the endpoint is not a host, or there is no bucket"))
	}
	return url.URL{Scheme: scheme, Host: u.Host, Path: "/" + s.Bucket}, nil
}

func (b *bucket) close() { b.transport.CloseIdleConnections() }

// folder is what the names of all our objects begin with.
func (b *bucket) folder() string {
	if p := strings.Trim(b.Prefix, "/"); p != "" {
		return p + "/"
	}
	return ""
}

// call is one request to the store.
type call struct {
	method string
	object string // empty: the bucket itself
	query  url.Values
	body   *io.SectionReader
}

func content(data []byte) *io.SectionReader {
	return io.NewSectionReader(bytes.NewReader(data), 0, int64(len(data)))
}

// answer is what the store said; all of its body is read.
type answer struct {
	header http.Header
	body   []byte
}

// do makes a call until it is answered, except where trying again cannot help.
func (b *bucket) do(ctx context.Context, c call) (answer, error) {
	pause := b.deps.Retry
	for try := 1; ; try++ {
		a, again, err := b.once(ctx, c)
		if again && c.body != nil {
			if why := b.rejected(ctx); why != nil {
				return answer{}, errors.Join(why, err)
			}
		}
		if err == nil || !again || try == mostTries {
			return a, err
		}
		select {
		case <-ctx.Done():
			return answer{}, err
		case <-time.After(pause):
			pause *= 2
		}
	}
}

// rejected asks whether the store wants us at all. One that does not often closes the connection while it is still being
// sent to, and its answer is lost. Nothing is known from a key that may write and not list.
func (b *bucket) rejected(ctx context.Context) error {
	query := url.Values{"list-type": {"2"}, "prefix": {b.folder()}, "max-keys": {"1"}}
	_, _, err := b.once(ctx, call{method: http.MethodGet, query: query})
	switch code, _ := CodeOf(err); code {
	case CodeCredentials, CodeBucket, CodeRegion, CodeClock, CodeRedirect:
		return err
	}
	return nil
}

// once makes a call. again says whether it may go better the next time.
func (b *bucket) once(ctx context.Context, c call) (a answer, again bool, err error) {
	r, err := b.request(ctx, c)
	if err != nil {
		return answer{}, false, err
	}
	res, err := b.client.Do(r)
	if err != nil {
		failed := network(err, b.base.Hostname())
		return answer{}, failed.passing(), failed
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, mostAnswer))
	if err != nil {
		failed := network(fmt.Errorf("read the answer: %w", err), "")
		return answer{}, failed.passing(), failed
	}
	if res.StatusCode/100 != 2 {
		return answer{}, res.StatusCode == http.StatusInternalServerError || res.StatusCode == http.StatusServiceUnavailable, b.refusal(res.StatusCode, body)
	}
	return answer{res.Header, body}, false, nil
}

// request is signed with the hash of its body, so that the store takes what left us or nothing.
func (b *bucket) request(ctx context.Context, c call) (*http.Request, error) {
	u := b.base
	if c.object != "" {
		u.Path += "/" + c.object
	}
	u.RawQuery = c.query.Encode()
	r, err := http.NewRequestWithContext(ctx, c.method, u.String(), http.NoBody)
	if err != nil {
		return nil, fail(CodeSettings, nil, err)
	}
	hash := sigv4.Hash(nil)
	if c.body != nil && c.body.Size() > 0 {
		if hash, err = hashOf(c.body); err != nil {
			return nil, err
		}
		r.ContentLength = c.body.Size()
		// Each has a reader of its own: one that was given up may still be read.
		r.GetBody = func() (io.ReadCloser, error) {
			return io.NopCloser(io.NewSectionReader(c.body, 0, c.body.Size())), nil
		}
		if r.Body, err = r.GetBody(); err != nil {
			return nil, err
		}
		r.Header.Set("Expect", "100-continue")
	}
	b.key.Sign(r, hash, b.deps.Now())
	return r, nil
}

// object is what an object is called in the bucket.
func (b *bucket) object(name string) string { return b.folder() + name }

func (b *bucket) put(ctx context.Context, name string, size int64, r io.ReaderAt) error {
	object := b.object(name)
	if err := b.upload(ctx, object, size, r); err != nil {
		return err
	}
	a, err := b.do(ctx, call{method: http.MethodHead, object: object})
	if err != nil {
		return err
	}
	if got := a.header.Get("Content-Length"); got != strconv.FormatInt(size, 10) {
		err := fmt.Errorf("the object has %s bytes, want %d", got, size)
		return fail(CodeIncomplete, nil, errors.Join(err, b.remove(ctx, name)))
	}
	return nil
}

func (b *bucket) upload(ctx context.Context, object string, size int64, r io.ReaderAt) error {
	if size > partSize {
		return b.multipart(ctx, object, size, r)
	}
	_, err := b.do(ctx, call{method: http.MethodPut, object: object, body: io.NewSectionReader(r, 0, size)})
	return err
}

func (b *bucket) remove(ctx context.Context, name string) error {
	_, err := b.do(ctx, call{method: http.MethodDelete, object: b.object(name)})
	if code, params := CodeOf(err); code == CodeAnswer && params["status"] == strconv.Itoa(http.StatusNotFound) {
		return nil
	}
	return err
}

func (b *bucket) list(ctx context.Context) ([]Object, error) {
	var out []Object
	query := url.Values{"list-type": {"2"}, "prefix": {b.folder()}, "delimiter": {"/"}}
	for range mostPages {
		a, err := b.do(ctx, call{method: http.MethodGet, query: query})
		if err != nil {
			return nil, err
		}
		var page struct {
			Contents []struct {
				Key          string
				Size         int64
				LastModified time.Time
			}
			NextContinuationToken string
		}
		if err := xml.Unmarshal(a.body, &page); err != nil {
			return nil, fail(CodeAnswer, map[string]string{"status": "200"}, fmt.Errorf("read the list: %w", err))
		}
		for _, c := range page.Contents {
			if name := path.Base(c.Key); c.Key == b.object(name) && fileName.MatchString(name) {
				out = append(out, Object{name, c.Size, c.LastModified})
			}
		}
		if page.NextContinuationToken == "" {
			slices.SortFunc(out, func(a, b Object) int { return strings.Compare(a.Name, b.Name) })
			return out, nil
		}
		query.Set("continuation-token", page.NextContinuationToken)
	}
	return nil, fail(CodeAnswer, map[string]string{"status": "200"}, errors.New("the list does not end"))
}
