package archive_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/google/go-cmp/cmp"

	"gateway/internal/backup/archive"
	"gateway/internal/backup/archive/archivetest"
)

// keys are a fresh pair.
func keys(t testing.TB) (archive.Sealing, archive.Opening) {
	t.Helper()
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	mac := bytes.Repeat([]byte{7}, 32)
	o, err := archive.NewOpening(identity, mac)
	if err != nil {
		t.Fatal(err)
	}
	return archive.Sealing{Recipients: []*age.X25519Recipient{identity.Recipient()}, MAC: mac}, o
}

var header = archive.Header{
	About: archive.About{
		ID: "0198c0de-0000-7000-8000-000000000001", Product: "0.1.0", Host: "gw1.example.com", NodeID: "4711", Kind: "manual",
		Created: time.Date(2026, 3, 1, 4, 5, 6, 0, time.UTC), Schema: []int64{1, 2, 40},
	},
	Escrow: []byte("sealed"),
}

// content is what an archive is made of.
type content struct {
	tables map[string]string // COPY text by name
	files  []archive.File
}

var sample = content{
	tables: map[string]string{"colours": "1\tred\n2\tgr\\nün\n", "empty": "", "shapes": "1\tround\n"},
	files:  []archive.File{{Name: "master.key", Data: []byte("secret")}, {Name: "setup.json", Data: []byte("{}")}},
}

func write(t testing.TB, c content, s archive.Sealing) ([]byte, archive.Sums) {
	t.Helper()
	var out bytes.Buffer
	w, err := archive.NewWriter(&out, header, s)
	must(t, err)
	m := archive.Manifest{Left: []string{"sessions"}}
	names := make([]string, 0, len(c.tables))
	for name := range c.tables {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		m.Tables = append(m.Tables, archive.Table{Name: name, Columns: []string{"id", "name"}})
	}
	for _, f := range c.files {
		m.Files = append(m.Files, f.Info())
	}
	must(t, w.Manifest(m))
	for _, name := range names {
		table, err := w.Table(name)
		must(t, err)
		_, err = io.WriteString(table, c.tables[name])
		must(t, err)
		must(t, table.Close())
	}
	for _, f := range c.files {
		must(t, w.File(f))
	}
	sums, err := w.Close()
	must(t, err)
	return out.Bytes(), sums
}

