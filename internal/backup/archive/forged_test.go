package archive_test

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"gateway/internal/backup/archive"
	"gateway/internal/backup/archive/archivetest"
)

const chunk = "tables/colours/00001.copy.zst"

// Whoever has the key can put anything into the body. It is taken as it was written by a Writer, or not at all.
func TestWhatNoWriterMakesIsRefused(t *testing.T) {
	s, o := keys(t)
	good, _ := write(t, sample, s)
	parts := archivetest.Open(t, good, o)
	if _, err := read(parts.Bytes(t, s), o); err != nil {
		t.Fatalf("the control, put together again: %v", err)
	}
	for name, spoil := range forgeries {
		t.Run(name, func(t *testing.T) {
			p := parts.Clone()
			spoil(t, &p)
			if got, err := read(p.Bytes(t, s), o); !errors.Is(err, archive.ErrDamaged) {
				t.Errorf("err = %v, want damaged; read %v", err, got)
			}
		})
	}
}

func rename(from, to string) func(*testing.T, *archivetest.Parts) {
	return func(t *testing.T, p *archivetest.Parts) { p.Entries[p.Find(t, from)].Name = to }
}

// changed changes the header of the chunk.
func changed(change func(*tar.Header)) func(*testing.T, *archivetest.Parts) {
	return func(t *testing.T, p *archivetest.Parts) {
		e := &p.Entries[p.Find(t, chunk)]
		change(&e.Header)
		e.Data = e.Data[:e.Size]
	}
}

func special(kind byte, link string) func(*testing.T, *archivetest.Parts) {
	return changed(func(h *tar.Header) { h.Typeflag, h.Linkname, h.Size = kind, link, 0 })
}

func data(name string, with func() []byte) func(*testing.T, *archivetest.Parts) {
	return func(t *testing.T, p *archivetest.Parts) { p.Set(t, name, with()) }
}

func manifest(change func(*archive.Manifest)) func(*testing.T, *archivetest.Parts) {
	return func(t *testing.T, p *archivetest.Parts) {
		m := p.Manifest(t)
		change(&m)
		p.SetManifest(t, m)
	}
}

func sums(change func(*archive.Sums)) func(*testing.T, *archivetest.Parts) {
	return func(t *testing.T, p *archivetest.Parts) {
		s := p.Sums(t)
		change(&s)
		p.SetSums(t, s)
	}
}

