// Package archive is the file of a backup: a header that anybody can read, a body that the owner of
// a key can, and a MAC over both. The body is a tar of COPY text and a few files; no statement is in
// it. docs/adr/0026-the-archive.md describes the format. Where the rows come from and go to is left
// to package dump, and where the keys are kept to package backup.
package archive

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
)

// Suffix ends the names of archives.
const Suffix = ".gwb"

// magic begins every archive, and its number tells the format.
const (
	magic    = "gateway-backup 1\n"
	anyMagic = "gateway-backup "
)

const macSize = sha256.Size

// What a reader takes at the most. The database decides how many chunks there are; see textLimit.
const (
	maxHeader   = 64 << 10
	maxManifest = 4 << 20
	maxSums     = 1 << 20
	maxFile     = 1 << 20
	maxFiles    = 64
	maxTables   = 1024
	// ChunkSize is how much COPY text one entry holds at the most.
	ChunkSize = 8 << 20
	// maxStored is what a chunk may take in the archive: text that does not compress grows a little.
	maxStored = ChunkSize + 64<<10
	maxWindow = 8 << 20
	// maxRow is for the longest rows there are, parts of lists of the forward proxy with some 90 MB.
	maxRow = 160 << 20
)

// Why an archive is refused. Errors wrap one of these.
var (
	// ErrForeign is a file that is no archive.
	ErrForeign = errors.New("the file is not a backup archive")
	// ErrDamaged is an archive that is not as it was written: cut, changed, or made by somebody without the key.
	ErrDamaged = errors.New("the archive is damaged")
	// ErrKey is an archive of other keys than the ones given.
	ErrKey = errors.New("the archive was made with another key")
	// ErrNewer is an archive of a later version.
	ErrNewer = errors.New("the archive was made by a newer version")
)

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrDamaged, fmt.Errorf(format, args...))
}

// About says what an archive is a backup of.
type About struct {
	ID      string    `json:"id"`
	Product string    `json:"product"` // version that made it
	Host    string    `json:"host"`
	NodeID  string    `json:"node_id"` // machine id
	Kind    string    `json:"kind"`    // manual, scheduled, before-restore
	Created time.Time `json:"created"`
	Schema  []int64   `json:"schema"` // numbers of the migrations that its rows have been through
}

// Header is what can be read of an archive without a key. Nothing in it is to be believed before Verify.
type Header struct {
	About
	// Escrow holds the escrow identity and the MAC key, encrypted with the operator's passphrase.
	// It is empty when there was none: then only the node that made the archive can read it.
	Escrow []byte `json:"escrow,omitempty"`
}

// Table is a table as the archive holds it.
type Table struct {
	Name    string   `json:"name"`
	Columns []string `json:"columns"` // in the order of the COPY text
}

// File is a state file.
type File struct {
	Name string
	Data []byte
}

// FileInfo announces a state file.
type FileInfo struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Manifest is the first entry of the body: what the others are, in their order.
type Manifest struct {
	About
	Tables []Table `json:"tables"`
	// Left are the tables that the database has and that do not travel.
	Left  []string   `json:"left"`
	Files []FileInfo `json:"files"`
}

// TableSum is what a table's COPY text adds up to.
type TableSum struct {
	Rows   int64  `json:"rows"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Sums is the last entry of the body.
type Sums struct {
	Tables     map[string]TableSum `json:"tables"`
	DBBytes    int64               `json:"db_bytes"` // COPY text, uncompressed
	FilesBytes int64               `json:"files_bytes"`
}

var (
	idForm      = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	wordForm    = regexp.MustCompile(`^[a-z][a-z-]{0,31}$`)
	versionForm = regexp.MustCompile(`^[0-9]{1,9}\.[0-9]{1,9}\.[0-9]{1,9}$`)
	tableForm   = regexp.MustCompile(`^[a-z][a-z0-9_]{0,62}$`)
	columnForm  = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,62}$`)
	fileForm    = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)
)

func (a About) validate() error {
	switch {
	case !idForm.MatchString(a.ID):
		return errors.New("the id is not a UUID")
	case !versionForm.MatchString(a.Product):
		return errors.New("the version is not major.minor.patch")
	case !wordForm.MatchString(a.Kind):
		return errors.New("the kind is not a word")
	case !line(a.Host) || !line(a.NodeID):
		return errors.New("host or node is not a line of text")
	case a.Created.IsZero():
		return errors.New("there is no date")
	case len(a.Schema) == 0 || len(a.Schema) > 10_000 || a.Schema[0] <= 0 || !increasing(a.Schema):
		return errors.New("the numbers of the migrations are not in order")
	}
	return nil
}

func line(s string) bool {
	return len(s) <= 255 && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

func increasing(n []int64) bool {
	return slices.IsSorted(n) && len(slices.Compact(slices.Clone(n))) == len(n)
}

func (a About) equal(b About) bool {
	sameTime := a.Created.Equal(b.Created)
	a.Created, b.Created = time.Time{}, time.Time{}
	return sameTime && reflect.DeepEqual(a, b)
}

// validate checks the names, all of which are of a form that leads nowhere.
func (m Manifest) validate() error {
	if len(m.Tables) > maxTables || len(m.Left) > maxTables || len(m.Files) > maxFiles {
		return errors.New("too many tables or files")
	}
	seen := map[string]bool{}
	for _, t := range m.Tables {
		if !tableForm.MatchString(t.Name) || seen[t.Name] || len(t.Columns) == 0 || len(t.Columns) > 1600 {
			return fmt.Errorf("table %.80q", t.Name)
		}
		seen[t.Name] = true
		for _, c := range t.Columns {
			if !columnForm.MatchString(c) {
				return fmt.Errorf("column %.80q", c)
			}
		}
	}
	for _, name := range m.Left {
		if seen[name] {
			return fmt.Errorf("table %.80q is there and left out", name)
		}
		seen[name] = true
	}
	files := map[string]bool{}
	for _, f := range m.Files {
		if !fileForm.MatchString(f.Name) || files[f.Name] || f.Size < 0 || f.Size > maxFile {
			return fmt.Errorf("file %.80q", f.Name)
		}
		files[f.Name] = true
	}
	return nil
}

// Info is how the manifest announces the file.
func (f File) Info() FileInfo {
	sum := sha256.Sum256(f.Data)
	return FileInfo{Name: f.Name, Size: int64(len(f.Data)), SHA256: hex.EncodeToString(sum[:])}
}

// The names of the entries.
const (
	manifestName = "manifest.json"
	sumsName     = "sums.json"
)

func chunkName(table string, n int) string { return fmt.Sprintf("tables/%s/%05d.copy.zst", table, n) }
func fileName(name string) string          { return "files/" + name }

// decode is json.Unmarshal that refuses what this version does not know: it would be lost.
func decode(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if d.More() {
		return errors.New("there is more than one value")
	}
	return nil
}
