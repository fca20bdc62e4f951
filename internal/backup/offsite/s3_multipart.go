package offsite

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"
)

const (
	// partSize is what is sent in one request. Nothing of it is kept in memory, but all of it is sent again when the
	// connection breaks.
	partSize = 16 << 20
	// mostParts is S3's.
	mostParts = 10_000
	// abandoned is the age at which an unfinished upload is nobody's: a second node may be at work in the bucket.
	abandoned = 24 * time.Hour
	// tidyTime is what removing an unfinished upload may take.
	tidyTime = 15 * time.Second
)

// hashOf reads a body once in advance, so that it need not be kept.
func hashOf(body *io.SectionReader) (string, error) {
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(body, 0, body.Size())); err != nil {
		return "", fmt.Errorf("read the archive: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// part is one that the store has.
type part struct {
	PartNumber int
	ETag       string
}

// multipart uploads in parts. The object exists when the last request says so, and not before.
func (b *bucket) multipart(ctx context.Context, object string, size int64, r io.ReaderAt) error {
	// What is left of an earlier attempt costs money, and is seen by nobody. It is no reason to fail.
	tidied := b.abort(ctx, object)
	id, err := b.begin(ctx, object)
	if err != nil {
		return errors.Join(err, tidied)
	}
	parts, err := b.parts(ctx, object, id, size, r)
	if err == nil {
		err = b.complete(ctx, object, id, parts)
	}
	if err != nil {
		return errors.Join(err, b.abortOne(ctx, object, id))
	}
	return nil
}

func (b *bucket) begin(ctx context.Context, object string) (string, error) {
	a, err := b.do(ctx, call{method: http.MethodPost, object: object, query: url.Values{"uploads": {""}}})
	if err != nil {
		return "", err
	}
	var begun struct{ UploadId string }
	if err := xml.Unmarshal(a.body, &begun); err != nil || begun.UploadId == "" {
		return "", fail(CodeAnswer, map[string]string{"status": "200"}, errors.New("the upload that was begun has no id"))
	}
	return begun.UploadId, nil
}

// sizeOfParts is that of all but the last, such that there are not too many.
func sizeOfParts(size int64) int64 {
	least := (size + mostParts - 1) / mostParts
	return max(partSize, (least+1<<20-1)>>20<<20)
}

func (b *bucket) parts(ctx context.Context, object, id string, size int64, r io.ReaderAt) ([]part, error) {
	var out []part
	each := sizeOfParts(size)
	for from := int64(0); from < size; from += each {
		n := len(out) + 1
		query := url.Values{"partNumber": {strconv.Itoa(n)}, "uploadId": {id}}
		a, err := b.do(ctx, call{method: http.MethodPut, object: object, query: query, body: io.NewSectionReader(r, from, min(each, size-from))})
		if err != nil {
			return nil, err
		}
		out = append(out, part{n, a.header.Get("ETag")})
	}
	return out, nil
}

func (b *bucket) complete(ctx context.Context, object, id string, parts []part) error {
	list := struct {
		XMLName xml.Name `xml:"CompleteMultipartUpload"`
		Part    []part
	}{Part: parts}
	body, err := xml.Marshal(list)
	if err != nil {
		return fmt.Errorf("list the parts: %w", err)
	}
	a, err := b.do(ctx, call{method: http.MethodPost, object: object, query: url.Values{"uploadId": {id}}, body: content(body)})
	if err != nil {
		return err
	}
	// A store begins its answer with 200 so that nobody loses patience, and says afterwards what came of it.
	var said struct{ XMLName xml.Name }
	if err := xml.Unmarshal(a.body, &said); err != nil || said.XMLName.Local != "CompleteMultipartUploadResult" {
		return b.refusal(http.StatusOK, a.body)
	}
	return nil
}

// abortOne gives an upload up, so that its parts do not stay, also when the caller has lost patience.
func (b *bucket) abortOne(ctx context.Context, object, id string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidyTime)
	defer cancel()
	_, err := b.do(ctx, call{method: http.MethodDelete, object: object, query: url.Values{"uploadId": {id}}})
	if err != nil {
		return fmt.Errorf("give the upload up: %w", err)
	}
	return nil
}

// abort gives up what earlier attempts left: all of this object, and what is old of others. Not every store lets a
// key list them.
func (b *bucket) abort(ctx context.Context, object string) error {
	a, err := b.do(ctx, call{method: http.MethodGet, query: url.Values{"uploads": {""}, "prefix": {b.folder()}}})
	if err != nil {
		return fmt.Errorf("list unfinished uploads: %w", err)
	}
	var page struct {
		Upload []struct {
			Key, UploadId string
			Initiated     time.Time
		}
	}
	if err := xml.Unmarshal(a.body, &page); err != nil {
		return fmt.Errorf("list unfinished uploads: %w", err)
	}
	for _, u := range page.Upload {
		old := strings.HasSuffix(u.Key, suffix) && u.Key == b.object(path.Base(u.Key)) && b.deps.Now().Sub(u.Initiated) > abandoned
		if u.Key == object || old {
			err = errors.Join(err, b.abortOne(ctx, u.Key, u.UploadId))
		}
	}
	return err
}