var forgeries = map[string]func(*testing.T, *archivetest.Parts){
	"a way out of the folder":          rename(chunk, "../../etc/passwd"),
	"a way out within the name":        rename(chunk, "tables/../../x/00001.copy.zst"),
	"an absolute name":                 rename(chunk, "/etc/passwd"),
	"a table of another name":          rename(chunk, "tables/users/00001.copy.zst"),
	"a chunk that is not the first":    rename(chunk, "tables/colours/00002.copy.zst"),
	"a file of another name":           rename("files/setup.json", "files/authorized_keys"),
	"a file that is a way out":         rename("files/setup.json", "files/../../x"),
	"a name in an extended header":     changed(func(h *tar.Header) { h.Format, h.Name = tar.FormatPAX, "tables/coloürs/00001.copy.zst" }),
	"extended records":                 changed(func(h *tar.Header) { h.Format, h.PAXRecords = tar.FormatPAX, map[string]string{"X.y": "z"} }),
	"GNU's format":                     changed(func(h *tar.Header) { h.Format = tar.FormatGNU }),
	"a symbolic link":                  special(tar.TypeSymlink, "/etc/shadow"),
	"a hard link":                      special(tar.TypeLink, "manifest.json"),
	"a character device":               special(tar.TypeChar, ""),
	"a block device":                   special(tar.TypeBlock, ""),
	"a pipe":                           special(tar.TypeFifo, ""),
	"a folder":                         special(tar.TypeDir, ""),
	"a chunk that grows too large":     data(chunk, func() []byte { return archivetest.Bomb(archive.ChunkSize + 1) }),
	"a gigabyte in a few kilobytes":    data(chunk, func() []byte { return archivetest.Bomb(1 << 30) }),
	"a chunk that is stored too large": data(chunk, func() []byte { return bytes.Repeat([]byte{0x28, 0xb5, 0x2f, 0xfd}, archive.ChunkSize/3) }),
	"a window that is too large":       data(chunk, func() []byte { return []byte{0x28, 0xb5, 0x2f, 0xfd, 0, 0xa0, 1, 0, 0} }),
	"a chunk with a row too many": func(t *testing.T, p *archivetest.Parts) {
		p.SetText(t, "colours", strings.Repeat("1\tred\n", archive.ChunkSize/6+1))
	},
	"a row with a column more":             func(t *testing.T, p *archivetest.Parts) { p.SetText(t, "colours", "1\tred\t\n") },
	"a row with a column less":             func(t *testing.T, p *archivetest.Parts) { p.SetText(t, "colours", "1\tred\n2\n") },
	"a last row that is cut":               func(t *testing.T, p *archivetest.Parts) { p.SetText(t, "colours", "1\tred\n2\tgreen") },
	"an end of the data":                   func(t *testing.T, p *archivetest.Parts) { p.SetText(t, "colours", "1\tred\n\\.\n") },
	"a statement for a row":                func(t *testing.T, p *archivetest.Parts) { p.SetText(t, "empty", "drop table users;\n") },
	"a column with a statement for a name": manifest(func(m *archive.Manifest) { m.Tables[0].Columns[0] = "id) from program 'id'; --" }),
	"a chunk that is not zstd":             data(chunk, func() []byte { return []byte("1\tred\n2\tgreen\n") }),
	"no chunk":                             data(chunk, func() []byte { return nil }),
	"another text": func(t *testing.T, p *archivetest.Parts) {
		p.Set(t, chunk, archivetest.Compress(t, []byte("1\tblue\n2\tgr\\nün\n")))
	},
	"another file":                 data("files/master.key", func() []byte { return []byte("other!") }),
	"a manifest of another host":   manifest(func(m *archive.Manifest) { m.Host = "gw2.example.com" }),
	"a manifest of another node":   manifest(func(m *archive.Manifest) { m.NodeID = "4712" }),
	"a manifest of another schema": manifest(func(m *archive.Manifest) { m.Schema = append(m.Schema, 41) }),
	"a table that is not there": manifest(func(m *archive.Manifest) {
		m.Tables = append(m.Tables, archive.Table{Name: "users", Columns: []string{"id"}})
	}),
	"a table twice":                       manifest(func(m *archive.Manifest) { m.Tables = append(m.Tables, m.Tables[0]) }),
	"a table that is also left out":       manifest(func(m *archive.Manifest) { m.Left = append(m.Left, "colours") }),
	"a table with a statement for a name": manifest(func(m *archive.Manifest) { m.Tables[0].Name = `colours"; drop table users; --` }),
	"a file that is not there":            manifest(func(m *archive.Manifest) { m.Files = append(m.Files, archive.FileInfo{Name: "x"}) }),
	"a file with a way out announced":     manifest(func(m *archive.Manifest) { m.Files[0].Name = "../x" }),
	"a million files":                     manifest(func(m *archive.Manifest) { m.Files = make([]archive.FileInfo, 1_000) }),
	"a manifest with more than we know": func(t *testing.T, p *archivetest.Parts) {
		more := map[string]any{}
		must(t, json.Unmarshal(p.Entries[0].Data, &more))
		more["run"] = "rm"
		text, err := json.Marshal(more)
		must(t, err)
		p.Set(t, "manifest.json", text)
	},
	"a manifest that is no JSON":   data("manifest.json", func() []byte { return []byte("{") }),
	"a manifest without an end":    data("manifest.json", func() []byte { return bytes.Repeat([]byte("["), 4<<20+1) }),
	"a row more than there is":     sums(func(s *archive.Sums) { s.Tables["colours"] = archive.TableSum{Rows: 3} }),
	"other totals":                 sums(func(s *archive.Sums) { s.DBBytes++ }),
	"sums of another table":        sums(func(s *archive.Sums) { s.Tables["users"] = archive.TableSum{} }),
	"an entry behind the sums":     func(_ *testing.T, p *archivetest.Parts) { p.Entries = append(p.Entries, p.Entries[1]) },
	"an entry twice":               func(_ *testing.T, p *archivetest.Parts) { p.Entries = append(p.Entries[:2:2], p.Entries[1:]...) },
	"no manifest":                  func(_ *testing.T, p *archivetest.Parts) { p.Entries = p.Entries[1:] },
	"no sums":                      func(_ *testing.T, p *archivetest.Parts) { p.Entries = p.Entries[:len(p.Entries)-1] },
	"nothing at all":               func(_ *testing.T, p *archivetest.Parts) { p.Entries = nil },
	"something behind the end":     func(_ *testing.T, p *archivetest.Parts) { p.Tail = make([]byte, 512) },
	"two entries in another order": func(_ *testing.T, p *archivetest.Parts) { p.Entries[1], p.Entries[2] = p.Entries[2], p.Entries[1] },
}

// A bomb is given up as soon as it shows, not when it is through.
func TestABombOfManyChunksIsGivenUp(t *testing.T) {
	s, o := keys(t)
	good, _ := write(t, sample, s)
	p := archivetest.Open(t, good, o)
	i := p.Find(t, chunk)
	bomb := archivetest.Bomb(archive.ChunkSize)
	var many []archivetest.Entry
	for n := range 500 { // 4 GiB
		e := p.Entries[i]
		e.Name, e.Data, e.Size = fmt.Sprintf("tables/colours/%05d.copy.zst", n+1), bomb, int64(len(bomb))
		many = append(many, e)
	}
	p.Entries = append(append(p.Entries[:i:i], many...), p.Entries[i+1:]...)
	forged := p.Bytes(t, s)
	if _, _, err := archive.Check(bytes.NewReader(forged), o); !errors.Is(err, archive.ErrDamaged) {
		t.Errorf("err = %v, want damaged", err)
	}
}
