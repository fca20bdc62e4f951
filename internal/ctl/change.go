package ctl

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"gateway/internal/app"
	"gateway/internal/change"
)

func listChanges(cfg *app.Config) *cobra.Command {
	var limit int
	var component string
	var waiting bool
	cmd := &cobra.Command{
		Use: "changes", Short: "List the latest changes of the configuration", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return local(cmd, cfg, func(ctx context.Context, l *app.Local) error {
				q := url.Values{"limit": {strconv.Itoa(limit)}, "component": {component}, "waiting": {strconv.FormatBool(waiting)}}
				var found []change.Record
				if err := get(ctx, l, "/changes?"+q.Encode(), &found); err != nil {
					return err
				}
				return say(cmd, found, func(w io.Writer) { printChanges(w, found) })
			})
		},
	}
	cmd.Flags().IntVarP(&limit, "lines", "n", 20, "maximum `NUMBER` to list")
	cmd.Flags().StringVar(&component, "component", "", "only changes of this `COMPONENT`")
	cmd.Flags().BoolVar(&waiting, "waiting", false, "only those waiting for confirmation")
	return cmd
}

// get reads what an operation answers.
func get(ctx context.Context, l *app.Local, path string, into any) error {
	answer, err := l.Do(ctx, http.MethodGet, path, nil, nil)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(answer.Data, into); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

func printChanges(out io.Writer, found []change.Record) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tWHEN\tWHO\tWHAT\tSTATE")
	for _, c := range found {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s %s\t%s\n", c.ID, c.CreatedAt.Local().Format(time.DateTime), cell(c.Actor), cell(c.Action), cell(c.Subject), cell(state(c)))
	}
	_ = w.Flush() // nobody reads any more
}

func state(c change.Record) string {
	switch {
	case c.ConfirmState != nil && *c.ConfirmState == change.Waiting:
		return "waiting for confirmation"
	case c.RevertedBy != nil:
		return "reverted"
	case c.Apply != nil:
		return *c.Apply
	default:
		return "stored"
	}
}

func confirmChange(cfg *app.Config) *cobra.Command {
	return &cobra.Command{
		Use: "confirm ID", Short: "Confirm a change that is waiting for confirmation", Args: cobra.ExactArgs(1),
		Long:              "Confirms a change, so that it is not reverted. \"gateway-ctl changes --waiting\" lists what is waiting.",
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			return local(cmd, cfg, func(ctx context.Context, l *app.Local) error {
				answer, err := l.Do(ctx, http.MethodPost, "/changes/"+url.PathEscape(args[0])+"/confirm", nil, nil)
				if err != nil {
					return err
				}
				return say(cmd, answer.Data, func(w io.Writer) { fmt.Fprintln(w, "kept") })
			})
		},
	}
}

func revertChange(cfg *app.Config) *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use: "revert ID", Short: "Revert one change; later changes are kept", Args: cobra.ExactArgs(1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			return local(cmd, cfg, func(ctx context.Context, l *app.Local) error {
				answer, err := l.Do(ctx, http.MethodPost, "/changes/"+url.PathEscape(args[0])+"/revert", http.Header{"Gateway-Reason": {reason}}, nil)
				if err != nil {
					return err
				}
				o := outcomeOf(answer.Header)
				if err := say(cmd, o, o.print); err != nil {
					return err
				}
				return o.verdict()
			})
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "reason, a `TEXT` for the history")
	return cmd
}

// outcome is how far a change got.
type outcome struct {
	Change  string        `json:"change,omitempty"`
	Apply   string        `json:"apply,omitempty"`
	Reason  string        `json:"apply_reason,omitempty"`
	Confirm *confirmation `json:"confirmation,omitempty"`
}

func outcomeOf(h http.Header) outcome {
	return outcome{Change: h.Get("Gateway-Change"), Apply: h.Get("Gateway-Apply"), Reason: h.Get("Gateway-Apply-Reason")}
}

func (o outcome) live() bool { return o.Apply == "" || o.Apply == "live" }

func (o outcome) print(w io.Writer) {
	if o.live() {
		fmt.Fprintf(w, "done, as change %s\n", o.Change)
	}
}

// verdict is an error to a script when the change is not live.
func (o outcome) verdict() error {
	if o.live() {
		return nil
	}
	return verdict(exitNotLive, "saved as change %s, but not applied (%s): %s", o.Change, o.Apply, o.Reason)
}

func renderConfig(cfg *app.Config) *cobra.Command {
	return &cobra.Command{
		Use: "render-config", Short: "Render and apply every component again", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return local(cmd, cfg, func(ctx context.Context, l *app.Local) error {
				answer, err := l.Do(ctx, http.MethodPost, "/system/render-configs", nil, nil)
				if err != nil {
					return err
				}
				var r rendered
				if err := json.Unmarshal(answer.Data, &r); err != nil {
					return fmt.Errorf("read the response: %w", err)
				}
				if err := say(cmd, r, r.print); err != nil || r.OK {
					return err
				}
				return verdict(exitNotLive, "not everything is live")
			})
		},
	}
}

// rendered is how rendering everything again went.
type rendered struct {
	OK       bool              `json:"ok"`
	Rendered []string          `json:"rendered"`
	Errors   map[string]string `json:"errors"`
}

func (r rendered) print(w io.Writer) {
	for _, name := range r.Rendered {
		fmt.Fprintf(w, "%s is live\n", name)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Errors)) {
		fmt.Fprintf(w, "%s: %s\n", shown(name), shown(r.Errors[name]))
	}
}
