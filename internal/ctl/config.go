package ctl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"gateway/internal/app"
	"gateway/internal/export"
	"gateway/internal/intent"
)

func getter(l *app.Local) export.Getter {
	return func(ctx context.Context, path string) (json.RawMessage, error) {
		answer, err := l.Do(ctx, http.MethodGet, path, nil, nil)
		return answer.Data, err
	}
}

func exportConfig(cfg *app.Config) *cobra.Command {
	return &cobra.Command{
		Use: "export", Short: "Print the configuration as one YAML document, without secrets", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return local(cmd, cfg, func(ctx context.Context, l *app.Local) error {
				doc, err := export.Write(ctx, getter(l), l.Managed())
				if err != nil {
					return err
				}
				var data map[string]any
				if err := yaml.Unmarshal(doc, &data); err != nil {
					return fmt.Errorf("read the document: %w", err)
				}
				return say(cmd, data, func(w io.Writer) { _, _ = w.Write(doc) })
			})
		},
	}
}

// how an apply is to be done.
type how struct {
	dry, wait bool
	within    int
	reason    string
}

func (h how) header() http.Header {
	header := http.Header{"Gateway-Reason": {h.reason}}
	if h.within > 0 {
		header.Set("Gateway-Confirm-Within", strconv.Itoa(h.within))
	}
	if h.dry {
		header.Set("Gateway-Dry-Run", "true")
	}
	return header
}

func applyConfig(cfg *app.Config) *cobra.Command {
	var h how
	cmd := &cobra.Command{
		Use: "apply FILE", Short: "Apply a configuration file", Args: cobra.ExactArgs(1),
		Long: "Prints the plan, then runs it as one change. Kinds and settings that the file does not mention\n" +
			"are kept; of a kind that it lists, objects that are not in the list are removed.\n" +
			"FILE may be - for standard input.\n\n" +
			"With --confirm-within the change is reverted automatically unless it is confirmed in time: the deadline and\n" +
			"the command that confirms are printed. With --wait the command ends when the change was confirmed (0) or\n" +
			"reverted (6), by whomever.",
		Example: "gateway-ctl apply config.yaml --dry-run\n" +
			"gateway-ctl apply config.yaml --confirm-within 90 --wait",
		RunE: func(cmd *cobra.Command, args []string) error {
			if h.wait && h.within == 0 {
				return usage(cmd, errors.New("--wait needs --confirm-within"))
			}
			doc, err := readFile(cmd, args[0])
			if err != nil {
				return err
			}
			return local(cmd, cfg, func(ctx context.Context, l *app.Local) error {
				return applyDocument(ctx, cmd, l, doc, h)
			})
		},
	}
	cmd.Flags().BoolVar(&h.dry, "dry-run", false, "print the plan and the file changes, and change nothing")
	cmd.Flags().IntVar(&h.within, "confirm-within", 0, "revert automatically unless confirmed within this many `SECONDS` (5 to 3600)")
	cmd.Flags().BoolVar(&h.wait, "wait", false, "with --confirm-within: wait until the change is confirmed or reverted")
	cmd.Flags().StringVar(&h.reason, "reason", "", "reason, a `TEXT` for the history")
	return cmd
}

// readFile reads before the process becomes somebody who may not read the file.
func readFile(cmd *cobra.Command, path string) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(cmd.InOrStdin())
	}
	doc, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the document: %w", err)
	}
	return doc, nil
}

// plan is what applying a file does, or did.
type plan struct {
	Steps  []step         `json:"plan"`
	Counts counts         `json:"counts"`
	Files  []intent.File  `json:"files,omitempty"` // of a dry run
	Done   *outcome       `json:"outcome"`
	run    []*export.Step // what to send
}

type step struct {
	Sign string `json:"sign"` // + ~ -
	What string `json:"what"`
	How  string `json:"how,omitempty"`
}

type counts struct {
	Add    int `json:"add"`
	Change int `json:"change"`
	Remove int `json:"remove"`
}

func newPlan(steps []export.Step) *plan {
	p := &plan{Steps: []step{}}
	for i, s := range steps {
		p.run = append(p.run, &steps[i])
		p.Steps = append(p.Steps, step{string(s.Sign), s.What, s.How})
		switch s.Sign {
		case '+':
			p.Counts.Add++
		case '~':
			p.Counts.Change++
		default:
			p.Counts.Remove++
		}
	}
	return p
}

func applyDocument(ctx context.Context, cmd *cobra.Command, l *app.Local, doc []byte, h how) error {
	steps, err := export.Plan(ctx, getter(l), l.Managed(), doc)
	if err != nil {
		return err
	}
	p := newPlan(steps)
	for _, s := range p.run {
		tell(cmd, "%s\n", s)
	}
	tell(cmd, "%d to add, %d to change, %d to remove\n", p.Counts.Add, p.Counts.Change, p.Counts.Remove)
	if len(steps) == 0 {
		return say(cmd, p, func(io.Writer) {})
	}
	answer, err := l.Do(ctx, http.MethodPost, "/batch", h.header(), map[string]any{"operations": p.run})
	if err != nil {
		return err
	}
	if h.dry {
		return p.dry(cmd, answer)
	}
	return p.finish(ctx, cmd, l, answer, h.wait)
}

func (p *plan) dry(cmd *cobra.Command, answer app.Answer) error {
	var would intent.Plan
	if err := json.Unmarshal(answer.Data, &would); err != nil {
		return fmt.Errorf("read the plan: %w", err)
	}
	p.Files = would.Files
	return say(cmd, p, func(w io.Writer) {
		for _, f := range p.Files {
			fmt.Fprint(w, "\n"+shown(strings.TrimRight(f.Diff, "\n"))+"\n")
		}
	})
}

// finish says how far it got, until when it can be confirmed, and how that ended.
func (p *plan) finish(ctx context.Context, cmd *cobra.Command, l *app.Local, answer app.Answer, wait bool) (err error) {
	o := outcomeOf(answer.Header)
	p.Done = &o
	if o.live() {
		if o.Confirm, err = confirmationOf(ctx, l, o.Change); err != nil {
			return err
		}
	}
	if !asJSON(cmd) {
		o.print(cmd.OutOrStdout())
		o.Confirm.print(cmd.OutOrStdout())
	}
	if wait && o.Confirm.waiting() {
		if err := o.Confirm.await(ctx, l, o.Change); err != nil {
			return err
		}
	}
	err = say(cmd, p, func(w io.Writer) {
		if wait && o.Confirm != nil {
			fmt.Fprintln(w, o.Confirm.State)
		}
	})
	return errors.Join(err, o.verdict(), o.Confirm.verdict(o.Change))
}
