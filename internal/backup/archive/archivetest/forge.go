// Package archivetest makes archives that no Writer would: of whatever entries, and right on the outside.
// Only somebody with the keys of a node can, and even that must not do harm. It is imported by tests only.
package archivetest

import (
	"archive/tar"
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"testing"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"

	"gateway/internal/backup/archive"
)

// Entry is one of a tar.
type Entry struct {
	tar.Header
	Data []byte
}

// Parts are an archive taken to pieces.
type Parts struct {
	Head    []byte // both lines
	Entries []Entry
	Tail    []byte // behind the end of the tar, within the encryption
}

// Open takes a good archive to pieces.
func Open(t testing.TB, data []byte, o archive.Opening) Parts {
	t.Helper()
	head, body := split(t, data)
	var key struct{ Identity string }
	revealed, err := o.Reveal()
	check(t, err)
	check(t, json.Unmarshal(revealed, &key))
	identity, err := age.ParseX25519Identity(key.Identity)
	check(t, err)
	plain, err := age.Decrypt(bytes.NewReader(body), identity)
	check(t, err)
	p := Parts{Head: head}
	for in := tar.NewReader(plain); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return p
		}
		check(t, err)
		content, err := io.ReadAll(in)
		check(t, err)
		p.Entries = append(p.Entries, Entry{*h, content})
	}
}

// Clone lets the copy be changed.
func (p Parts) Clone() Parts {
	p.Head = bytes.Clone(p.Head)
	p.Entries = append([]Entry(nil), p.Entries...)
	p.Tail = bytes.Clone(p.Tail)
	return p
}

// Find is the place of an entry.
func (p Parts) Find(t testing.TB, name string) int {
	t.Helper()
	for i, e := range p.Entries {
		if e.Name == name {
			return i
		}
	}
	t.Fatalf("there is no entry %s", name)
	return 0
}

// Set puts content into an entry.
func (p Parts) Set(t testing.TB, name string, data []byte) {
	t.Helper()
	e := &p.Entries[p.Find(t, name)]
	e.Data, e.Size = data, int64(len(data))
}

// Bytes puts the archive together again, with a right MAC.
func (p Parts) Bytes(t testing.TB, s archive.Sealing) []byte {
	t.Helper()
	var out, body bytes.Buffer
	out.Write(p.Head)
	w := tar.NewWriter(&body)
	for _, e := range p.Entries {
		h := e.Header
		check(t, w.WriteHeader(&h))
		_, err := w.Write(e.Data)
		check(t, err)
	}
	check(t, w.Close())
	body.Write(p.Tail)
	recipients := make([]age.Recipient, len(s.Recipients))
	for i, r := range s.Recipients {
		recipients[i] = r
	}
	sealed, err := age.Encrypt(&out, recipients...)
	check(t, err)
	_, err = sealed.Write(body.Bytes())
	check(t, err)
	check(t, sealed.Close())
	return Sign(out.Bytes(), s)
}

// Sign adds the MAC.
func Sign(data []byte, s archive.Sealing) []byte {
	mac := hmac.New(sha256.New, s.MAC)
	mac.Write(data)
	return mac.Sum(data)
}

// split is the two lines of the head, and the body without the MAC.
func split(t testing.TB, data []byte) (head, body []byte) {
	t.Helper()
	n := 0
	for range 2 {
		i := bytes.IndexByte(data[n:], '\n')
		if i < 0 {
			t.Fatal("the archive has no head")
		}
		n += i + 1
	}
	return data[:n], data[n : len(data)-sha256.Size]
}

// Manifest reads it.
func (p Parts) Manifest(t testing.TB) (m archive.Manifest) {
	t.Helper()
	check(t, json.Unmarshal(p.Entries[p.Find(t, "manifest.json")].Data, &m))
	return m
}

// SetManifest writes it.
func (p Parts) SetManifest(t testing.TB, m archive.Manifest) {
	t.Helper()
	data, err := json.Marshal(m)
	check(t, err)
	p.Set(t, "manifest.json", data)
}

// Sums reads them.
func (p Parts) Sums(t testing.TB) (s archive.Sums) {
	t.Helper()
	check(t, json.Unmarshal(p.Entries[p.Find(t, "sums.json")].Data, &s))
	return s
}

// SetSums writes them.
func (p Parts) SetSums(t testing.TB, s archive.Sums) {
	t.Helper()
	data, err := json.Marshal(s)
	check(t, err)
	p.Set(t, "sums.json", data)
}

// SetText puts COPY text in the place of a table's first chunk, and corrects the sums: nothing but the
// database can tell.
func (p *Parts) SetText(t testing.TB, table, text string) {
	t.Helper()
	sums := p.Sums(t)
	name := fmt.Sprintf("tables/%s/00001.copy.zst", table)
	found := false
	for _, e := range p.Entries {
		found = found || e.Name == name
	}
	if !found { // an empty table has no chunk; it comes before those of the tables behind it
		p.insert(t, table, name)
	}
	p.Set(t, name, Compress(t, []byte(text)))
	sum := sha256.Sum256([]byte(text))
	old := sums.Tables[table]
	sums.Tables[table] = archive.TableSum{Rows: int64(bytes.Count([]byte(text), []byte{'\n'})), Bytes: int64(len(text)), SHA256: fmt.Sprintf("%x", sum)}
	sums.DBBytes += int64(len(text)) - old.Bytes
	p.SetSums(t, sums)
}

func (p *Parts) insert(t testing.TB, table, name string) {
	t.Helper()
	at := 1
	for _, m := range p.Manifest(t).Tables {
		if m.Name == table {
			break
		}
		for at < len(p.Entries) && bytes.HasPrefix([]byte(p.Entries[at].Name), []byte("tables/"+m.Name+"/")) {
			at++
		}
	}
	e := p.Entries[0]
	e.Name = name
	p.Entries = append(p.Entries[:at:at], append([]Entry{e}, p.Entries[at:]...)...)
}

// Compress makes a zstd frame.
func Compress(t testing.TB, text []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	check(t, err)
	defer w.Close()
	return w.EncodeAll(text, nil)
}

// Bomb is a zstd frame of blocks that repeat one letter: a few bytes stored for each 128 KiB of a row without end.
func Bomb(size int) []byte {
	const block = 128 << 10
	out := []byte{0x28, 0xb5, 0x2f, 0xfd, 0, 0x58} // no content size; a window of 2 MiB
	for n := (size + block - 1) / block; n > 0; n-- {
		h := uint32(block)<<3 | 1<<1 // RLE
		if n == 1 {
			h |= 1 // the last one
		}
		out = append(out, byte(h), byte(h>>8), byte(h>>16), 'a')
	}
	return out
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