func read(data []byte, o archive.Opening) (c content, err error) {
	r, err := archive.NewReader(bytes.NewReader(data), o)
	if err != nil {
		return c, err
	}
	defer r.Close()
	c.tables = map[string]string{}
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return c, nil
		}
		if err != nil {
			return content{}, err
		}
		text, err := io.ReadAll(e)
		if err != nil {
			return content{}, err
		}
		if e.Table != "" {
			c.tables[e.Table] = string(text)
		} else {
			c.files = append(c.files, archive.File{Name: e.File, Data: text})
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestWhatIsReadIsWhatWasWritten(t *testing.T) {
	s, o := keys(t)
	data, sums := write(t, sample, s)
	got, err := read(data, o)
	must(t, err)
	if diff := cmp.Diff(sample, got, cmp.AllowUnexported(content{})); diff != "" {
		t.Error(diff)
	}
	h, err := archive.ReadHeader(bytes.NewReader(data))
	must(t, err)
	if diff := cmp.Diff(header, h); diff != "" {
		t.Error(diff)
	}
	m, read, err := archive.Check(bytes.NewReader(data), o)
	must(t, err)
	if diff := cmp.Diff(sums, read); diff != "" {
		t.Error(diff)
	}
	if sums.Tables["colours"].Rows != 2 || sums.FilesBytes != 8 || m.Left[0] != "sessions" || m.Host != header.Host {
		t.Errorf("sums = %+v, manifest = %+v", sums, m)
	}
}

func TestATableMayHaveAnySize(t *testing.T) {
	s, o := keys(t)
	r := rand.New(rand.NewPCG(1, 2))
	line := make([]byte, 100)
	for _, size := range []int{archive.ChunkSize - 1, archive.ChunkSize, archive.ChunkSize + 1, 2*archive.ChunkSize + 4711} {
		text := bytes.NewBufferString("1\t")
		for text.Len() < size {
			for i := range line {
				line[i] = 'a' + byte(r.IntN(26))
			}
			text.Write(line)
		}
		text.Truncate(size - 1)
		text.WriteByte('\n')
		data, _ := write(t, content{tables: map[string]string{"large": text.String()}}, s)
		got, err := read(data, o)
		if err != nil || got.tables["large"] != text.String() {
			t.Errorf("%d bytes: %d came back, %v", size, len(got.tables["large"]), err)
		}
		if chunks := len(archivetest.Open(t, data, o).Entries) - 2; chunks != (size+archive.ChunkSize-1)/archive.ChunkSize {
			t.Errorf("%d bytes are in %d chunks", size, chunks)
		}
	}
}

// Whoever has lost us can still read their rows.
func TestPlainToolsReadIt(t *testing.T) {
	if _, err := exec.LookPath("zstd"); err != nil {
		t.Skip("there is no zstd here")
	}
	s, o := keys(t)
	text := strings.Repeat("1\ta row\n", archive.ChunkSize/6)
	data, _ := write(t, content{tables: map[string]string{"rows": text}}, s)
	dir := t.TempDir()
	for _, e := range archivetest.Open(t, data, o).Entries {
		path := filepath.Join(dir, e.Name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(t, os.WriteFile(path, e.Data, 0o600))
	}
	got, err := exec.Command("sh", "-c", "cat "+dir+"/tables/rows/*.copy.zst | zstd -d").Output()
	if err != nil || string(got) != text {
		t.Errorf("%d bytes, %v; want %d", len(got), err, len(text))
	}
}

func TestEachRecipientReadsIt(t *testing.T) {
	s, o := keys(t)
	other, escrow := keys(t)
	s.Recipients = append(s.Recipients, other.Recipients...)
	data, _ := write(t, sample, s)
	for name, o := range map[string]archive.Opening{"the node": o, "the escrow identity": escrow} {
		if _, err := read(data, o); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, stranger := keys(t)
	if _, err := read(data, stranger); !errors.Is(err, archive.ErrKey) {
		t.Errorf("a stranger with the key of the MAC: %v, want another key", err)
	}
}

// Every byte counts, and the end too.
func TestEveryFlipAndEveryCutIsFound(t *testing.T) {
	s, o := keys(t)
	data, _ := write(t, sample, s)
	for i := range data {
		flipped := bytes.Clone(data)
		flipped[i] ^= 1 << (i % 8)
		if _, err := read(flipped, o); err == nil {
			t.Fatalf("byte %d flipped: nobody noticed", i)
		}
		if _, err := read(data[:i], o); err == nil {
			t.Fatalf("cut at %d: nobody noticed", i)
		}
	}
	if _, err := read(append(bytes.Clone(data), 0), o); err == nil {
		t.Error("a byte more: nobody noticed")
	}
	for i, b := range [][]byte{nil, []byte("PK\x03\x04"), []byte("gateway-backup"), bytes.Repeat([]byte("gateway-backup 1"), 1<<16)} {
		if _, err := read(b, o); err == nil {
			t.Errorf("file %d was taken for an archive", i)
		}
	}
}

func TestANewerFormatIsToldFromDamage(t *testing.T) {
	s, o := keys(t)
	data, _ := write(t, sample, s)
	newer := bytes.Replace(data[:len(data)-32], []byte("gateway-backup 1\n"), []byte("gateway-backup 2\n"), 1)
	if _, err := read(archivetest.Sign(newer, s), o); !errors.Is(err, archive.ErrNewer) {
		t.Errorf("err = %v, want newer", err)
	}
	if _, err := read([]byte("gateway-backup x\n"), o); !errors.Is(err, archive.ErrDamaged) {
		t.Errorf("err = %v, want damaged", err)
	}
}

// swapped is a file that becomes another one after it was checked.
type swapped struct {
	*bytes.Reader
	second *bytes.Reader
	seeks  int
}

func (s *swapped) Seek(offset int64, whence int) (int64, error) {
	if s.seeks++; s.seeks == 4 {
		s.Reader = s.second
	}
	return s.Reader.Seek(offset, whence)
}

func TestAFileThatIsExchangedAfterItWasCheckedIsRefused(t *testing.T) {
	s, o := keys(t)
	good, _ := write(t, sample, s)
	other := sample
	other.tables = map[string]string{"colours": "1\tblue\n2\tgr\\nün\n", "empty": "", "shapes": "1\tround\n"}
	forged, _ := write(t, other, archive.Sealing{Recipients: s.Recipients, MAC: make([]byte, 32)})
	f := &swapped{Reader: bytes.NewReader(good), second: bytes.NewReader(forged[:len(good)])}
	r, err := archive.NewReader(f, o)
	for err == nil {
		_, err = r.Next()
	}
	if f.seeks < 4 || !errors.Is(err, archive.ErrDamaged) {
		t.Errorf("after %d seeks: %v, want damaged", f.seeks, err)
	}
}

func TestAWriterKeepsToItsManifest(t *testing.T) {
	s, _ := keys(t)
	begin := func() *archive.Writer {
		w, err := archive.NewWriter(io.Discard, header, s)
		must(t, err)
		must(t, w.Manifest(archive.Manifest{Tables: []archive.Table{{Name: "one", Columns: []string{"id"}}}, Files: []archive.FileInfo{sample.files[0].Info()}}))
		return w
	}
	for name, do := range map[string]func(w *archive.Writer) error{
		"another table":      func(w *archive.Writer) error { _, err := w.Table("two"); return err },
		"a file too early":   func(w *archive.Writer) error { return w.File(sample.files[0]) },
		"an end too early":   func(w *archive.Writer) error { _, err := w.Close(); return err },
		"a second manifest":  func(w *archive.Writer) error { return w.Manifest(archive.Manifest{}) },
		"a table not closed": func(w *archive.Writer) error { _, _ = w.Table("one"); return w.File(sample.files[0]) },
		"another file's data": func(w *archive.Writer) error {
			closeTable(t, w)
			return w.File(archive.File{Name: "master.key", Data: []byte("other")})
		},
	} {
		if do(begin()) == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

func closeTable(t *testing.T, w *archive.Writer) {
	t.Helper()
	table, err := w.Table("one")
	must(t, err)
	must(t, table.Close())
}

// Better no archive, which is told, than one that nobody takes back.
func TestWhatNoReaderWouldTakeIsNotWritten(t *testing.T) {
	s, _ := keys(t)
	w, err := archive.NewWriter(io.Discard, header, s)
	must(t, err)
	must(t, w.Manifest(archive.Manifest{Tables: []archive.Table{{Name: "one", Columns: []string{"id"}}}}))
	table, err := w.Table("one")
	must(t, err)
	line := bytes.Repeat([]byte("1\n"), 1<<19)
	for range 100 {
		_, err := table.Write(line)
		must(t, err)
	}
	must(t, table.Close())
	if _, err := w.Close(); err == nil {
		t.Error("it was written")
	}
}

func TestNoKeyIsPrinted(t *testing.T) {
	_, o := keys(t)
	secret, err := o.Reveal()
	must(t, err)
	for _, text := range []string{fmt.Sprint(o), fmt.Sprintf("%+v %#v", o, o), fmt.Sprintf("%+v", struct{ O archive.Opening }{o})} {
		if strings.Contains(text, "AGE-SECRET") || strings.Contains(text, "7 7 7") || strings.Contains(text, "0x7, 0x7") {
			t.Errorf("printed %s", text)
		}
	}
	again, err := archive.ParseOpening(secret)
	must(t, err)
	if other, _ := again.Reveal(); !bytes.Equal(other, secret) {
		t.Error("what was revealed does not come back")
	}
	if _, err := archive.ParseOpening([]byte(`{"identity":"AGE-SECRET-KEY-1X","mac":""}`)); err == nil || strings.Contains(err.Error(), "AGE-SECRET") {
		t.Errorf("err = %v", err)
	}
}

func FuzzReadHeader(f *testing.F) {
	s, _ := keys(f)
	data, _ := write(f, sample, s)
	f.Add(data[:300])
	f.Add([]byte("gateway-backup 1\n{}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if h, err := archive.ReadHeader(bytes.NewReader(data)); err == nil && (h.ID == "" || len(h.Schema) == 0) {
			t.Errorf("%+v was taken", h)
		}
	})
}
