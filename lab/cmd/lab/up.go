package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"gateway/lab"
)

func upCommand() *cobra.Command {
	var deb string
	cmd := &cobra.Command{
		Use: "up N", Short: "Start N nodes and a client, until Ctrl-C", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			n, err := strconv.Atoi(args[0])
			if err != nil || n < 1 || n > 20 {
				return fmt.Errorf("%q is not a number of nodes from 1 to 20", args[0])
			}
			return up(cmd.Context(), n, deb)
		},
	}
	cmd.Flags().StringVar(&deb, "deb", "", "a .deb to install on each node")
	return cmd
}

func up(ctx context.Context, count int, deb string) (err error) {
	l, err := lab.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	var names []string
	for i := range count {
		names = append(names, fmt.Sprintf("gw%d", i+1))
	}
	nodes, err := l.StartNodes(ctx, names)
	if err != nil {
		return err
	}
	for _, n := range nodes {
		if err := install(ctx, n, deb); err != nil {
			return err
		}
		fmt.Printf("%-8s %-15s %s\n", n.Name(), n.IP(), n.IP6())
	}
	c, err := l.StartClient(ctx, "client")
	if err != nil {
		return err
	}
	fmt.Printf("%-8s %-15s %s\n", c.Name(), c.IP(), c.IP6())
	fmt.Println("Enter one from another terminal with: lab shell NODE. Ctrl-C ends them all.")
	<-ctx.Done()
	return nil
}

func install(ctx context.Context, n *lab.Node, deb string) error {
	if deb == "" {
		return nil
	}
	if err := n.CopyIn(deb, "/root/lab.deb", 0o644); err != nil {
		return err
	}
	if out, err := n.Run(ctx, "dpkg", "-i", "/root/lab.deb"); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}
