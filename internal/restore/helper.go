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
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"gateway/internal/audit"
	"gateway/internal/fault"
	"gateway/internal/sys"
)

// The system users that a restore's steps run as. Root only says which is next: it reads no archive,
// no row and no file of the others.
const (
	ClusterUser = "postgres"
	FolderUser  = "gateway"
)

// HelperCommand is what gateway-ctl calls a step that runs as another user.
const HelperCommand = "restore-helper"

// Helpers runs each step in a process of its own, as the user who may do it and no more.
type Helpers struct {
	Run     sys.Runner
	Program string
	// State is the state folder. The archive is opened in it and handed to the helpers, so that all
	// of them read the same file.
	State *os.Root
	// Anchors is the file with what gateway-apply saw of the audit log, which only root can read.
	Anchors string

	mu      sync.Mutex
	archive *os.File
	opening []byte // its key, which the helper of the folder's user found
}

// request is all that a helper can be told.
type request struct {
	Plan    Plan   `json:"plan"`
	From    string `json:"from,omitempty"`
	To      string `json:"to,omitempty"`
	Name    string `json:"name,omitempty"`
	Note    Note   `json:"note"`
	Opening []byte `json:"opening,omitempty"`
	State   *State `json:"state,omitempty"`
	// Anchors say which audit log is that of this node.
	Anchors []audit.Anchored `json:"anchors,omitempty"`
	// Passphrase is for an archive of another node.
	Passphrase string `json:"passphrase,omitempty"`
	// Options and Answer are what an operator says on the node itself.
	Options Options `json:"options"`
	Answer  Answer  `json:"answer,omitempty"`
}

// reply is what it answers.
type reply struct {
	Names   *Names          `json:"names,omitempty"`
	Opening []byte          `json:"opening,omitempty"`
	Found   []string        `json:"found,omitempty"`
	ID      string          `json:"id,omitempty"`
	State   *State          `json:"state,omitempty"`
	Preview *Preview        `json:"preview,omitempty"`
	Error   *fault.Sentence `json:"error,omitempty"`
}

// timeFor is how long a step may take before it is ended: the node may be down meanwhile, and a step that hangs, as on
// a lock in the database, must not hold it there. Only reading all of an archive takes long.
func timeFor(op string) time.Duration {
	switch op {
	case "stage", "load", "render", "import", "snapshot":
		return 30 * time.Minute
	case "drop": // a checkpoint, and as many files as there are
		return 10 * time.Minute
	case "carry", "swap", "swap-back":
		return 5 * time.Minute
	case "preview": // as for the API; the restore goes on without
		return 2 * time.Minute
	}
	return time.Minute
}

// ResumeWithin is the longest that a resume can take at boot until the services may start. The unit must wait that long:
// ended between the files and the databases, it would let them start on a mixture.
func ResumeWithin() time.Duration {
	const tells, stops = 8, 5 * 90 * time.Second // systemd ends a service that does not stop
	limit := clusterWithin + stops + carryBackWithin + tells*timeFor("tell")
	for _, op := range []string{"names", "names", "back", "swap-back", "note", "back"} {
		limit += timeFor(op)
	}
	return limit
}

// ask runs one helper. What it refuses comes back in its own words.
func (h *Helpers) ask(ctx context.Context, user, op string, r request, files ...*os.File) (a reply, err error) {
	in, err := json.Marshal(r)
	if err != nil {
		return a, err
	}
	limit := timeFor(op)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it did not end within %s", limit))
	defer cancel()
	res, err := h.Run(ctx, sys.Command{Path: h.Program, Args: []string{HelperCommand, op}, Stdin: in, User: user, Files: files})
	if err != nil {
		return a, fmt.Errorf("%s as %s: %w", op, user, err)
	}
	if err := json.Unmarshal(res.Stdout, &a); err != nil {
		return a, fmt.Errorf("%s as %s: read the answer: %w", op, user, err)
	}
	if a.Error != nil {
		return a, a.Error
	}
	return a, nil
}

