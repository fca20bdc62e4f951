package offsite

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gateway/lab/s3test"
)

// shows BAK-25, BAK-26
func TestAnArchiveIsUploadedToAnObjectStore(t *testing.T) {
	for _, tc := range []struct {
		name string
		tls  bool
		size int64
	}{
		{"in one request", false, 3 << 20},
		{"in parts, over TLS with a private authority", true, partSize*2 + 12345},
		{"of a size that fills the last part", false, partSize * 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := newObjects(t, s3test.Options{TLS: tc.tls})
			target := with(o.target(), func(s *S3, _ *SFTP) { s.HTTPS = tc.tls })
			d := wires{storeAddr: o.wire}.deps()
			if tc.tls {
				d.Authorities = filepath.Join(t.TempDir(), "ca.pem")
				if err := os.WriteFile(d.Authorities, o.Root, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := target.Put(t.Context(), d, "one.gwb", tc.size, archive{1}); err != nil {
				t.Fatal(err)
			}
			if _, whole := o.has("one.gwb", archive{1}, tc.size); !whole {
				t.Error("the store has something else")
			}
			if got := o.left(); got != 0 {
				t.Errorf("unfinished uploads = %d, want 0", got)
			}
		})
	}
}

func TestAStoreThatIsNotTrustedGetsNothing(t *testing.T) {
	o := newObjects(t, s3test.Options{TLS: true})
	target := with(o.target(), func(s *S3, _ *SFTP) { s.HTTPS = true })
	_, err := target.Put(t.Context(), wires{storeAddr: o.wire}.deps(), "one.gwb", 100, archive{1})
	code(t, err, CodeTLS)
	if got := o.Accesses("one.gwb"); got != 0 {
		t.Errorf("the store saw %d requests, want 0", got)
	}
}

// shows BAK-33
func TestATestOfAStoreUploadsAKilobyteAndRemovesIt(t *testing.T) {
	o := newObjects(t, s3test.Options{})
	if _, err := o.target().Test(t.Context(), wires{storeAddr: o.wire}.deps()); err != nil {
		t.Fatal(err)
	}
	for _, words := range [][]string{{probePrefix, "s3_PutObject", " 1024 "}, {probePrefix, "s3_DeleteObject"}} {
		if got := o.Accesses(words...); got != 1 {
			t.Errorf("requests with %q = %d, want 1", words, got)
		}
	}
	if got := o.sent.Load(); got < probeSize {
		t.Errorf("sent %d bytes, want at least %d", got, probeSize)
	}
	if got := o.Objects(); len(got) != 0 {
		t.Errorf("left behind: %v", got)
	}
}

func TestAStoreSaysWhatIsWrong(t *testing.T) {
	o := newObjects(t, s3test.Options{})
	d := wires{storeAddr: o.wire}.deps()
	for _, tc := range []struct {
		name   string
		change func(*S3)
		want   Code
	}{
		{"a wrong secret key", func(s *S3) { s.SecretKey = key("another") }, CodeCredentials},
		{"a wrong access key", func(s *S3) { s.AccessKey = "nobody" }, CodeCredentials},
		{"no such bucket", func(s *S3) { s.Bucket = "elsewhere" }, CodeBucket},
		{"another region", func(s *S3) { s.Region = "eu-central-1" }, CodeRegion},
		{"an endpoint with a path", func(s *S3) { s.Endpoint += "/path" }, CodeSettings},
		{"no such host", func(s *S3) { s.Endpoint = "nowhere.example" }, CodeUnreachable},
	} {
		t.Run(tc.name, func(t *testing.T) {
			target := with(o.target(), func(s *S3, _ *SFTP) { tc.change(s) })
			// versitygw refuses a large one while it is still being sent, and its answer may be lost.
			for _, size := range []int64{1000, 8 << 20, partSize + 1} {
				_, err := target.Put(t.Context(), d, "one.gwb", size, archive{1})
				code(t, err, tc.want)
			}
			_, err := target.Test(t.Context(), d)
			code(t, err, tc.want)
		})
	}
	d.Now = func() time.Time { return time.Now().Add(-time.Hour) }
	_, err := o.target().Test(t.Context(), d)
	code(t, err, CodeClock)
	if got := o.Objects(); len(got) != 0 {
		t.Errorf("the store has %v", got)
	}
}

func TestAStoreThatIsFullKeepsNoPart(t *testing.T) {
	o := newObjects(t, s3test.Options{Room: "24m"})
	d := wires{storeAddr: o.wire}.deps()
	_, err := o.target().Put(t.Context(), d, "large.gwb", 40<<20, archive{1})
	code(t, err, CodeFull)
	if there, _ := o.has("large.gwb", archive{1}, 40<<20); there {
		t.Error("there is an object of an archive that does not fit")
	}
	if got := o.left(); got != 0 {
		t.Errorf("unfinished uploads = %d, want 0", got)
	}
	if _, err := o.target().Put(t.Context(), d, "small.gwb", 4<<20, archive{2}); err != nil {
		t.Errorf("one that fits: %v", err)
	}
}

func TestWhatAnUploadLeavesWhenItIsCutIsRemovedByTheNext(t *testing.T) {
	o := newObjects(t, s3test.Options{})
	d := wires{storeAddr: o.wire}.deps()
	const size = 3 * partSize
	o.spoil(partSize+1000, 0, 0)
	_, err := o.target().Put(t.Context(), d, "one.gwb", size, archive{1})
	if got, _ := CodeOf(err); got != CodeInterrupted && got != CodeUnreachable { // by what the last try met
		t.Errorf("code = %s (%v), want one that says that the line is cut", got, err)
	}
	if there, _ := o.has("one.gwb", archive{1}, size); there || o.left() != 1 {
		t.Fatalf("there = %t, unfinished = %d, want false and 1: the cable was cut in the middle", there, o.left())
	}
	o.heal()
	if _, err := o.target().Put(t.Context(), d, "one.gwb", size, archive{1}); err != nil {
		t.Fatal(err)
	}
	if _, whole := o.has("one.gwb", archive{1}, size); !whole || o.left() != 0 {
		t.Errorf("whole = %t, unfinished = %d, want true and 0", whole, o.left())
	}
}

func TestAPartIsSentAgainWhenTheConnectionBreaksOnce(t *testing.T) {
	o := newObjects(t, s3test.Options{})
	d := wires{storeAddr: o.wire}.deps()
	d.Retry = 300 * time.Millisecond
	o.spoil(partSize/2, 0, 0)
	healed := make(chan struct{})
	go func() {
		defer close(healed)
		for tick := time.NewTicker(10 * time.Millisecond); ; <-tick.C {
			if o.isDown() {
				o.heal()
				return
			}
		}
	}()
	if _, err := o.target().Put(t.Context(), d, "one.gwb", 2*partSize, archive{1}); err != nil {
		t.Fatal(err)
	}
	<-healed
	if _, whole := o.has("one.gwb", archive{1}, 2*partSize); !whole {
		t.Error("the store has something else")
	}
}

func (w *wire) isDown() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.down
}

