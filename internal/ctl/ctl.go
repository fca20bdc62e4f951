// Package ctl is the local command line: what an operator does on the node itself,
// also when nothing else answers. Whatever can wait for a signed-in admin is left to the API.
package ctl

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"gateway/internal/app"
	"gateway/internal/applier"
	"gateway/internal/audit"
	"gateway/internal/auth"
	"gateway/internal/db"
	"gateway/internal/setupstate"
	"gateway/internal/sys"
	"gateway/internal/version"
)

// New returns the command with its sub-commands.
func New() *cobra.Command {
	cfg := app.Defaults()
	root := &cobra.Command{
		Use:           "gateway-ctl",
		Short:         "Local administration of this gateway node",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.PersistentFlags().StringVar(&cfg.StateDir, "state-dir", cfg.StateDir, "directory of keys and setup state")
	root.PersistentFlags().StringVar(&cfg.Database, "database", cfg.Database, "address of the database")
	root.AddCommand(changeCommands(&cfg)...)
	root.AddCommand(configCommands(&cfg)...)
	root.AddCommand(setupCode(&cfg), resetPassword(&cfg), auditVerify(&cfg), migrateCommand(), &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		Run: func(cmd *cobra.Command, _ []string) { cmd.Println(version.Version) },
	})
	root.SetOut(os.Stdout)
	return root
}

func setupCode(cfg *app.Config) *cobra.Command {
	return &cobra.Command{
		Use: "setup-code", Short: "Print the one-time code for /setup", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			state, err := load(cfg)
			if err != nil {
				return err
			}
			if state.Complete {
				return errors.New("this node is already set up; its setup code is no longer valid")
			}
			code, _, err := auth.EnsureSetupCode(cfg.SetupCode())
			if err != nil {
				return err
			}
			cmd.Println(code.Reveal())
			return nil
		},
	}
}

func resetPassword(cfg *app.Config) *cobra.Command {
	return &cobra.Command{
		Use: "reset-password", Short: "Create a token to reset the administrator's password", Args: cobra.NoArgs,
		Long: "Creates a single-use token, valid for 30 minutes, to enter on the sign-in page under \"forgot password\",\n" +
			"or to send to POST /api/v1/auth/reset-password. Only the token is printed on standard output.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			state, err := load(cfg)
			if err != nil {
				return err
			}
			if state.Admin == nil {
				return errors.New("this node has no local administrator: set it up first, or reset the password on the primary node")
			}
			token, err := auth.CreateResetToken(cfg.ResetToken(), time.Now())
			if err != nil {
				return err
			}
			cmd.PrintErrf("Sets the password of %s, once, within %d minutes:\n", state.Admin.Email, int(auth.ResetLife.Minutes()))
			cmd.Println(token.Reveal())
			return nil
		},
	}
}

func load(cfg *app.Config) (setupstate.State, error) {
	store, err := setupstate.Open(cfg.SetupStore())
	if err != nil {
		return setupstate.State{}, err
	}
	return store.Load()
}

func auditVerify(cfg *app.Config) *cobra.Command {
	anchors := filepath.Join(applier.Defaults().StateDir, audit.AnchorFile)
	cmd := &cobra.Command{
		Use: "audit-verify", Short: "Verify that no audit entry was altered or removed", Args: cobra.NoArgs,
		Long: "Recomputes every chain of the audit log, and compares it with the anchors that gateway-apply keeps\n" +
			"outside the database. Run it as root: nobody else can read them.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			kept, err := audit.ReadAnchors(anchors) // while still root
			if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
				return err
			}
			if err != nil {
				cmd.PrintErrf("There are no anchors to compare with (%v): only the chain itself is checked.\n", err)
			}
			if err := becomeOwner(cfg.StateDir); err != nil {
				return err
			}
			pool, err := db.OpenPatient(cfg.Database)
			if err != nil {
				return err
			}
			defer pool.Close()
			health, err := sys.NewHost(time.Now).Health()
			if err != nil {
				return fmt.Errorf("read machine: %w", err)
			}
			r, err := audit.Compare(cmd.Context(), pool, health.MachineID, kept)
			if err != nil {
				return err
			}
			return report(cmd, pool, r)
		},
	}
	cmd.Flags().StringVar(&anchors, "anchors", anchors, "the anchor file")
	return cmd
}

func report(cmd *cobra.Command, q db.DB, r audit.Report) error {
	for _, b := range r.Breaks {
		cmd.Println(b)
	}
	if len(r.Breaks) > 0 {
		return fmt.Errorf("the audit log was tampered with in %d place(s)", len(r.Breaks))
	}
	cmd.Printf("%d entries, every chain is intact; %d anchors match\n", r.Entries, r.Anchors)
	if r.Unproven > 0 {
		cmd.Printf("%d entries are not anchored yet\n", r.Unproven)
	}
	return printHeads(cmd, q)
}

// printHeads gives the operator what to keep elsewhere, against a log rewritten as a whole.
func printHeads(cmd *cobra.Command, q db.DB) error {
	heads, err := audit.Heads(cmd.Context(), q)
	for _, h := range heads {
		cmd.Printf("node %s ends at entry %d, hash %x\n", h.NodeID, h.Seq, h.Hash)
	}
	return err
}

// becomeOwner gives up root for the user who owns the state folder: PostgreSQL
// knows that user, and reading a log needs no more.
func becomeOwner(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("state folder: %w", err)
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || os.Geteuid() != 0 || owner.Uid == 0 {
		return nil
	}
	u, err := user.LookupId(strconv.Itoa(int(owner.Uid)))
	if err != nil {
		return fmt.Errorf("owner of %s: %w", dir, err)
	}
	gid, err := strconv.Atoi(u.Gid)
	if err != nil {
		return fmt.Errorf("group of %s: %w", u.Username, err)
	}
	if err := errors.Join(syscall.Setgroups([]int{gid}), syscall.Setgid(gid), syscall.Setuid(int(owner.Uid))); err != nil {
		return fmt.Errorf("become %s: %w", u.Username, err)
	}
	return nil
}
