package archive

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"maps"
)

// Entry is a table, whose COPY text it reads, or a file. Of the two names one is empty.
type Entry struct {
	Table   string
	Columns []string
	File    string
	io.Reader
	table *tableReader
}

// Rows counts those that were read of a table.
func (e *Entry) Rows() int64 { return e.table.total.Rows }

// Next ends the last entry and begins the next: every table of the manifest, then every file. It
// returns io.EOF when all of the archive was read and all of it is right, and nobody should act on
// what it read before.
func (r *Reader) Next() (*Entry, error) {
	if r.err != nil {
		return nil, r.err
	}
	e, err := r.advance()
	r.entry, r.err = e, err
	return e, err
}

func (r *Reader) advance() (*Entry, error) {
	if r.entry != nil && r.entry.table != nil {
		if err := r.entry.table.finish(); err != nil {
			return nil, err
		}
	}
	i := r.number
	r.number++
	if i < len(r.manifest.Tables) {
		t := r.manifest.Tables[i]
		reader := &tableReader{from: r, name: t.Name, sum: sha256.New(), form: rowForm{tabs: len(t.Columns) - 1}}
		return &Entry{Table: t.Name, Columns: t.Columns, Reader: reader, table: reader}, nil
	}
	i -= len(r.manifest.Tables)
	if i < len(r.manifest.Files) {
		return r.fileEntry(r.manifest.Files[i])
	}
	return nil, r.end()
}

func (r *Reader) fileEntry(want FileInfo) (*Entry, error) {
	data, err := r.small(fileName(want.Name), maxFile)
	if err != nil {
		return nil, err
	}
	if (File{want.Name, data}).Info() != want {
		return nil, damaged("file %s is not the one of the manifest", want.Name)
	}
	r.sums.FilesBytes += want.Size
	return &Entry{File: want.Name, Reader: bytes.NewReader(data)}, nil
}

// end reads what is behind the last entry and answers io.EOF.
func (r *Reader) end() error {
	data, err := r.small(sumsName, maxSums)
	if err != nil {
		return err
	}
	if err := decode(data, &r.told); err != nil {
		return damaged("the sums: %w", err)
	}
	if !maps.Equal(r.told.Tables, r.sums.Tables) || r.told.DBBytes != r.sums.DBBytes || r.told.FilesBytes != r.sums.FilesBytes {
		return damaged("what it holds does not add up to its sums")
	}
	if h, err := r.peek(); err != nil || h != nil {
		return damaged("there is something behind the sums")
	}
	if n, err := io.Copy(io.Discard, r.body); err != nil {
		return damaged("%w", err)
	} else if n > 0 {
		return damaged("there is something behind the end")
	}
	if err := compare(r.file, r.mac); err != nil {
		return err
	}
	return io.EOF
}

// tableReader strings the chunks of a table together.
type tableReader struct {
	from   *Reader
	name   string
	number int   // of the chunk
	left   int64 // how much text it may still hold
	inside bool
	done   bool
	sum    hash.Hash
	form   rowForm
	total  TableSum
}

func (t *tableReader) Read(p []byte) (int, error) {
	if t.from.err != nil {
		return 0, t.from.err
	}
	for !t.done {
		if !t.inside {
			if err := t.begin(); err != nil {
				return 0, t.from.fail(err)
			}
			continue
		}
		n, err := t.read(p)
		if err != nil {
			return 0, t.from.fail(err)
		}
		if n > 0 || len(p) == 0 {
			return n, nil
		}
	}
	return 0, io.EOF
}

// begin opens the next chunk, if there is one of this table.
func (t *tableReader) begin() error {
	h, err := t.from.peek()
	if err != nil {
		return err
	}
	if h == nil || h.Name != chunkName(t.name, t.number+1) {
		t.done = true
		return nil
	}
	if _, err := t.from.take(h.Name, maxStored); err != nil {
		return err
	}
	t.number++
	t.inside, t.left = true, ChunkSize
	return t.from.zstd.Reset(t.from.tar)
}

func (t *tableReader) read(p []byte) (int, error) {
	// One byte more than allowed shows that there is more.
	n, err := t.from.zstd.Read(p[:min(int64(len(p)), t.left+1)])
	if t.left -= int64(n); t.left < 0 {
		return 0, damaged("table %s: a chunk is larger than it may be", t.name)
	}
	t.sum.Write(p[:n])
	if !t.form.fits(p[:n]) {
		return 0, damaged("table %s: row %d is not of its columns, or too long", t.name, t.total.Rows+1)
	}
	t.total.Rows += int64(bytes.Count(p[:n], []byte{'\n'}))
	t.total.Bytes += int64(n)
	if t.from.sums.DBBytes+t.total.Bytes > t.from.limit {
		return 0, damaged("it holds far more than its size allows")
	}
	if errors.Is(err, io.EOF) {
		t.inside = false
		err = nil
	}
	if err != nil {
		return 0, damaged("table %s: %w", t.name, err)
	}
	return n, nil
}

// rowForm is what can be said of COPY text without a database: each line has a value for each column, and
// none ends the data. A tab within a value is spelt as two characters. A row is held in memory by the server, so that
// it has a limit too.
type rowForm struct {
	tabs   int // between the columns
	seen   int // in this line
	size   int // of this line, so far
	inside bool
	begin  []byte // of this line, three bytes at the most
}

func (f *rowForm) fits(p []byte) bool {
	for len(p) > 0 {
		line, rest, ended := bytes.Cut(p, []byte{'\n'})
		f.seen += bytes.Count(line, []byte{'\t'})
		f.begin = append(f.begin, line[:min(len(line), 3-len(f.begin))]...)
		f.inside = !ended
		if f.size += len(line); f.size > maxRow {
			return false
		}
		if ended {
			if f.seen != f.tabs || string(f.begin) == `\.` {
				return false
			}
			f.seen, f.size, f.begin = 0, 0, f.begin[:0]
		}
		p = rest
	}
	return true
}

// finish reads what nobody asked for and adds the table to the sums.
func (t *tableReader) finish() error {
	if _, err := io.Copy(io.Discard, t); err != nil {
		return err
	}
	if t.form.inside {
		return damaged("table %s: its last row is cut", t.name)
	}
	t.total.SHA256 = hex.EncodeToString(t.sum.Sum(nil))
	t.from.sums.Tables[t.name] = t.total
	t.from.sums.DBBytes += t.total.Bytes
	return nil
}

// fail keeps the first error: nothing is read after it.
func (r *Reader) fail(err error) error {
	if r.err == nil {
		r.err = err
	}
	return err
}

// Check reads all of an archive and does nothing with it. What it returns is authentic and complete.
func Check(f io.ReadSeeker, o Opening) (Manifest, Sums, error) {
	r, err := NewReader(f, o)
	if err != nil {
		return Manifest{}, Sums{}, err
	}
	defer r.Close()
	for {
		_, err := r.Next()
		if errors.Is(err, io.EOF) {
			return r.Manifest(), r.Sums(), nil
		}
		if err != nil {
			return Manifest{}, Sums{}, err
		}
	}
}
