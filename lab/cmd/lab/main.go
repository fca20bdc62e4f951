// Command lab runs the lab outside of tests: it builds the Debian root, starts
// nodes to try things on, and gives a PostgreSQL 17 to a command. What it can do
// with them is package lab's.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"gateway/lab"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := command().ExecuteContext(ctx)
	stop()
	if err == nil {
		return
	}
	// A command that was run for the caller has said itself what went wrong.
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() > 0 {
		os.Exit(exit.ExitCode())
	}
	fmt.Fprintln(os.Stderr, "lab:", err)
	os.Exit(1)
}

func command() *cobra.Command {
	root := &cobra.Command{
		Use:   "lab",
		Short: "Debian 13 nodes in namespaces of this machine",
		// Errors are printed once, by main, and are not about usage.
		SilenceUsage: true, SilenceErrors: true,
	}
	root.AddCommand(rootCommand(), counterpartsCommand(), upCommand(), demoCommand(), psCommand(), runCommand(), shellCommand(), sweepCommand(), postgresCommand())
	return root
}

func rootCommand() *cobra.Command {
	return &cobra.Command{
		Use: "root", Short: "Build the Debian root if it is not there, and print its folder", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := lab.Root(cmd.Context())
			if err != nil {
				return err
			}
			fmt.Println(dir)
			return nil
		},
	}
}

func counterpartsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "counterparts", Short: "Build the test servers that take minutes, if they are not there", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return lab.Counterparts(cmd.Context()) },
	}
}

func sweepCommand() *cobra.Command {
	return &cobra.Command{
		Use: "sweep", Short: "Remove what labs of dead processes left behind", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			swept, err := lab.Sweep(cmd.Context())
			for _, id := range swept {
				fmt.Println("removed", id)
			}
			return err
		},
	}
}