// A store that is none of the counterparts: it leads elsewhere.
func TestARedirectIsNotFollowedAndHasNoArchive(t *testing.T) {
	var followed atomic.Int64
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed.Add(1) }))
	defer elsewhere.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		store := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", elsewhere.URL+r.URL.Path)
			w.WriteHeader(status)
		}))
		target := Target{Kind: KindS3, S3: &S3{Endpoint: storeAddr, Bucket: "b", AccessKey: "a", SecretKey: "s"}}
		w := newWire(t, strings.TrimPrefix(store.URL, "http://"))
		d := wires{storeAddr: w, strings.TrimPrefix(elsewhere.URL, "http://"): newWire(t, strings.TrimPrefix(elsewhere.URL, "http://"))}.deps()
		_, err := target.Put(t.Context(), d, "one.gwb", 1<<20, archive{1})
		code(t, err, CodeRedirect)
		if got := w.sent.Load(); got == 0 || got > 4<<10 {
			t.Errorf("sent %d bytes to a store that leads elsewhere, want the head of a request", got)
		}
		store.Close()
	}
	if got := followed.Load(); got != 0 {
		t.Errorf("followed = %d, want 0", got)
	}
	if res, err := http.Get(elsewhere.URL); err != nil || res.Body.Close() != nil || followed.Load() != 1 { // the control
		t.Errorf("who follows is not counted: %v", err)
	}
}

func TestAStoreThatHangsInItsAnswerIsAskedOnce(t *testing.T) {
	var asked atomic.Int64
	end := make(chan struct{})
	store := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.Header().Set("Content-Length", "1000")
		w.WriteHeader(http.StatusForbidden)
		_ = http.NewResponseController(w).Flush()
		<-end
	}))
	defer store.Close()
	defer close(end)
	target := Target{Kind: KindS3, S3: &S3{Endpoint: storeAddr, Bucket: "b", AccessKey: "a", SecretKey: "s"}}
	d := wires{storeAddr: newWire(t, strings.TrimPrefix(store.URL, "http://"))}.deps()
	d.Stall = 300 * time.Millisecond
	_, err := target.Test(t.Context(), d)
	code(t, err, CodeTimeout)
	if got := asked.Load(); got != 1 {
		t.Errorf("asked %d times, want once", got)
	}
}

// A store may begin with 200 and say afterwards that nothing came of it.
func TestAnUploadThatEndsInAnErrorIsNone(t *testing.T) {
	aborted := atomic.Bool{}
	store := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		switch {
		case r.Method == http.MethodPost && q.Has("uploads"):
			fmt.Fprint(w, `<InitiateMultipartUploadResult><UploadId>7</UploadId></InitiateMultipartUploadResult>`)
		case r.Method == http.MethodPost:
			fmt.Fprint(w, `<Error><Code>QuotaExceeded</Code></Error>`)
		case r.Method == http.MethodDelete && q.Get("uploadId") == "7":
			aborted.Store(true)
		case r.Method == http.MethodGet:
			fmt.Fprint(w, `<ListMultipartUploadsResult></ListMultipartUploadsResult>`)
		case r.Method == http.MethodPut:
			h := sha256.New()
			_, _ = io.Copy(h, r.Body)
			if got := hex.EncodeToString(h.Sum(nil)); got != r.Header.Get("X-Amz-Content-Sha256") {
				w.WriteHeader(http.StatusBadRequest)
			}
			w.Header().Set("ETag", `"x"`)
		}
	}))
	defer store.Close()
	target := Target{Kind: KindS3, S3: &S3{Endpoint: storeAddr, Bucket: "b", AccessKey: "a", SecretKey: "s"}}
	w := newWire(t, strings.TrimPrefix(store.URL, "http://"))
	_, err := target.Put(t.Context(), wires{storeAddr: w}.deps(), "one.gwb", partSize+1, archive{1})
	code(t, err, CodeFull)
	if !aborted.Load() {
		t.Error("the upload was not given up")
	}
}

func TestThereAreNeverTooManyParts(t *testing.T) {
	for _, size := range []int64{partSize + 1, mostParts * partSize, mostParts*partSize + 1, 5 << 40} {
		each := sizeOfParts(size)
		if n := (size + each - 1) / each; n > mostParts || each < partSize {
			t.Errorf("%d bytes: %d parts of %d bytes", size, n, each)
		}
	}
}