// open returns the archive, once opened; a link or device in its place is refused.
func (h *Helpers) open(id string) (*os.File, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.archive != nil {
		return h.archive, nil
	}
	f, err := openPlain(h.State, ArchivePath(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Say("the archive of this backup is missing")
	}
	if err != nil {
		return nil, err
	}
	h.archive = f
	return f, nil
}

// openPlain opens a regular file in a folder whose owner we do not trust: no link leads to another file, no pipe in the
// file's place makes us wait, and nobody else's file is taken for one of the folder.
func openPlain(root *os.Root, name string) (*os.File, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if err := plain(root, name, f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func plain(root *os.Root, name string, f *os.File) error {
	opened, err := f.Stat()
	if err != nil {
		return err
	}
	there, err := root.Lstat(name)
	if err != nil {
		return err
	}
	if !opened.Mode().IsRegular() || !os.SameFile(opened, there) { // what is opened by a link is not what is there
		return fmt.Errorf("%s is not a regular file", name)
	}
	folder, err := root.Stat(".")
	if err != nil {
		return err
	}
	if owner := ownerOf(opened); owner != 0 && owner != ownerOf(folder) {
		return fmt.Errorf("%s belongs neither to root nor to the owner of its folder", name)
	}
	return nil
}

func ownerOf(info fs.FileInfo) uint32 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Uid
	}
	return ^uint32(0)
}

// HasArchive refuses a backup whose archive is not in the state folder.
func HasArchive(root *os.Root, id string) error {
	if !idForm.MatchString(id) {
		return errNoID()
	}
	f, err := openPlain(root, ArchivePath(id))
	if errors.Is(err, fs.ErrNotExist) {
		return errNoArchive()
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// maxNote bounds what root reads of the files by which the API speaks to it.
const maxNote = 64 << 10

// ReadNote reads such a file.
func ReadNote(root *os.Root, name string) ([]byte, error) {
	f, err := openPlain(root, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxNote))
}

// ArchivePath is where the archive of a backup lies below the state folder.
func ArchivePath(id string) string { return filepath.Join("backups", id+".gwb") }

// KeysPath is the key of an archive of another node, beside it.
func KeysPath(id string) string { return filepath.Join("backups", id+".keys") }

// Close closes the archive.
func (h *Helpers) Close() error {
	if h.archive == nil {
		return nil
	}
	return h.archive.Close()
}

// RemoteDatabases are the steps that run as the superuser of the cluster.
type RemoteDatabases struct{ *Helpers }

func (d RemoteDatabases) do(ctx context.Context, op string, r request) error {
	_, err := d.ask(ctx, ClusterUser, op, r)
	return err
}

// Names is Cluster's.
func (d RemoteDatabases) Names(ctx context.Context) (Names, error) {
	a, err := d.ask(ctx, ClusterUser, "names", request{})
	if err != nil {
		return Names{}, err
	}
	if a.Names == nil {
		return Names{}, errors.New("the helper does not say which databases there are")
	}
	return *a.Names, nil
}

// Load makes the database Restored.
func (d RemoteDatabases) Load(ctx context.Context, p Plan) error { return d.LoadInto(ctx, p, Restored) }

// LoadInto makes a database of the archive.
func (d RemoteDatabases) LoadInto(ctx context.Context, p Plan, name string) error {
	f, err := d.open(p.ID)
	if err != nil {
		return err
	}
	_, err = d.ask(ctx, ClusterUser, "load", request{Plan: p, Name: name, Opening: d.opening}, f)
	return err
}

// Carry is Cluster's. What came out of an archive is held against the anchors; what goes back to the old database is not,
// as nothing keeps that from coming back.
func (d RemoteDatabases) Carry(ctx context.Context, from, to string, n Note) error {
	r := request{From: from, To: to, Note: n}
	if to == Restored {
		var err error
		if r.Anchors, err = audit.ReadAnchors(d.Anchors); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("read the anchors of the audit log: %w", err)
		}
	}
	return d.do(ctx, "carry", r)
}

// Note is Cluster's.
func (d RemoteDatabases) Note(ctx context.Context, n Note) error {
	return d.do(ctx, "note", request{Note: n})
}

// Swap is Cluster's.
func (d RemoteDatabases) Swap(ctx context.Context) error { return d.do(ctx, "swap", request{}) }

// SwapBack is Cluster's.
func (d RemoteDatabases) SwapBack(ctx context.Context) error {
	return d.do(ctx, "swap-back", request{})
}

// Drop is Cluster's.
func (d RemoteDatabases) Drop(ctx context.Context, name string) error {
	return d.do(ctx, "drop", request{Name: name})
}

// RemoteFiles are the steps that run as the owner of the state folder.
type RemoteFiles struct{ *Helpers }

func (f RemoteFiles) do(ctx context.Context, op string, r request) error {
	_, err := f.ask(ctx, FolderUser, op, r)
	return err
}

// Stage reads all of the archive, and stages its files when all of it is right.
func (f RemoteFiles) Stage(ctx context.Context, p Plan) error { return f.StageFor(ctx, p, Restored) }

// StageFor stages the files of the archive for a database that it is loaded into.
func (f RemoteFiles) StageFor(ctx context.Context, p Plan, database string) error {
	file, err := f.open(p.ID)
	if err != nil {
		return err
	}
	a, err := f.ask(ctx, FolderUser, "stage", request{Plan: p, Name: database}, file)
	f.opening = a.Opening
	return err
}

// Forward is Folder's.
func (f RemoteFiles) Forward(ctx context.Context) error { return f.do(ctx, "forward", request{}) }

// Back is Folder's.
func (f RemoteFiles) Back(ctx context.Context) error { return f.do(ctx, "back", request{}) }

// Clean is Folder's; it also removes what the restore that is over was asked and answered.
func (f RemoteFiles) Clean(ctx context.Context, p Plan) error {
	return f.do(ctx, "clean", request{Name: Restored, Plan: p})
}

// CleanFor removes what was staged for a database.
func (f RemoteFiles) CleanFor(ctx context.Context, database string) error {
	return f.do(ctx, "clean", request{Name: database})
}

// Tell writes the state where the API reads it.
func (f RemoteFiles) Tell(ctx context.Context, s State) error {
	return f.do(ctx, "tell", request{State: &s})
}

// Render has every renderer run on a database. It returns what one of them could not use.
func (f RemoteFiles) Render(ctx context.Context, database string) ([]string, error) {
	a, err := f.ask(ctx, FolderUser, "render", request{Name: database})
	return a.Found, err
}

// Import puts an archive that an operator brought beside the others, and returns its id. Without a passphrase it
// must be one of this node.
func (f RemoteFiles) Import(ctx context.Context, archive *os.File, passphrase string) (id string, err error) {
	a, err := f.ask(ctx, FolderUser, "import", request{Passphrase: passphrase}, archive)
	if err == nil && !idForm.MatchString(a.ID) {
		err = errors.New("the helper does not say which archive it is")
	}
	return a.ID, err
}

// Request leaves what an operator of this node asked for where the unit reads it.
func (f RemoteFiles) Request(ctx context.Context, p Plan, o Options) error {
	return f.do(ctx, "request", request{Plan: p, Options: o})
}

// Say answers the restore that waits.
func (f RemoteFiles) Say(ctx context.Context, a Answer) (State, error) {
	r, err := f.ask(ctx, FolderUser, "answer", request{Answer: a})
	if err != nil {
		return State{}, err
	}
	if r.State == nil || !idForm.MatchString(r.State.Backup) {
		return State{}, errors.New("the helper does not say which restore waits")
	}
	return *r.State, nil
}

// Preview says what a restore would change.
func (f RemoteFiles) Preview(ctx context.Context, id string) (Preview, error) {
	a, err := f.ask(ctx, FolderUser, "preview", request{Plan: Plan{ID: id}})
	if err == nil && a.Preview == nil {
		err = errors.New("the helper does not say what would change")
	}
	if err != nil {
		return Preview{}, err
	}
	return *a.Preview, nil
}

// Snapshot backs up what there is now.
func (f RemoteFiles) Snapshot(ctx context.Context) error { return f.do(ctx, "snapshot", request{}) }

// Answer reads what an operator said to the restore of this archive.
func (f RemoteFiles) Answer(_ context.Context, id string) (Answer, error) {
	data, err := ReadNote(f.State, AnswerFile)
	if errors.Is(err, fs.ErrNotExist) {
		return NoAnswer, nil
	}
	if err != nil {
		return NoAnswer, err
	}
	return parseAnswer(data, id)
}
