package ctl

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"gateway/internal/app"
	"gateway/internal/applier"
	"gateway/internal/audit"
	"gateway/internal/db"
	"gateway/internal/sys"
)

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
	cmd.Flags().StringVar(&anchors, "anchors", anchors, "the anchor `FILE`")
	return cmd
}

// verified is what a check of the audit log found.
type verified struct {
	Entries  int64      `json:"entries"`
	Anchors  int        `json:"anchors"`
	Unproven int64      `json:"not_anchored"`
	Breaks   []string   `json:"breaks"`
	Heads    []chainEnd `json:"ends"`
}

// chainEnd is what an operator can keep elsewhere, against a log rewritten as a whole.
type chainEnd struct {
	Node string `json:"node"`
	Seq  int64  `json:"entry"`
	Hash string `json:"hash"`
}

func report(cmd *cobra.Command, q db.DB, r audit.Report) error {
	heads, err := audit.Heads(cmd.Context(), q)
	if err != nil {
		return err
	}
	v := verified{Entries: r.Entries, Anchors: r.Anchors, Unproven: r.Unproven, Breaks: []string{}, Heads: []chainEnd{}}
	for _, b := range r.Breaks {
		v.Breaks = append(v.Breaks, b.String())
	}
	for _, h := range heads {
		v.Heads = append(v.Heads, chainEnd{h.NodeID, h.Seq, fmt.Sprintf("%x", h.Hash)})
	}
	if err := say(cmd, v, v.print); err != nil || len(v.Breaks) == 0 {
		return err
	}
	return verdict(exitFailed, "the audit log was tampered with in %d place(s)", len(v.Breaks))
}

func (v verified) print(w io.Writer) {
	for _, b := range v.Breaks {
		fmt.Fprintln(w, shown(b))
	}
	if len(v.Breaks) > 0 {
		return
	}
	fmt.Fprintf(w, "%d entries, every chain is intact; %d anchors match\n", v.Entries, v.Anchors)
	if v.Unproven > 0 {
		fmt.Fprintf(w, "%d entries are not anchored yet\n", v.Unproven)
	}
	for _, h := range v.Heads {
		fmt.Fprintf(w, "node %s ends at entry %d, hash %s\n", h.Node, h.Seq, h.Hash)
	}
}
