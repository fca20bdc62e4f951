// Package dump moves the rows of the database into an archive, and those of an archive into a new
// database. Every statement is made here, of names that the catalogue of our own migrations has; from an
// archive come values, as COPY text. Exchanging the databases is left to package restore.
package dump

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"

	"github.com/jackc/pgx/v5"

	"gateway/internal/backup/archive"
	"gateway/internal/db"
)

// Backup is what Write needs to know. Header.Schema is filled in.
type Backup struct {
	Header  archive.Header
	Keys    archive.Sealing
	Schemas []db.Schema
	Files   []archive.File
	// Progress is told now and then how much of the tables was read, in bytes of the disk; nil for nobody.
	Progress func(done, total int64)
}

// Written is what Write wrote.
type Written struct {
	archive.Sums
	Size   int64
	SHA256 string // of the file
}

// Write writes an archive of one snapshot of the database to w.
func Write(ctx context.Context, pool db.Pool, w io.Writer, b Backup) (out Written, err error) {
	tx, err := pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return out, fmt.Errorf("begin the snapshot: %w", err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // nothing was written
	if _, err := tx.Exec(ctx, plainText); err != nil {
		return out, fmt.Errorf("begin the snapshot: %w", err)
	}
	cat, err := readCatalogue(ctx, tx)
	if err != nil {
		return out, err
	}
	b.Header.Schema = cat.schema
	counted := &sink{to: w, sum: sha256.New()}
	aw, err := archive.NewWriter(counted, b.Header, b.Keys)
	if err != nil {
		return out, err
	}
	m := archive.Manifest{Files: infos(b.Files)}
	m.Tables, m.Left = cat.split(b.Schemas)
	if err := aw.Manifest(m); err != nil {
		return out, err
	}
	if err := cat.copyTables(ctx, tx, aw, m.Tables, b.Progress); err != nil {
		return out, err
	}
	for _, f := range b.Files {
		if err := aw.File(f); err != nil {
			return out, err
		}
	}
	out.Sums, err = aw.Close()
	out.Size, out.SHA256 = counted.n, hex.EncodeToString(counted.sum.Sum(nil))
	return out, err
}

// plainText makes COPY text that does not depend on the settings of a server, without a limit of time: the
// pool's is that of a request.
const plainText = `set local statement_timeout = 0; set local idle_in_transaction_session_timeout = '10min';
	set local datestyle = 'ISO'; set local intervalstyle = 'postgres'; set local timezone = 'UTC';
	set local extra_float_digits = 1; set local bytea_output = 'hex'; set local client_encoding = 'UTF8'`

func infos(files []archive.File) []archive.FileInfo {
	out := make([]archive.FileInfo, len(files))
	for i, f := range files {
		out[i] = f.Info()
	}
	return out
}

// sink counts what goes into the file.
type sink struct {
	to  io.Writer
	sum hash.Hash
	n   int64
}

func (s *sink) Write(p []byte) (int, error) {
	n, err := s.to.Write(p)
	s.sum.Write(p[:n])
	s.n += int64(n)
	return n, err
}

// split are the tables that travel and those that do not. What nobody declared does not.
func (c catalogue) split(schemas []db.Schema) (tables []archive.Table, left []string) {
	travels := map[string]bool{}
	for _, t := range db.Tables(schemas) {
		travels[t.Name] = !t.NoBackup
	}
	tables, left = []archive.Table{}, []string{}
	for _, t := range c.tables {
		if travels[t.Name] {
			tables = append(tables, archive.Table(t))
		} else {
			left = append(left, t.Name)
		}
	}
	return tables, left
}

func (c catalogue) copyTables(ctx context.Context, tx pgx.Tx, aw *archive.Writer, tables []archive.Table, progress func(done, total int64)) error {
	p := meter{tell: progress}
	for _, t := range tables {
		p.total += c.sizes[t.Name]
	}
	for _, t := range tables {
		w, err := aw.Table(t.Name)
		if err != nil {
			return err
		}
		p.begin(c.sizes[t.Name])
		_, err = tx.Conn().PgConn().CopyTo(ctx, io.MultiWriter(w, &p), "copy "+table(t).copied()+" to stdout")
		if err != nil {
			return fmt.Errorf("read table %s: %w", t.Name, err)
		}
		if err := w.Close(); err != nil {
			return fmt.Errorf("write table %s: %w", t.Name, err)
		}
	}
	p.begin(0)
	return nil
}

// meter tells how far it is. The text of a table is about as large as the table.
type meter struct {
	tell               func(done, total int64)
	before, now, table int64
	total, told        int64
}

func (m *meter) begin(table int64) {
	m.before, m.now, m.table = m.before+m.table, 0, table
	m.report()
}

func (m *meter) Write(p []byte) (int, error) {
	m.now += int64(len(p))
	if m.before+min(m.now, m.table) >= m.told+1<<20 {
		m.report()
	}
	return len(p), nil
}

func (m *meter) report() {
	m.told = m.before + min(m.now, m.table)
	if m.tell != nil {
		m.tell(m.told, m.total)
	}
}
