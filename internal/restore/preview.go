package restore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"gateway/internal/backup/archive"
	"gateway/internal/backup/dump"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/secret/privatefile"
)

// Preview reads an archive and says what would be different after restoring it. Nothing is changed.
func (s *Service) Preview(ctx context.Context, id string) (p Preview, err error) {
	f, err := os.Open(filepath.Join(s.Dir, ArchivePath(id)))
	if errors.Is(err, fs.ErrNotExist) {
		return p, errNoArchive()
	}
	if err != nil {
		return p, err
	}
	defer f.Close()
	w := Worker{Folder: Folder{Dir: s.Dir}, Schemas: s.Schemas(), Archive: f}
	opening, err := w.opening(id)
	if err != nil {
		return p, err
	}
	r, err := archive.NewReader(f, opening)
	if err != nil {
		return p, err
	}
	defer r.Close()
	h := r.Header()
	p = Preview{
		Version: h.Product, Created: h.Created, Host: h.Host, SameHost: h.NodeID == s.Node,
		Tables: []TableDiff{}, Files: []FileDiff{}, Links: []Link{}, Accounts: []Account{}, Problems: []fault.Sentence{},
	}
	if err := dump.Known(h, s.Schemas()); err != nil {
		p.Problems = append(p.Problems, fault.Said("the backup was made by a newer version: update this node first"))
		return p, nil
	}
	seen := &gathered{accounts: accounts{}}
	err = pgx.BeginTxFunc(ctx, s.DB, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		if err := s.compare(ctx, tx, r, &p, seen); err != nil {
			return err
		}
		p.Accounts, err = seen.accounts.affected(ctx, tx)
		return err
	})
	if err != nil {
		return Preview{}, err
	}
	if p.Links, err = s.links(&seen.linkNames); err != nil {
		return Preview{}, err
	}
	for _, l := range p.Links {
		if !l.Matches {
			p.Problems = append(p.Problems, fault.Said("this node has no network interface %q", l.Name))
		}
	}
	return p, nil
}

// compare goes through the archive in its order.
func (s *Service) compare(ctx context.Context, tx pgx.Tx, r *archive.Reader, p *Preview, seen *gathered) error {
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if e.File != "" {
			d, err := s.compareFile(e)
			if err != nil {
				return err
			}
			p.Files = append(p.Files, d)
			continue
		}
		d, err := s.compareTable(ctx, tx, e, seen)
		if err != nil {
			return err
		}
		if d != (TableDiff{Table: d.Table, RowsNow: d.RowsNow, RowsThen: d.RowsNow}) {
			p.Tables = append(p.Tables, d)
		}
	}
}

func (s *Service) compareFile(e *archive.Entry) (FileDiff, error) {
	then, err := io.ReadAll(e)
	if err != nil {
		return FileDiff{}, err
	}
	now, err := privatefile.Read(filepath.Join(s.Dir, e.File))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return FileDiff{}, err
	}
	return FileDiff{Name: e.File, Differs: !bytes.Equal(now, then)}, nil
}

// compareTable compares configuration row by row; of what happened it only counts.
func (s *Service) compareTable(ctx context.Context, tx pgx.Tx, e *archive.Entry, seen *gathered) (TableDiff, error) {
	d := TableDiff{Table: e.Table}
	i := slices.IndexFunc(db.Tables(s.Schemas()), func(t db.Table) bool { return t.Name == e.Table })
	there, err := has(ctx, tx, e.Table)
	if err != nil || !there || i < 0 || slices.Contains(staying, e.Table) {
		return d, err // a migration removed it since, or it stays as it is
	}
	if err := tx.QueryRow(ctx, "select count(*) from "+pgx.Identifier{e.Table}.Sanitize()).Scan(&d.RowsNow); err != nil {
		return d, err
	}
	if !db.Tables(s.Schemas())[i].Configuration() {
		d.RowsThen, err = countLines(e)
		return d, err
	}
	columns, err := columns(ctx, tx, e.Table)
	if err != nil {
		return d, err
	}
	columns = slices.DeleteFunc(columns, func(c string) bool { return !slices.Contains(e.Columns, c) })
	key, err := keyOf(ctx, tx, e.Table)
	if err != nil {
		return d, err
	}
	then := &rowSet{columns: e.Columns, wanted: columns, key: key, rows: map[string][16]byte{}, look: seen.reader(e.Table)}
	if err := then.read(e); err != nil {
		return d, err
	}
	d.RowsThen, d.Added = int64(len(then.rows)), int64(len(then.rows))
	now := &rowSet{columns: columns, wanted: columns, key: key, each: func(key string, hash [16]byte) {
		was, found := then.rows[key]
		switch {
		case !found:
			d.Removed++
		case was != hash:
			d.Changed++
			d.Added--
		default:
			d.Added--
		}
	}}
	err = now.copied(ctx, tx, e.Table)
	return d, err
}

