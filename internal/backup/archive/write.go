package archive

import (
	"archive/tar"
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"time"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"
)

// Writer writes an archive from front to back: the manifest, the tables and the files in its order, and
// what they add up to. It holds one compressed chunk in memory, never more.
type Writer struct {
	out      *tally
	mac      hash.Hash
	body     io.WriteCloser
	tar      *tar.Writer
	zstd     *zstd.Encoder
	about    About
	manifest *Manifest
	sums     Sums
	tables   int // of the manifest that were written
	files    int
	open     bool         // a table is being written
	stored   bytes.Buffer // its chunk, compressed
}

// NewWriter writes the header. An error of any method leaves an archive that nobody reads.
func NewWriter(w io.Writer, h Header, keys Sealing) (*Writer, error) {
	h.Created = h.Created.UTC().Truncate(time.Second)
	if err := h.validate(); err != nil {
		return nil, fmt.Errorf("write the header of the archive: %w", err)
	}
	if len(keys.Recipients) == 0 || len(keys.MAC) != macSize {
		return nil, errors.New("write the archive: there is no key")
	}
	head, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	if len(head) > maxHeader {
		return nil, errors.New("write the archive: the header is too long")
	}
	aw := &Writer{out: &tally{Writer: w}, mac: newMAC(keys.MAC), about: h.About, sums: Sums{Tables: map[string]TableSum{}}}
	both := io.MultiWriter(aw.out, aw.mac)
	if _, err := io.WriteString(both, magic+string(head)+"\n"); err != nil {
		return nil, err
	}
	recipients := make([]age.Recipient, len(keys.Recipients))
	for i, r := range keys.Recipients {
		recipients[i] = r
	}
	if aw.body, err = age.Encrypt(both, recipients...); err != nil {
		return nil, fmt.Errorf("encrypt the archive: %w", err)
	}
	aw.tar = tar.NewWriter(aw.body)
	aw.zstd, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(2<<20), zstd.WithLowerEncoderMem(true))
	return aw, err
}

// Manifest announces what follows. What the header says is filled in.
func (w *Writer) Manifest(m Manifest) error {
	if w.manifest != nil {
		return errors.New("write the manifest twice")
	}
	m.About = w.about
	if err := m.validate(); err != nil {
		return fmt.Errorf("write the manifest: %w", err)
	}
	data, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return err
	}
	if len(data) > maxManifest {
		return errors.New("write the manifest: it is too long")
	}
	w.manifest = &m
	return w.entry(manifestName, data)
}

// Table begins the next table of the manifest. What is written is its COPY text; Close ends it.
func (w *Writer) Table(name string) (io.WriteCloser, error) {
	if w.open || w.manifest == nil || w.files > 0 || w.tables == len(w.manifest.Tables) || w.manifest.Tables[w.tables].Name != name {
		return nil, fmt.Errorf("table %s is not the next one of the manifest", name)
	}
	w.tables++
	w.open = true
	t := &tableWriter{to: w, name: name, sum: sha256.New()}
	t.rows = bufio.NewWriterSize((*chunks)(t), 64<<10) // a row is small, and a call for each is not
	return t, nil
}

// File writes the next file of the manifest.
func (w *Writer) File(f File) error {
	if w.open || w.manifest == nil || w.tables != len(w.manifest.Tables) || w.files == len(w.manifest.Files) || w.manifest.Files[w.files] != f.Info() {
		return fmt.Errorf("file %s is not the next one of the manifest", f.Name)
	}
	w.files++
	w.sums.FilesBytes += int64(len(f.Data))
	return w.entry(fileName(f.Name), f.Data)
}

// Close writes the sums and the MAC. Closing the file, and syncing it, is the caller's.
func (w *Writer) Close() (Sums, error) {
	if w.open || w.manifest == nil || w.tables != len(w.manifest.Tables) || w.files != len(w.manifest.Files) {
		return Sums{}, errors.New("the archive lacks something that its manifest announced")
	}
	data, err := json.MarshalIndent(w.sums, "", " ")
	if err != nil {
		return Sums{}, err
	}
	if err := w.entry(sumsName, data); err != nil {
		return Sums{}, err
	}
	if err := errors.Join(w.tar.Close(), w.body.Close(), w.zstd.Close()); err != nil {
		return Sums{}, err
	}
	if w.sums.DBBytes > textLimit(w.out.n) {
		return Sums{}, errors.New("the rows are so much alike that a reader would take the archive for one that is made to fill a disk")
	}
	_, err = w.out.Write(w.mac.Sum(nil))
	return w.sums, err
}

// tally counts what goes into the file.
type tally struct {
	io.Writer
	n int64
}

func (c *tally) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.n += int64(n)
	return n, err
}

func (w *Writer) entry(name string, data []byte) error {
	h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(data)), Mode: 0o400, ModTime: w.about.Created, Format: tar.FormatUSTAR}
	if err := w.tar.WriteHeader(h); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if _, err := w.tar.Write(data); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// tableWriter cuts COPY text into chunks. tar wants the size of an entry before its content, so a chunk
// is compressed in memory first.
type tableWriter struct {
	to     *Writer
	name   string
	rows   *bufio.Writer
	sum    hash.Hash
	total  TableSum
	number int // of the last chunk
	plain  int // bytes of text in this chunk
}

func (t *tableWriter) Write(p []byte) (int, error) { return t.rows.Write(p) }

// chunks is the tableWriter behind its buffer.
type chunks tableWriter

func (c *chunks) Write(p []byte) (n int, err error) {
	t := (*tableWriter)(c)
	t.sum.Write(p)
	t.total.Bytes += int64(len(p))
	t.total.Rows += int64(bytes.Count(p, []byte{'\n'})) // COPY spells one within a value as two characters
	for rest := p; len(rest) > 0; {
		if t.plain == 0 {
			t.to.zstd.Reset(&t.to.stored)
		}
		part := rest[:min(len(rest), ChunkSize-t.plain)]
		if _, err := t.to.zstd.Write(part); err != nil {
			return 0, err
		}
		t.plain += len(part)
		rest = rest[len(part):]
		if t.plain == ChunkSize {
			if err := t.flush(); err != nil {
				return 0, err
			}
		}
	}
	return len(p), nil
}

func (t *tableWriter) flush() error {
	if err := t.to.zstd.Close(); err != nil {
		return err
	}
	t.number++
	err := t.to.entry(chunkName(t.name, t.number), t.to.stored.Bytes())
	t.to.stored.Reset()
	t.plain = 0
	return err
}

// Close writes what is left.
func (t *tableWriter) Close() error {
	if err := t.rows.Flush(); err != nil {
		return err
	}
	if t.plain > 0 {
		if err := t.flush(); err != nil {
			return err
		}
	}
	t.total.SHA256 = hex.EncodeToString(t.sum.Sum(nil))
	t.to.sums.Tables[t.name] = t.total
	t.to.sums.DBBytes += t.total.Bytes
	t.to.open = false
	return nil
}
