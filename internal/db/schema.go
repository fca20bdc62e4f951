package db

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"gateway/internal/fault"
)

// Scope says how far a table's rows reach.
type Scope int

const (
	// Replicated rows are configuration that every node of a cluster shares.
	Replicated Scope = iota + 1
	// NodeLocal rows are configuration of this node alone.
	NodeLocal
	// History rows record what happened (audit, sessions, events): no configuration, not hashed, no row images.
	History
)

// Table declares one table. Columns in Omit never enter row images (password hashes and the like).
type Table struct {
	Name  string
	Scope Scope
	Omit  []string
	// OneWay are columns that only go forward, or that are set from elsewhere: undoing a
	// change leaves them as they are.
	OneWay []string
	// NoUndo says why a change of these rows cannot be one that is undone by itself.
	NoUndo fault.Sentence
	// RowsChecked says that whatever row is accepted renders to text its daemon takes,
	// whatever else there is; a change of such rows alone needs no candidate check.
	RowsChecked bool
	// NoBackup leaves the rows out of backups: they mean nothing at another time or on another node. A
	// restored database has none of them, nor those that a migration put there.
	NoBackup bool
	// BackupSince is the migration since which the rows are in backups, where they were not at first: an older
	// backup may lack them. 0 for always.
	BackupSince int64
	// API and Applier say what these processes may do, where it is not what the scope says.
	API, Applier *Rights
}

// Configuration reports whether the table holds what an operator configured.
func (t Table) Configuration() bool { return t.Scope == Replicated || t.Scope == NodeLocal }

// Schema is one owner's tables and the migrations that make them. Migration
// numbers are global: 0001_name.sql exists once over all owners.
type Schema struct {
	Tables     []Table
	Migrations fs.FS
}

// Files is the folder migrations/ of an owner's embedded files.
func Files(embedded fs.FS) fs.FS {
	sub, err := fs.Sub(embedded, "migrations")
	if err != nil {
		panic(err) // only a malformed name fails, and this one is not
	}
	return sub
}

// Merge lays the owners' migrations side by side, refusing two with one number.
func Merge(schemas []Schema) (fs.FS, error) {
	all := files{}
	numbers := map[string]string{}
	for _, s := range schemas {
		if s.Migrations == nil {
			continue
		}
		names, err := fs.Glob(s.Migrations, "*.sql")
		if err != nil {
			return nil, fmt.Errorf("list migrations: %w", err)
		}
		for _, name := range names {
			number, _, _ := strings.Cut(name, "_")
			if other, ok := numbers[number]; ok {
				return nil, fmt.Errorf("migrations %s and %s have the same number", other, name)
			}
			numbers[number] = name
			if all[name], err = fs.ReadFile(s.Migrations, name); err != nil {
				return nil, fmt.Errorf("read migration %s: %w", name, err)
			}
		}
	}
	return all, nil
}

// Tables lists every declared table by name.
func Tables(schemas []Schema) []Table {
	var all []Table
	for _, s := range schemas {
		all = append(all, s.Tables...)
	}
	slices.SortFunc(all, func(a, b Table) int { return strings.Compare(a.Name, b.Name) })
	return all
}