// staying are the tables that a restore leaves as they are.
var staying = slices.Concat([]string{"audit_entries", "audit_heads", "audit_names", pinned}, here)

func countLines(r io.Reader) (n int64, err error) {
	buf := make([]byte, 64<<10)
	for {
		read, err := r.Read(buf)
		n += int64(bytes.Count(buf[:read], []byte{'\n'}))
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

// keyOf are the columns of the primary key.
func keyOf(ctx context.Context, q db.DB, table string) ([]string, error) {
	rows, err := q.Query(ctx, `select a.attname from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
		where i.indisprimary and i.indrelid = ('public.' || quote_ident($1))::regclass order by a.attnum`, table)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// rowSet reads COPY text as rows with a key and a hash of the columns that are compared. It keeps them, or
// gives each to somebody.
type rowSet struct {
	columns, wanted, key []string
	rows                 map[string][16]byte
	each                 func(key string, hash [16]byte)
	look                 func(value func(column string) string)
	rest                 []byte
}

func (s *rowSet) read(r io.Reader) error {
	buf := make([]byte, 64<<10)
	for {
		n, err := r.Read(buf)
		_, _ = s.Write(buf[:n])
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (s *rowSet) copied(ctx context.Context, tx pgx.Tx, table string) error {
	return dump.Rows(ctx, tx, table, s.columns, s)
}

// Write takes COPY text, in whatever pieces.
func (s *rowSet) Write(p []byte) (int, error) {
	s.rest = append(s.rest, p...)
	for {
		line, after, found := bytes.Cut(s.rest, []byte{'\n'})
		if !found {
			return len(p), nil
		}
		s.row(strings.Split(string(line), "\t"))
		s.rest = after
	}
}

func (s *rowSet) row(values []string) {
	value := func(column string) string {
		if i := slices.Index(s.columns, column); i >= 0 && i < len(values) {
			return values[i]
		}
		return ""
	}
	var key strings.Builder
	for _, c := range s.key {
		key.WriteString(value(c) + "\t")
	}
	sum := sha256.New()
	for _, c := range s.wanted {
		_, _ = io.WriteString(sum, value(c)+"\t")
	}
	hash := [16]byte(sum.Sum(nil)[:16])
	if s.each != nil {
		s.each(key.String(), hash)
		return
	}
	s.rows[key.String()] = hash
	if s.look != nil {
		s.look(value)
	}
}

// gathered is what is kept of the rows of an archive.
type gathered struct {
	linkNames
	accounts accounts
}

// reader looks at the rows of a table; nil when nothing of them is kept.
func (g *gathered) reader(table string) func(value func(string) string) {
	if look := g.accounts.reader(table); look != nil {
		return look
	}
	return g.linkNames.reader(table)
}

// linkNames are the network interfaces that rows call by name, and those that the configuration makes itself.
type linkNames struct{ named, made []string }

// reader looks for names in the rows of a table; nil when it has none.
func (l *linkNames) reader(table string) func(value func(string) string) {
	var in []string
	for _, c := range linkColumns {
		if c.table == table && !c.list {
			in = append(in, c.column)
		}
	}
	if table == "tunnel_interfaces" {
		return func(value func(string) string) { l.made = append(l.made, value("name")) }
	}
	if in == nil {
		return nil
	}
	return func(value func(string) string) {
		if table == "network_interfaces" && value("type") != "ethernet" {
			l.made = append(l.made, value("name"))
		}
		for _, c := range in {
			if name := value(c); linkForm.MatchString(name) {
				l.named = append(l.named, name)
			}
		}
	}
}

// links are the network cards that the archive names, with those of this node that could take their place.
func (s *Service) links(seen *linkNames) ([]Link, error) {
	here, err := s.Links()
	if err != nil {
		return nil, err
	}
	slices.Sort(seen.named)
	named := slices.DeleteFunc(slices.Compact(seen.named), func(n string) bool { return slices.Contains(seen.made, n) || n == "lo" })
	free := slices.DeleteFunc(slices.Clone(here), func(n string) bool { return slices.Contains(named, n) })
	links := []Link{}
	for _, n := range named {
		l := Link{Name: n, Matches: slices.Contains(here, n), Candidates: []string{}}
		if !l.Matches {
			l.Candidates = append(l.Candidates, free...)
		}
		links = append(links, l)
	}
	return links, nil
}
