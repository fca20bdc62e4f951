package restore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"gateway/internal/backup"
	"gateway/internal/backup/archive"
	"gateway/internal/backup/dump"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/secret/privatefile"
)

// Worker is what a helper does, in its own process and as the user that it was started as.
type Worker struct {
	Cluster Cluster
	Folder  Folder
	Schemas []db.Schema
	// Archive is the open file that was handed over; nil where none is needed.
	Archive *os.File
	// Disk is the file system of a folder; nil for what that itself says.
	Disk func(dir string) (Disk, error)
	// Render runs every renderer on a database, opening secrets with the key in that file.
	Render func(ctx context.Context, database, masterKey string) ([]string, error)
	// Snapshot backs up the live database.
	Snapshot func(ctx context.Context) error
	// Preview compares an archive with the live database.
	Preview func(ctx context.Context, id string) (Preview, error)
}

// maxRequest bounds what root can tell a helper. Of the audit log there may be three days of anchors, one every five seconds, and two of each
// day before: 10 MB.
const maxRequest = 16 << 20

// ReadsArchive reports whether a step is handed the archive.
func ReadsArchive(op string) bool { return slices.Contains([]string{"stage", "load", "import"}, op) }

// Act does one step and writes the answer. Only what cannot be answered is an error.
func (w Worker) Act(ctx context.Context, op string, in io.Reader, out io.Writer) error {
	var r request
	if err := json.NewDecoder(io.LimitReader(in, maxRequest)).Decode(&r); err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	a, err := w.act(ctx, op, r)
	if err != nil {
		s := fault.SentenceOf(err)
		a = reply{Error: &s}
	}
	return json.NewEncoder(out).Encode(a)
}

func (w Worker) act(ctx context.Context, op string, r request) (a reply, err error) {
	switch op {
	case "names":
		n, err := w.Cluster.Names(ctx)
		return reply{Names: &n}, err
	case "load":
		return a, w.load(ctx, r)
	case "carry":
		return a, w.Cluster.Carry(ctx, r.From, r.To, r.Note, r.Anchors)
	case "note":
		return a, w.Cluster.Note(ctx, r.Note)
	case "swap":
		return a, w.Cluster.Swap(ctx)
	case "swap-back":
		return a, w.Cluster.SwapBack(ctx)
	case "drop":
		return a, w.Cluster.Drop(ctx, r.Name)
	case "stage":
		return w.stage(r.Plan.ID, r.Name)
	case "import":
		return w.adopt(r.Passphrase)
	case "forward":
		return a, w.Folder.Forward()
	case "back":
		return a, w.Folder.Back()
	case "clean":
		return a, w.clean(r.Name, r.Plan.ID)
	case "tell":
		return a, w.tell(r.State)
	case "request":
		return a, WriteRequest(w.Folder.Dir, r.Plan.ID, r.Plan.Actor, r.Options)
	case "answer":
		s, err := WriteAnswer(w.Folder.Dir, r.Answer)
		return reply{State: &s}, err
	case "snapshot":
		return a, w.Snapshot(ctx)
	case "preview":
		p, err := w.Preview(ctx, r.Plan.ID)
		return reply{Preview: &p}, err
	case "render":
		a.Found, err = w.Render(ctx, r.Name, w.masterKey(r.Name))
		return a, err
	}
	return a, fmt.Errorf("there is no step %q", op)
}

// at is the folder with the files for a database.
func (w Worker) at(database string) Folder {
	f := w.Folder
	if database == Verified {
		f.Area = verifyArea
	}
	return f
}

// masterKey is the one that the database's secrets are sealed with: that of the archive, where it has one.
func (w Worker) masterKey(database string) string {
	const name = "master.key"
	staged := w.at(database).Staged(name)
	if there, err := exists(staged); database != Live && err == nil && there {
		return staged
	}
	return w.Folder.live(name)
}

func (w Worker) tell(s *State) error {
	if s == nil {
		return errors.New("there is no state to tell")
	}
	return writeState(w.Folder.Dir, *s)
}

// clean also removes what the restore that is over was asked and answered, and the key that came with an archive of another node.
func (w Worker) clean(database, id string) error {
	if database == Verified {
		return w.at(database).Clean()
	}
	gone := []string{AnswerFile}
	if idForm.MatchString(id) {
		gone = append(gone, RequestPath(id), KeysPath(id))
	}
	errs := []error{w.Folder.Clean()}
	for _, name := range gone {
		if err := os.Remove(filepath.Join(w.Folder.Dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// stage reads all of the archive, and stages its files once all of it was seen to be right.
func (w Worker) stage(id, database string) (reply, error) {
	opening, err := w.opening(id)
	if err != nil {
		return reply{}, err
	}
	files, err := w.readFiles(opening)
	if err != nil {
		return reply{}, err
	}
	secret, err := opening.Reveal()
	if err != nil {
		return reply{}, err
	}
	for _, f := range files {
		if err := w.at(database).Put(f.Name, f.Data); err != nil {
			return reply{}, err
		}
	}
	return reply{Opening: secret}, nil
}

// opening is the key of the archive: this node's, or the one that came with an archive of another node.
func (w Worker) opening(id string) (archive.Opening, error) {
	data, err := privatefile.Read(filepath.Join(w.Folder.Dir, KeysPath(id)))
	if err == nil {
		return archive.ParseOpening(data)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return archive.Opening{}, err
	}
	keys, err := backup.OpenKeys(filepath.Join(w.Folder.Dir, backup.KeyFile))
	if err != nil {
		return archive.Opening{}, err
	}
	return keys.Opening()
}

func (w Worker) readFiles(o archive.Opening) (files []archive.File, err error) {
	r, err := w.reader(o)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if err := dump.Known(r.Header(), w.Schemas); err != nil {
		return nil, err
	}
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		if e.File == "" {
			continue // Next reads it to its end
		}
		data, err := io.ReadAll(e)
		if err != nil {
			return nil, err
		}
		files = append(files, archive.File{Name: e.File, Data: data})
	}
}

func (w Worker) reader(o archive.Opening) (*archive.Reader, error) {
	if w.Archive == nil {
		return nil, errors.New("no archive was handed over")
	}
	return archive.NewReader(w.Archive, o)
}

// load makes a database of the archive, with today's schema and this node's network interfaces.
func (w Worker) load(ctx context.Context, r request) error {
	if r.Name != Restored && r.Name != Verified {
		return fmt.Errorf("the database %s is not one that an archive is loaded into", r.Name)
	}
	opening, err := archive.ParseOpening(r.Opening)
	if err != nil {
		return err
	}
	if err := w.room(ctx, opening); err != nil {
		return err
	}
	in, err := w.reader(opening)
	if err != nil {
		return err
	}
	defer in.Close()
	if r.Name == Restored {
		if err := w.Cluster.Ensure(ctx, db.OwnerRole); err != nil {
			return err
		}
	}
	target := dump.Target{Admin: w.Cluster.Address("postgres"), Name: w.Cluster.Prefix + r.Name, Owner: db.OwnerRole}
	if _, err := dump.Load(ctx, in, target, w.Schemas, dump.Options{}); err != nil {
		return err
	}
	return w.Cluster.MapLinks(ctx, r.Name, r.Plan.Links)
}
