package ctl

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"gateway/internal/app"
	"gateway/internal/export"
	"gateway/internal/intent"
)

func configCommands(cfg *app.Config) []*cobra.Command {
	return []*cobra.Command{exportConfig(cfg), applyConfig(cfg)}
}

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
				_, err = cmd.OutOrStdout().Write(doc)
				return err
			})
		},
	}
}

func applyConfig(cfg *app.Config) *cobra.Command {
	var dry bool
	var within int
	var reason string
	cmd := &cobra.Command{
		Use: "apply FILE", Short: "Apply a configuration file", Args: cobra.ExactArgs(1),
		Long: "Prints the plan, then runs it as one change. Kinds and settings that the file does not mention\n" +
			"are kept; of a kind that it lists, objects that are not in the list are removed.\n" +
			"FILE may be - for standard input.",
		RunE: func(cmd *cobra.Command, args []string) error {
			doc, err := readDocument(cmd, args[0])
			if err != nil {
				return err
			}
			header := http.Header{"Gateway-Reason": {reason}}
			if within > 0 {
				header.Set("Gateway-Confirm-Within", strconv.Itoa(within))
			}
			if dry {
				header.Set("Gateway-Dry-Run", "true")
			}
			return local(cmd, cfg, func(ctx context.Context, l *app.Local) error {
				return applyDocument(ctx, cmd, l, doc, header)
			})
		},
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "print the plan and the file changes, and change nothing")
	cmd.Flags().IntVar(&within, "confirm-within", 0, "revert automatically unless confirmed within this many seconds")
	cmd.Flags().StringVar(&reason, "reason", "", "reason, for the history")
	return cmd
}

// readDocument reads before the process becomes somebody who may not read the file.
func readDocument(cmd *cobra.Command, path string) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(cmd.InOrStdin())
	}
	doc, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the document: %w", err)
	}
	return doc, nil
}

func applyDocument(ctx context.Context, cmd *cobra.Command, l *app.Local, doc []byte, header http.Header) error {
	steps, err := export.Plan(ctx, getter(l), l.Managed(), doc)
	if err != nil {
		return err
	}
	count := map[rune]int{}
	for _, s := range steps {
		cmd.Println(s)
		count[s.Sign]++
	}
	cmd.Printf("%d to add, %d to change, %d to remove\n", count['+'], count['~'], count['-'])
	if len(steps) == 0 {
		return nil
	}
	answer, err := l.Do(ctx, http.MethodPost, "/batch", header, map[string]any{"operations": steps})
	if err != nil {
		return err
	}
	if header.Get("Gateway-Dry-Run") == "" {
		return applied(cmd, answer)
	}
	var plan intent.Plan
	if err := json.Unmarshal(answer.Data, &plan); err != nil {
		return fmt.Errorf("read the plan: %w", err)
	}
	for _, f := range plan.Files {
		cmd.Print("\n" + strings.TrimRight(f.Diff, "\n") + "\n")
	}
	return nil
}
