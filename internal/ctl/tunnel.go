package ctl

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"gateway/internal/app"
)

// imported is what POST /tunnel/import answers.
type imported struct {
	Imported []struct {
		Name  string     `json:"name"`
		ID    string     `json:"id"`
		Peers int        `json:"peers"`
		Left  []leftLine `json:"not_taken"`
	} `json:"imported"`
	Skipped []struct {
		Name   string `json:"name"`
		Reason string `json:"reason"`
	} `json:"skipped"`
}

// leftLine is a line that was not taken over.
type leftLine struct {
	Line int    `json:"line"`
	Name string `json:"name"`
}

func importTunnels(cfg *app.Config) *cobra.Command {
	return &cobra.Command{
		Use: "tunnel-import [INTERFACE...]", Short: "Import tunnels from the files of wg-quick in /etc/wireguard", Args: cobra.ArbitraryArgs,
		Long: "Creates tunnels and peers from /etc/wireguard/INTERFACE.conf. Without a name, all files that can be imported are; with\n" +
			"names, all of these or none. Commands in a file (PostUp and others) are listed and never run. The files stay; stop\n" +
			"wg-quick with \"systemctl disable --now wg-quick@INTERFACE\".",
		Example:           "gateway-ctl tunnel-import wg0",
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			return local(cmd, cfg, func(ctx context.Context, l *app.Local) error {
				answer, err := l.Do(ctx, http.MethodPost, "/tunnel/import", nil, map[string]any{"names": append([]string{}, args...)})
				if err != nil {
					return err
				}
				var r imported
				if err := json.Unmarshal(answer.Data, &r); err != nil {
					return fmt.Errorf("read the response: %w", err)
				}
				if err := say(cmd, r, r.print); err != nil {
					return err
				}
				return outcomeOf(answer.Header).verdict()
			})
		},
	}
}

func (r imported) print(w io.Writer) {
	for _, one := range r.Imported {
		fmt.Fprintf(w, "%s: imported with %d peers%s\n", shown(one.Name), one.Peers, shown(leftOut(one.Left)))
	}
	for _, one := range r.Skipped {
		fmt.Fprintf(w, "%s: not imported: %s\n", shown(one.Name), shown(one.Reason))
	}
	if len(r.Imported)+len(r.Skipped) == 0 {
		fmt.Fprintln(w, "There are no files in /etc/wireguard.")
	}
}

func leftOut(lines []leftLine) string {
	if len(lines) == 0 {
		return ""
	}
	names := make([]string, len(lines))
	for i, l := range lines {
		names[i] = l.Name
		if l.Line > 0 {
			names[i] += fmt.Sprintf(" (line %d)", l.Line)
		}
	}
	return "; left out: " + strings.Join(names, ", ")
}
