package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"gateway/lab"
)

func postgresCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "postgres [-- CMD...]",
		Short: "Start a PostgreSQL 17, for one command or until Ctrl-C",
		Long:  "Start a PostgreSQL 17. With CMD, run it with GATEWAY_TEST_DATABASE set and exit as it does; without, print the address and wait for Ctrl-C.",
		RunE: func(cmd *cobra.Command, args []string) error {
			dsn, stop, err := lab.Postgres(cmd.Context())
			if err != nil {
				return err
			}
			defer stop()
			if len(args) > 0 {
				return with(cmd.Context(), dsn, args)
			}
			fmt.Println(dsn)
			<-cmd.Context().Done()
			return nil
		},
	}
	cmd.Flags().SetInterspersed(false) // flags after the first word belong to CMD
	return cmd
}

func with(ctx context.Context, dsn string, args []string) error {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "GATEWAY_TEST_DATABASE="+dsn)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	// Ctrl-C reaches the command by itself; a signal to us alone is passed on.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	return cmd.Run()
}
