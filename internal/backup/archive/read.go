package archive

import (
	"archive/tar"
	"bufio"
	"bytes"
	"crypto/hmac"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"
)

// ReadHeader reads what can be read without a key. Nothing vouches for it; see Verify.
func ReadHeader(r io.Reader) (Header, error) {
	h, _, err := readHeader(r)
	return h, err
}

// readHeader also says how long it is. It reads further than that.
func readHeader(r io.Reader) (h Header, size int64, err error) {
	in := bufio.NewReader(io.LimitReader(r, int64(len(magic)+maxHeader+1)))
	first, err := in.ReadString('\n')
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return h, 0, err
	case !strings.HasPrefix(first, anyMagic):
		return h, 0, ErrForeign
	case newerFormat(first):
		return h, 0, fmt.Errorf("%w: its format is %.20q", ErrNewer, strings.TrimSpace(strings.TrimPrefix(first, anyMagic)))
	case first != magic:
		return h, 0, damaged("the first line")
	}
	second, err := in.ReadBytes('\n')
	if err != nil {
		return h, 0, damaged("the header: %w", err)
	}
	if err := json.Unmarshal(second, &h); err != nil {
		return Header{}, 0, damaged("the header: %w", err)
	}
	if err := h.validate(); err != nil {
		return Header{}, 0, damaged("the header: %w", err)
	}
	return h, int64(len(magic) + len(second)), nil
}

// newerFormat reports a first line with a higher number.
func newerFormat(first string) bool {
	var n int
	_, err := fmt.Sscanf(first, anyMagic+"%d\n", &n)
	return err == nil && n > 1
}

// Verify reads all of an archive and checks its MAC: it is whole, and made with the key of o.
func Verify(f io.ReadSeeker, o Opening) error {
	_, err := verify(f, o)
	return err
}

// layout is where the parts of an archive are.
type layout struct {
	header Header
	body   int64 // where it begins
	mac    int64 // where it ends, and the MAC begins
}

func verify(f io.ReadSeeker, o Opening) (at layout, err error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return at, err
	}
	if at.header, at.body, err = readHeader(f); err != nil {
		return at, err
	}
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return at, err
	}
	if at.mac = end - macSize; at.mac < at.body {
		return at, damaged("it ends too early")
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return at, err
	}
	mac := newMAC(o.mac)
	if _, err := io.CopyN(mac, f, at.mac); err != nil {
		return at, damaged("read it: %w", err)
	}
	return at, compare(f, mac)
}

// compare holds the MAC that follows in f against the computed one.
func compare(f io.Reader, mac hash.Hash) error {
	var told [macSize]byte
	if _, err := io.ReadFull(f, told[:]); err != nil {
		return damaged("read its MAC: %w", err)
	}
	if !hmac.Equal(told[:], mac.Sum(nil)) {
		return fmt.Errorf("%w, or it was made with another key: its MAC is wrong", ErrDamaged)
	}
	return nil
}

// Reader reads an archive in its order. It trusts nothing that it was not told by the manifest, and
// holds a window of zstd and a state file in memory at the most.
type Reader struct {
	header   Header
	manifest Manifest
	in       *counted
	file     io.Reader // behind in: its MAC follows
	mac      hash.Hash
	body     io.Reader
	tar      *tar.Reader
	next     *tar.Header // read, and not yet asked for
	zstd     *zstd.Decoder
	limit    int64 // of COPY text
	sums     Sums  // as counted here
	told     Sums
	entry    *Entry
	number   int // of entries that were begun
	err      error
}

// counted counts what was read of the file.
type counted struct {
	io.Reader
	n, total int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}

// textLimit is how much COPY text an archive may hold. Rows of a database compress to a fourth, and to a
// tenth when they are much alike; what compresses far better was made to fill a disk.
func textLimit(size int64) int64 { return 64<<20 + 100*size }

// NewReader checks the MAC of the whole file, then opens the body and reads the manifest. f stays the
// caller's, who does not use it before the Reader is done.
func NewReader(f io.ReadSeeker, o Opening) (*Reader, error) {
	at, err := verify(f, o)
	if err != nil {
		return nil, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	r := &Reader{header: at.header, file: f, mac: newMAC(o.mac), limit: textLimit(at.mac), sums: Sums{Tables: map[string]TableSum{}}}
	// It is authenticated once more while it is read: what was checked above may be another file by now.
	if _, err := io.CopyN(r.mac, f, at.body); err != nil {
		return nil, err
	}
	r.in = &counted{Reader: io.LimitReader(f, at.mac-at.body), total: at.mac - at.body}
	r.body, err = age.Decrypt(bufio.NewReaderSize(io.TeeReader(r.in, r.mac), 128<<10), o.identity)
	var none *age.NoIdentityMatchError
	if errors.As(err, &none) {
		return nil, ErrKey
	}
	if err != nil {
		return nil, damaged("%w", err)
	}
	r.tar = tar.NewReader(r.body)
	r.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, err
	}
	if err := r.readManifest(); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

func (r *Reader) readManifest() error {
	data, err := r.small(manifestName, maxManifest)
	if err != nil {
		return err
	}
	if err := decode(data, &r.manifest); err != nil {
		return damaged("the manifest: %w", err)
	}
	if err := r.manifest.validate(); err != nil {
		return damaged("the manifest: %w", err)
	}
	if !r.manifest.equal(r.header.About) {
		return damaged("the manifest is of another backup than the header")
	}
	return nil
}

// Header is the archive's, and authentic.
func (r *Reader) Header() Header { return r.header }

// Manifest says what Next will find.
func (r *Reader) Manifest() Manifest { return r.manifest }

// Sums is what the archive holds, once Next has returned io.EOF.
func (r *Reader) Sums() Sums { return r.told }

// Position is how many bytes of the body were read, and how many there are.
func (r *Reader) Position() (done, total int64) { return r.in.n, r.in.total }

// Close frees the decoder.
func (r *Reader) Close() { r.zstd.Close() }

// peek is the header of the next entry; nil at the end.
func (r *Reader) peek() (*tar.Header, error) {
	if r.next != nil {
		return r.next, nil
	}
	h, err := r.tar.Next()
	if errors.Is(err, io.EOF) {
		return nil, nil //nolint:nilnil // there is none
	}
	if err != nil {
		return nil, damaged("%w", err)
	}
	// The only kind that Writer makes: no link, no device, no sparse file, no extended header.
	if h.Typeflag != tar.TypeReg || h.Format != tar.FormatUSTAR || len(h.PAXRecords) > 0 || h.Linkname != "" {
		return nil, damaged("entry %.80q is not a plain file", h.Name)
	}
	r.next = h
	return h, nil
}

// take begins the next entry, which must be the named one and no larger than limit.
func (r *Reader) take(name string, limit int64) (*tar.Header, error) {
	h, err := r.peek()
	switch {
	case err != nil:
		return nil, err
	case h == nil:
		return nil, damaged("it ends before %s", name)
	case h.Name != name:
		return nil, damaged("there is %.80q in the place of %s", h.Name, name)
	case h.Size > limit:
		return nil, damaged("%s has %d bytes", name, h.Size)
	}
	r.next = nil
	return h, nil
}

// small reads an entry that fits into memory.
func (r *Reader) small(name string, limit int64) ([]byte, error) {
	h, err := r.take(name, limit)
	if err != nil {
		return nil, err
	}
	data := bytes.NewBuffer(make([]byte, 0, h.Size))
	if _, err := io.Copy(data, r.tar); err != nil {
		return nil, damaged("%s: %w", name, err)
	}
	return data.Bytes(), nil
}
