package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"gateway/lab"
)

func psCommand() *cobra.Command {
	return &cobra.Command{
		Use: "ps", Short: "List the nodes of all labs that run on this machine", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			labs, err := lab.Running()
			for _, l := range labs {
				fmt.Printf("%s (process %d)\n", l.ID, l.Owner)
				for _, h := range l.Hosts {
					fmt.Printf("  %-12s %-7s %-15s %-20s on=%v\n", h.Name, h.Kind, h.IP, h.IP6, h.On)
				}
			}
			return err
		},
	}
}

func runCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "run NODE CMD...", Short: "Run a command on a node of a running lab", Args: cobra.MinimumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error { return execOn(args[0], args[1:]) },
	}
	cmd.Flags().SetInterspersed(false) // flags after NODE belong to CMD
	return cmd
}

func shellCommand() *cobra.Command {
	return &cobra.Command{
		Use: "shell NODE", Short: "Open a shell on a node of a running lab", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return execOn(args[0], []string{"bash", "-l"}) },
	}
}

// execOn becomes the command, so that the terminal, signals and the exit code are its own.
func execOn(name string, command []string) error {
	h, err := find(name)
	if err != nil {
		return err
	}
	prefix, err := h.Prefix()
	if err != nil {
		return err
	}
	path, err := exec.LookPath(prefix[0])
	if err != nil {
		return fmt.Errorf("find %s: %w", prefix[0], err)
	}
	env := []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LANG=C.UTF-8", "TERM=" + os.Getenv("TERM")}
	return syscall.Exec(path, append(prefix, command...), env)
}

// find takes "gw1", or "LAB/gw1" when several labs have one.
func find(name string) (lab.HostState, error) {
	labs, err := lab.Running()
	if err != nil {
		return lab.HostState{}, err
	}
	id, short, named := strings.Cut(name, "/")
	if !named {
		short = name
	}
	var found []lab.HostState
	for _, l := range labs {
		for _, h := range l.Hosts {
			if h.Name == short && (!named || l.ID == id) {
				found = append(found, h)
			}
		}
	}
	if len(found) != 1 {
		return lab.HostState{}, fmt.Errorf("%d running hosts are called %q; see lab ps, and use LAB/NAME", len(found), name)
	}
	return found[0], nil
}
