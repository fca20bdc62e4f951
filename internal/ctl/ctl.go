// Package ctl is the local command line: what an operator does on the node itself,
// also when nothing else answers. It has few commands of its own; whatever else the API can
// do, it does by calling the API in its own process.
package ctl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gateway/internal/app"
	"gateway/internal/version"
)

// commands is the table that help, completion and the manual read.
func commands(cfg *app.Config) []*cobra.Command {
	return []*cobra.Command{
		statusCommand(cfg), problemsCommand(cfg), apiCommand(cfg),
		listChanges(cfg), confirmChange(cfg), revertChange(cfg),
		exportConfig(cfg), applyConfig(cfg), renderConfig(cfg), importTunnels(cfg),
		auditVerify(cfg), backupCommand(cfg), captureCommand(cfg), restoreCommand(cfg), setupCode(cfg), supportCommand(cfg), resetPassword(cfg), versionCommand(), migrateCommand(),
		restoreRun(cfg), restoreResume(cfg), restoreVerify(cfg), restoreHelper(cfg),
	}
}

// New returns the command with its sub-commands.
func New() *cobra.Command {
	cfg := app.Defaults()
	var printVersion bool
	root := &cobra.Command{
		Use: "gateway-ctl", Short: "Local administration of this gateway node",
		Long: "Administers this node. Run it as root on the node: it needs no password, no token and no network, and works\n" +
			"while gateway-api is stopped. What it changes is validated, applied and audited like any other change, as\n" +
			"the actor \"local\".\n\n" +
			"With --json, every command prints one line of JSON, {\"data\": …, \"error\": …}, as the API does.",
		SilenceUsage: true, SilenceErrors: true, SuggestionsMinimumDistance: 2,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			if like := cmd.SuggestionsFor(args[0]); len(like) > 0 {
				return fmt.Errorf("unknown command %q; did you mean %s?", args[0], strings.Join(like, " or "))
			}
			return fmt.Errorf("unknown command %q", args[0])
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if printVersion {
				return sayVersion(cmd)
			}
			return cmd.Help()
		},
	}
	root.Flags().BoolVar(&printVersion, "version", false, "print the version")
	global := root.PersistentFlags()
	global.Bool(jsonFlag, false, "print JSON")
	global.StringVar(&cfg.StateDir, "state-dir", cfg.StateDir, "`DIRECTORY` of keys and setup state")
	global.StringVar(&cfg.Database, "database", cfg.Database, "`ADDRESS` of the database")
	global.StringVar(&cfg.ApplySocket, "apply-socket", cfg.ApplySocket, "`PATH` of the socket of gateway-apply")
	root.SetOut(os.Stdout)
	root.SetFlagErrorFunc(usage)
	root.AddCommand(commands(&cfg)...)
	for _, cmd := range append(root.Commands(), root) {
		if !strings.Contains(cmd.Use, " ") {
			cmd.ValidArgsFunction = cobra.NoFileCompletions // there is nothing to complete
		}
		check := cmd.Args
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return usage(cmd, err)
			}
			return nil
		}
	}
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		help(cmd, args)
		printExitCodes(cmd)
	})
	return root
}

func printExitCodes(cmd *cobra.Command) {
	fmt.Fprintln(cmd.OutOrStdout(), "\nExit codes:")
	for _, e := range exitCodes {
		fmt.Fprintf(cmd.OutOrStdout(), "  %d  %s\n", e.code, strings.ReplaceAll(wrap(e.meaning, 100), "\n", "\n     "))
	}
}

// wrap breaks a text into lines of that many characters.
func wrap(text string, width int) string {
	var out strings.Builder
	column := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case column+1+len(word) > width:
			out.WriteByte('\n')
			column = 0
		default:
			out.WriteByte(' ')
			column++
		}
		out.WriteString(word)
		column += len(word)
	}
	return out.String()
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return sayVersion(cmd) },
	}
}

func sayVersion(cmd *cobra.Command) error {
	return say(cmd, map[string]string{"version": version.Version}, func(w io.Writer) { fmt.Fprintln(w, version.Version) })
}

const (
	// startTime is how long the database may take to answer at first.
	startTime = 10 * time.Second
	// glanceTime is the same for what can also be told without it.
	glanceTime = 2 * time.Second
)

// local runs fn with the API of this node, once its database answers.
func local(cmd *cobra.Command, cfg *app.Config, fn func(ctx context.Context, l *app.Local) error) error {
	return withAPI(cmd, cfg, func(ctx context.Context, l *app.Local) error {
		if err := l.WaitReady(ctx, startTime); err != nil {
			return err
		}
		return fn(ctx, l)
	})
}

// anyway is local for what also works while the database is away.
func anyway(cmd *cobra.Command, cfg *app.Config, fn func(ctx context.Context, l *app.Local) error) error {
	return withAPI(cmd, cfg, func(ctx context.Context, l *app.Local) error {
		_ = l.WaitReady(ctx, glanceTime) // what needs it says so itself
		return fn(ctx, l)
	})
}

// withAPI runs fn with the API of this node, as the user it belongs to.
func withAPI(cmd *cobra.Command, cfg *app.Config, fn func(ctx context.Context, l *app.Local) error) error {
	if err := becomeOwner(cfg.StateDir); err != nil {
		return err
	}
	quiet := *cfg
	quiet.Log = slog.New(slog.DiscardHandler) // errors reach whoever sits here anyway
	l, err := app.NewLocal(cmd.Context(), quiet)
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%w; run this as root", err)
	}
	if err != nil {
		return err
	}
	defer l.Close()
	return fn(cmd.Context(), l)
}
