package ctl

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"gateway/internal/app"
)

// supported is what the command says of a bundle that it wrote.
type supported struct {
	File    string            `json:"file"`
	Bytes   int               `json:"bytes"`
	Files   int               `json:"files"`
	Missing []app.SupportFile `json:"missing"`
}

func supportCommand(cfg *app.Config) *cobra.Command {
	return &cobra.Command{
		Use: "support-bundle [FILE]", Short: "Write a support bundle, without secrets", Args: cobra.MaximumNArgs(1),
		Long: "Writes a tar.gz file for whoever is to help to FILE, or to standard output: problems, states, configuration without\n" +
			"secrets, last changes, versions, routes, log entries. It works while the database or gateway-api is stopped: what\n" +
			"cannot be read then says why. There are no passwords and keys in it, but names and addresses of the network, and\n" +
			"texts as they were entered.",
		Example: "gateway-ctl support-bundle support.tar.gz",
		RunE: func(cmd *cobra.Command, args []string) error {
			path := "-"
			if len(args) > 0 {
				path = args[0]
			}
			if path == "-" && asJSON(cmd) {
				return usage(cmd, errors.New("--json needs a FILE"))
			}
			out, err := outputFile(cmd, path, usage(cmd, errors.New("a support bundle is not for a terminal: name a FILE, or redirect standard output")))
			if err != nil {
				return err
			}
			err = anyway(cmd, cfg, func(ctx context.Context, l *app.Local) error { return support(ctx, cmd, l, path, out) })
			return errors.Join(err, out.Close())
		},
	}
}

// support writes a bundle that is complete, or nothing.
func support(ctx context.Context, cmd *cobra.Command, l *app.Local, path string, out io.Writer) error {
	made, err := l.SupportBundle(ctx)
	if err != nil {
		return err
	}
	if _, err := out.Write(made.Archive); err != nil {
		return fmt.Errorf("write the file: %w", err)
	}
	if path == "-" {
		return nil
	}
	s := supported{File: path, Bytes: len(made.Archive), Files: made.Files, Missing: made.Missing}
	return say(cmd, s, func(w io.Writer) {
		for _, f := range s.Missing {
			fmt.Fprintf(w, "%s is not available: %s\n", shown(f.Name), shown(f.Error))
		}
		fmt.Fprintf(w, "%s: %d files, %d bytes\n", path, s.Files, s.Bytes)
	})
}
