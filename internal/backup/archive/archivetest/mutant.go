package archivetest

import (
	"archive/tar"
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gateway/internal/backup/archive"
)

// Mutants spoils a good archive in many ways, each of which must be noticed.
type Mutants struct {
	Good  []byte
	Parts Parts
	Keys  archive.Sealing
	Rand  *rand.Rand
}

// Mutant is one of them.
type Mutant struct {
	Kind string
	Data []byte
	// Rows says that only the database can tell what is wrong.
	Rows bool
}

// kind is a way to spoil an archive: as a file, or in its parts, which are signed again.
type kind struct {
	name  string
	file  func(m *Mutants, data []byte) []byte
	parts func(t testing.TB, m *Mutants, p *Parts)
	rows  bool
}

// Kinds is how many ways there are, and of them those that reach the database.
func Kinds() (all, rows int) {
	for _, k := range kinds {
		if k.rows {
			rows++
		}
	}
	return len(kinds), rows
}

// Make spoils the archive in the n-th way; n goes on for ever. The places are random.
func (m *Mutants) Make(t testing.TB, n int) Mutant {
	t.Helper()
	k := kinds[n%len(kinds)]
	if k.file != nil {
		return Mutant{k.name, k.file(m, bytes.Clone(m.Good)), k.rows}
	}
	p := m.Parts.Clone()
	k.parts(t, m, &p)
	return Mutant{k.name, p.Bytes(t, m.Keys), k.rows}
}

// body is where the body begins.
func (m *Mutants) body() int { return len(m.Parts.Head) }

// entry chooses one with content.
func (m *Mutants) entry(p *Parts) *Entry {
	for {
		if e := &p.Entries[m.Rand.IntN(len(p.Entries))]; len(e.Data) > 0 {
			e.Data = bytes.Clone(e.Data)
			return e
		}
	}
}

// chunk chooses one of a table.
func (m *Mutants) chunk(p *Parts) *Entry {
	for {
		if e := m.entry(p); strings.HasPrefix(e.Name, "tables/") {
			return e
		}
	}
}

func (e *Entry) set(data []byte) { e.Data, e.Size = data, int64(len(data)) }

func special(typeflag byte, link string) func(testing.TB, *Mutants, *Parts) {
	return func(_ testing.TB, m *Mutants, p *Parts) {
		e := m.chunk(p)
		e.set(nil)
		e.Typeflag, e.Linkname = typeflag, link
	}
}

func manifest(change func(*Mutants, *archive.Manifest)) func(testing.TB, *Mutants, *Parts) {
	return func(t testing.TB, m *Mutants, p *Parts) {
		t.Helper()
		v := p.Manifest(t)
		change(m, &v)
		p.SetManifest(t, v)
	}
}

// named gives a chunk another name.
func named(names ...string) func(testing.TB, *Mutants, *Parts) {
	return func(_ testing.TB, m *Mutants, p *Parts) { m.chunk(p).Name = names[m.Rand.IntN(len(names))] }
}

// row puts text in the place of a table that is the same in every version.
func row(texts ...string) func(testing.TB, *Mutants, *Parts) {
	return func(t testing.TB, m *Mutants, p *Parts) {
		t.Helper()
		p.SetText(t, "audit_names", texts[m.Rand.IntN(len(texts))])
	}
}

