package ctl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gateway/internal/app"
	"gateway/internal/fault"
	"gateway/internal/process"
	"gateway/internal/restore"
	"gateway/internal/sys"
)

// restoring is how a backup is to be restored.
type restoring struct {
	passphraseFile string
	links          []string
	within         int
}

func restoreCommand(cfg *app.Config) *cobra.Command {
	var r restoring
	cmd := &cobra.Command{
		Use: "restore BACKUP|status|confirm|undo", Short: "Restore a backup, and confirm or undo it", Args: cobra.ExactArgs(1),
		Long: "Replaces the database and the state files by those of a backup, and applies them. BACKUP is the id of a\n" +
			"backup of this node, or an archive file; an archive of another node needs its passphrase.\n" +
			"The current state is backed up first, where that is possible. Works while the API and the database are away.\n\n" +
			"All sessions end. Unless the restore is confirmed in time (\"restore confirm\", or in the UI), the\n" +
			"state from before comes back; \"restore undo\" brings it back at once. \"restore status\" shows the steps.",
		Example: "gateway-ctl restore 0198c0de-0000-7000-8000-000000000001\n" +
			"gateway-ctl restore /root/archive.gwb --passphrase-file /root/passphrase --link eth0=enp1s0\n" +
			"gateway-ctl restore confirm",
		RunE: func(cmd *cobra.Command, args []string) error {
			switch args[0] {
			case "status":
				return restoreStatus(cmd, cfg)
			case "confirm":
				return answerRestore(cmd, cfg, restore.Confirm)
			case "undo":
				return answerRestore(cmd, cfg, restore.Undo)
			}
			return r.begin(cmd, cfg, args[0])
		},
	}
	cmd.Flags().StringVar(&r.passphraseFile, "passphrase-file", "", "`FILE` with the passphrase of another node's archive")
	cmd.Flags().StringArrayVar(&r.links, "link", nil, "network interface of the backup and of this node, as `OLD=NEW`; may be repeated")
	cmd.Flags().IntVar(&r.within, "confirm-within", 600, "undo automatically unless confirmed within this many `SECONDS` (120 to 3600)")
	return cmd
}

func (r restoring) options() (o restore.Options, err error) {
	o = restore.Options{ConfirmWithin: r.within, Links: map[string]string{}}
	for _, l := range r.links {
		from, to, ok := strings.Cut(l, "=")
		if !ok {
			return o, fmt.Errorf("--link %q must be OLD=NEW", l)
		}
		o.Links[from] = to
	}
	return o, nil
}

var backupID = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

func (r restoring) begin(cmd *cobra.Command, cfg *app.Config, what string) error {
	o, err := r.options()
	if err != nil {
		return usage(cmd, err)
	}
	if os.Geteuid() != 0 {
		return errors.New("run this as root")
	}
	h, err := newHelpers(cfg)
	if err != nil {
		return err
	}
	defer h.Close()
	if err := noneElse(restoreJournal(), ""); err != nil {
		return err
	}
	files := restore.RemoteFiles{Helpers: h}
	id := what
	if !backupID.MatchString(what) {
		if id, err = r.bring(cmd.Context(), files, what); err != nil {
			return err
		}
	} else if err := restore.HasArchive(h.State, id); err != nil {
		return err
	}
	nameAccounts(cmd, func(ctx context.Context) (restore.Preview, error) { return files.Preview(ctx, id) })
	snapshot(cmd, files.Snapshot)
	if err := noneElse(restoreJournal(), ""); err != nil { // the backup took its time
		return err
	}
	if err := files.Request(cmd.Context(), restore.Plan{ID: id, Actor: "local"}, o); err != nil {
		return err
	}
	begun := time.Now()
	if err := startRestore(cmd.Context(), id); err != nil {
		return err
	}
	return follow(cmd, cfg, id, begun)
}

// nameAccounts says whose access, password or second factor changes. Where that cannot be found out, as without a database, the
// restore is the more urgent one.
func nameAccounts(cmd *cobra.Command, preview func(context.Context) (restore.Preview, error)) {
	p, err := preview(cmd.Context())
	if err != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "The accounts of the backup were not compared with those of now: %s\n", shown(explain(err)))
		return
	}
	if len(p.Accounts) == 0 {
		return
	}
	fmt.Fprintln(cmd.ErrOrStderr(), "Accounts whose access, password or second factor changes:")
	for _, a := range p.Accounts {
		line := a.Email + ": " + a.Now
		if a.After != a.Now {
			line += " -> " + a.After
		}
		if a.Password {
			line += ", password of the backup"
		}
		switch a.SecondFactor {
		case "removed":
			line += ", no second factor any more"
		case "changed", "returned":
			line += ", second factor of the backup"
		}
		fmt.Fprintln(cmd.ErrOrStderr(), "  "+shown(line))
	}
}

