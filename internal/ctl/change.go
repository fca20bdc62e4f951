package ctl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"gateway/internal/app"
	"gateway/internal/change"
)

// local runs fn with the API of this node, as the user it belongs to.
func local(cmd *cobra.Command, cfg *app.Config, fn func(ctx context.Context, l *app.Local) error) error {
	if err := becomeOwner(cfg.StateDir); err != nil {
		return err
	}
	quiet := *cfg
	quiet.Log = slog.New(slog.DiscardHandler) // errors reach whoever sits here anyway
	l, err := app.NewLocal(cmd.Context(), quiet)
	if err != nil {
		return err
	}
	defer l.Close()
	return fn(cmd.Context(), l)
}

func changeCommands(cfg *app.Config) []*cobra.Command {
	return []*cobra.Command{listChanges(cfg), confirmChange(cfg), revertChange(cfg), renderConfig(cfg)}
}

func listChanges(cfg *app.Config) *cobra.Command {
	var limit int
	var component string
	var waiting bool
	cmd := &cobra.Command{
		Use: "changes", Short: "List the latest changes of the configuration", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return local(cmd, cfg, func(ctx context.Context, l *app.Local) error {
				q := url.Values{"limit": {strconv.Itoa(limit)}, "component": {component}, "waiting": {strconv.FormatBool(waiting)}}
				answer, err := l.Do(ctx, http.MethodGet, "/changes?"+q.Encode(), nil, nil)
				if err != nil {
					return err
				}
				var found []change.Record
				if err := json.Unmarshal(answer.Data, &found); err != nil {
					return fmt.Errorf("read the changes: %w", err)
				}
				return printChanges(cmd, found)
			})
		},
	}
	cmd.Flags().IntVarP(&limit, "lines", "n", 20, "maximum number to list")
	cmd.Flags().StringVar(&component, "component", "", "only changes of this component")
	cmd.Flags().BoolVar(&waiting, "waiting", false, "only those waiting for confirmation")
	return cmd
}

func printChanges(cmd *cobra.Command, found []change.Record) error {
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tWHEN\tWHO\tWHAT\tSTATE")
	for _, c := range found {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s %s\t%s\n", c.ID, c.CreatedAt.Local().Format(time.DateTime), c.Actor, c.Action, c.Subject, state(c))
	}
	return w.Flush()
}

func state(c change.Record) string {
	switch {
	case c.ConfirmState != nil && *c.ConfirmState == change.Waiting:
		return "waiting for confirmation"
	case c.RevertedBy != nil:
		return "undone"
	case c.Apply != nil:
		return *c.Apply
	default:
		return "stored"
	}
}

func confirmChange(cfg *app.Config) *cobra.Command {
	return &cobra.Command{
		Use: "confirm ID", Short: "Confirm a change that is waiting for confirmation", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return local(cmd, cfg, func(ctx context.Context, l *app.Local) error {
				if _, err := l.Do(ctx, http.MethodPost, "/changes/"+url.PathEscape(args[0])+"/confirm", nil, nil); err != nil {
					return err
				}
				cmd.Println("kept")
				return nil
			})
		},
	}
}

func revertChange(cfg *app.Config) *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use: "revert ID", Short: "Revert one change; later changes are kept", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return local(cmd, cfg, func(ctx context.Context, l *app.Local) error {
				answer, err := l.Do(ctx, http.MethodPost, "/changes/"+url.PathEscape(args[0])+"/revert", http.Header{"Gateway-Reason": {reason}}, nil)
				if err != nil {
					return err
				}
				return applied(cmd, answer)
			})
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "reason, for the history")
	return cmd
}

// applied says how far a change got; one that is not live is an error to a script.
func applied(cmd *cobra.Command, a app.Answer) error {
	id, state := a.Header.Get("Gateway-Change"), a.Header.Get("Gateway-Apply")
	if state == "" || state == "live" {
		cmd.Printf("done, as change %s\n", id)
		return nil
	}
	return fmt.Errorf("stored as change %s, but %s: %s", id, state, a.Header.Get("Gateway-Apply-Reason"))
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
				var r struct {
					OK       bool              `json:"ok"`
					Rendered []string          `json:"rendered"`
					Errors   map[string]string `json:"errors"`
				}
				if err := json.Unmarshal(answer.Data, &r); err != nil {
					return fmt.Errorf("read the response: %w", err)
				}
				for _, name := range r.Rendered {
					cmd.Printf("%s is live\n", name)
				}
				for name, why := range r.Errors {
					cmd.Printf("%s: %s\n", name, why)
				}
				if !r.OK {
					return errors.New("not everything is live")
				}
				return nil
			})
		},
	}
}