var kinds = []kind{
	{name: "bit flipped", file: func(m *Mutants, b []byte) []byte { b[m.Rand.IntN(len(b))] ^= 1 << m.Rand.IntN(8); return b }},
	{name: "cut", file: func(m *Mutants, b []byte) []byte { return b[:m.Rand.IntN(len(b))] }},
	{name: "zeros in it", file: func(m *Mutants, b []byte) []byte {
		i := m.body() + m.Rand.IntN(len(b)-m.body()-64)
		clear(b[i:min(len(b), i+4096)])
		return b
	}},
	{name: "something behind it", file: func(m *Mutants, b []byte) []byte { return append(b, b[:m.Rand.IntN(1<<16)%len(b)+1]...) }},
	{name: "blocks exchanged", file: func(m *Mutants, b []byte) []byte {
		const size = 64<<10 + 16 // of age
		i := m.body() + m.Rand.IntN(max(1, len(b)-m.body()-2*size))
		if i+2*size > len(b) {
			return b[len(b)/2:]
		}
		return slices.Concat(b[:i], b[i+size:i+2*size], b[i:i+size], b[i+2*size:])
	}},
	{name: "MAC of another key", file: func(m *Mutants, b []byte) []byte {
		other := m.Keys
		other.MAC = make([]byte, 32)
		return Sign(b[:len(b)-32], other)
	}},
	{name: "other host, not signed", file: func(m *Mutants, b []byte) []byte {
		return bytes.Replace(b, []byte(`"host":"`), []byte(`"host":"x`), 1)
	}},
	{name: "other host in the header", parts: func(_ testing.TB, _ *Mutants, p *Parts) {
		p.Head = bytes.Replace(p.Head, []byte(`"host":"`), []byte(`"host":"x`), 1)
	}},
	{name: "other node in the manifest", parts: manifest(func(_ *Mutants, v *archive.Manifest) { v.NodeID += "0" })},
	{name: "newer format", parts: func(_ testing.TB, m *Mutants, p *Parts) {
		p.Head = bytes.Replace(p.Head, []byte("gateway-backup 1\n"), fmt.Appendf(nil, "gateway-backup %d\n", 2+m.Rand.IntN(1000)), 1)
	}},
	{name: "newer schema", parts: func(t testing.TB, m *Mutants, p *Parts) {
		t.Helper()
		n := 9000 + m.Rand.Int64N(900)
		p.Head = bytes.Replace(p.Head, []byte(`],"escrow"`), fmt.Appendf(nil, `,%d],"escrow"`, n), 1)
		manifest(func(_ *Mutants, v *archive.Manifest) { v.Schema = append(v.Schema, n) })(t, m, p)
	}},
	{name: "way out of the folder", parts: named("../../etc/cron.d/x", "/etc/passwd", "tables/../../../x", "files/../../../root/.ssh/authorized_keys", "tables/users/../x")},
	{name: "unknown name", parts: named("tables/pg_authid/00001.copy.zst", "tables/users/99999.copy.zst", "restore.sql", "toc.dat", "files/evil.service")},
	{name: "symbolic link", parts: special(tar.TypeSymlink, "/etc/shadow")},
	{name: "hard link", parts: special(tar.TypeLink, "manifest.json")},
	{name: "device", parts: special(tar.TypeBlock, "")},
	{name: "pipe", parts: special(tar.TypeFifo, "")},
	{name: "extended header", parts: func(_ testing.TB, m *Mutants, p *Parts) {
		e := m.chunk(p)
		e.Format, e.PAXRecords = tar.FormatPAX, map[string]string{"GATEWAY.x": strings.Repeat("x", 1+m.Rand.IntN(1000))}
	}},
	{name: "bomb in a chunk", parts: func(_ testing.TB, m *Mutants, p *Parts) {
		m.chunk(p).set(Bomb(archive.ChunkSize << (1 + m.Rand.IntN(9))))
	}},
	{name: "bomb of chunks", parts: func(_ testing.TB, m *Mutants, p *Parts) { bombs(m, p) }},
	{name: "bit flipped within, signed", parts: func(_ testing.TB, m *Mutants, p *Parts) {
		e := m.chunk(p)
		e.Data[m.Rand.IntN(len(e.Data))] ^= 1 << m.Rand.IntN(8)
	}},
	{name: "entry cut, signed", parts: func(_ testing.TB, m *Mutants, p *Parts) {
		e := m.entry(p)
		e.set(e.Data[:m.Rand.IntN(len(e.Data))])
	}},
	{name: "entry missing", parts: func(_ testing.TB, m *Mutants, p *Parts) {
		i := m.Rand.IntN(len(p.Entries))
		p.Entries = slices.Delete(p.Entries, i, i+1)
	}},
	{name: "entry twice", parts: func(_ testing.TB, m *Mutants, p *Parts) {
		i := m.Rand.IntN(len(p.Entries))
		p.Entries = slices.Insert(p.Entries, i, p.Entries[i])
	}},
	{name: "statement for a table", parts: manifest(func(m *Mutants, v *archive.Manifest) {
		v.Tables[m.Rand.IntN(len(v.Tables))].Name = `users"; drop table users; --`
	})},
	{name: "statement for a column", parts: manifest(func(_ *Mutants, v *archive.Manifest) {
		v.Tables[0].Columns[0] = `id) from program 'touch /tmp/x'; --`
	})},
	{name: "statement for a row", parts: row("drop table users;\n", "\\! touch /tmp/x\n", "actor\tx\n\\.\ndrop table users;\n", "actor\tx\n\\.\n")},
	{name: "statement for a value", rows: true, parts: row("'); drop table users; --\tx\n", "actor\tx\nactor\tx\n", "\\N\tx\n", "\\.drop table users;\tx\n")},
	{name: "other column", rows: true, parts: manifest(func(_ *Mutants, v *archive.Manifest) { v.Tables[0].Columns[0] = "oid" })},
}

// bombs puts gigabytes of rows into a few kilobytes.
func bombs(m *Mutants, p *Parts) {
	i := slices.IndexFunc(p.Entries, func(e Entry) bool { return strings.HasPrefix(e.Name, "tables/") })
	first := p.Entries[i]
	first.set(Bomb(archive.ChunkSize))
	prefix, _, _ := strings.Cut(first.Name, "/0")
	var all []Entry
	for n := range 100 + m.Rand.IntN(300) {
		e := first
		e.Name = fmt.Sprintf("%s/%05d.copy.zst", prefix, n+1)
		all = append(all, e)
	}
	p.Entries = slices.Concat(p.Entries[:i], all, p.Entries[i+1:])
}