// snapshot backs up what there is now, as a restore by the API does. Where that is not possible, as without a database, the
// restore is the more urgent one, and whoever asked for it is told.
func snapshot(cmd *cobra.Command, do func(context.Context) error) {
	tell(cmd, "backing up the current state\n")
	if err := do(cmd.Context()); err != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "No backup of the current state was made: %s\nOnce the restore is confirmed, that state is gone.\n", shown(explain(err)))
	}
}

// bring has an archive file taken over.
func (r restoring) bring(ctx context.Context, files restore.RemoteFiles, path string) (string, error) {
	passphrase := ""
	if r.passphraseFile != "" {
		data, err := os.ReadFile(r.passphraseFile)
		if err != nil {
			return "", fmt.Errorf("read the passphrase: %w", err)
		}
		passphrase = strings.TrimRight(string(data), "\r\n")
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("open the archive: %w", err)
	}
	defer f.Close()
	return files.Import(ctx, f, passphrase)
}

// lookAt is the restore under way, or the last one.
func lookAt(cfg *app.Config) (restore.State, error) {
	state, err := os.OpenRoot(cfg.StateDir)
	if err != nil {
		return restore.State{}, err
	}
	defer state.Close()
	return restore.LookAt(state)
}

func startRestore(ctx context.Context, id string) error {
	if !backupID.MatchString(id) {
		return fault.New(fault.Invalid, "the id of the archive must be a UUID")
	}
	units := sys.NewUnits()
	defer units.Close()
	return units.Start(ctx, "gateway-restore@"+id+".service")
}

// follow prints the steps until the restore waits for its confirmation, or is over.
func follow(cmd *cobra.Command, cfg *app.Config, id string, since time.Time) error {
	told := ""
	for {
		if err := noneElse(restoreJournal(), id); err != nil { // another one was faster, and the unit refused this one
			return err
		}
		s, err := lookAt(cfg)
		if err != nil {
			return err
		}
		if s.Started != nil && !s.Started.Before(since.Add(-time.Second)) {
			if s.Step != told && s.Step != "" {
				told = s.Step
				tell(cmd, "%s\n", shown(told))
			}
			if s.ConfirmUntil != nil || s.Finished != nil {
				return sayRestore(cmd, s)
			}
		}
		if !process.Pause(cmd.Context(), askEvery) {
			return errors.New("interrupted; the restore goes on: gateway-ctl restore status")
		}
	}
}

func restoreStatus(cmd *cobra.Command, cfg *app.Config) error {
	s, err := lookAt(cfg)
	if err != nil {
		return err
	}
	return say(cmd, s, func(w io.Writer) { printRestore(w, s) })
}

func sayRestore(cmd *cobra.Command, s restore.State) error {
	if err := say(cmd, s, func(w io.Writer) { printRestore(w, s) }); err != nil {
		return err
	}
	if s.Result == restore.Refused || s.Result == restore.Undone {
		return verdict(exitNotLive, "the backup was not restored")
	}
	return nil
}

func printRestore(w io.Writer, s restore.State) {
	if s.Started == nil {
		fmt.Fprintln(w, "No backup was restored on this node.")
		return
	}
	for _, step := range s.Steps {
		fmt.Fprintf(w, "%-10s %s\n", shown(step.Code), shown(step.State))
	}
	if s.Error != nil {
		fmt.Fprintln(w, shown(s.Error.Message))
	}
	switch {
	case s.ConfirmUntil != nil:
		fmt.Fprintf(w, "Undone at %s, %s, unless confirmed:\n  gateway-ctl restore confirm\n", s.ConfirmUntil.Local().Format(time.TimeOnly), in(*s.ConfirmUntil))
	case s.Result != "":
		fmt.Fprintln(w, shown(s.Result))
	}
}

// answerRestore also starts the job again, should somebody have stopped it.
func answerRestore(cmd *cobra.Command, cfg *app.Config, a restore.Answer) error {
	s, err := answer(cmd.Context(), cfg, a)
	if err != nil {
		return err
	}
	for s.Finished == nil {
		if !process.Pause(cmd.Context(), askEvery) {
			return errors.New("interrupted; see gateway-ctl restore status")
		}
		if s, err = lookAt(cfg); err != nil {
			return err
		}
	}
	return say(cmd, s, func(w io.Writer) { printRestore(w, s) })
}

// answer writes as the owner of the folder: whoever that is, root writes nothing where a link of theirs leads.
func answer(ctx context.Context, cfg *app.Config, a restore.Answer) (restore.State, error) {
	if os.Geteuid() != 0 {
		return restore.WriteAnswer(cfg.StateDir, a)
	}
	h, err := newHelpers(cfg)
	if err != nil {
		return restore.State{}, err
	}
	defer h.Close()
	s, err := restore.RemoteFiles{Helpers: h}.Say(ctx, a)
	if err != nil {
		return s, err
	}
	return s, startRestore(ctx, s.Backup)
}
