package ctl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/spf13/cobra"

	"gateway/internal/app"
)

const capturePath = "/diagnostics/capture"

// captured is what GET /diagnostics/capture answers.
type captured struct {
	State   string `json:"state"`
	Reason  string `json:"reason"`
	Packets int    `json:"packets"`
	Bytes   int64  `json:"bytes"`
	Dropped int64  `json:"dropped"`
	Error   *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// captureBody is what POST takes.
type captureBody struct {
	Interface string `json:"interface"`
	Protocol  string `json:"protocol"`
	Host      string `json:"host,omitempty"`
	Port      int    `json:"port,omitempty"`
	Packets   int    `json:"max_packets"`
	Megabytes int    `json:"max_megabytes"`
	Seconds   int    `json:"max_seconds"`
}

func captureCommand(cfg *app.Config) *cobra.Command {
	var b captureBody
	cmd := &cobra.Command{
		Use: "capture INTERFACE FILE", Short: "Record packets of an interface into a pcap file", Args: cobra.ExactArgs(2),
		Long: "Records whole packets until a limit is reached or it is interrupted, and writes them to FILE, or to standard output\n" +
			"for -, unless that is a terminal. One capture at a time on a node. Passwords that pass unencrypted are in the file.",
		Example:           "gateway-ctl capture eth0 dns.pcap --protocol udp --port 53 --max-seconds 30",
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			b.Interface = args[0]
			out, err := outputFile(cmd, args[1], errTerminal)
			if err != nil {
				return err
			}
			err = local(cmd, cfg, func(ctx context.Context, l *app.Local) error { return record(ctx, cmd, l, b, out) })
			return errors.Join(err, out.Close())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&b.Protocol, "protocol", "any", "only packets of this `PROTOCOL`: any, tcp, udp, icmp or arp")
	flags.StringVar(&b.Host, "host", "", "only packets from or to this `ADDRESS` or network")
	flags.IntVar(&b.Port, "port", 0, "only packets from or to this TCP or UDP port `NUMBER`")
	flags.IntVar(&b.Packets, "max-packets", 1000, "end after this `NUMBER` of packets (1 to 100000)")
	flags.IntVar(&b.Megabytes, "max-megabytes", 10, "end before the file is larger than this many `MIB` (1 to 64)")
	flags.IntVar(&b.Seconds, "max-seconds", 60, "end after this many `SECONDS` (1 to 300)")
	return cmd
}

// outputFile is opened before the process becomes somebody who may not write there. What it holds
// stays until there is something to put in its place. A terminal is refused, in these words.
func outputFile(cmd *cobra.Command, path string, refused error) (io.WriteCloser, error) {
	if path == "-" {
		if terminal(cmd.OutOrStdout()) {
			return nil, refused
		}
		return keptOpen{cmd.OutOrStdout()}, nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("make the file: %w", err)
	}
	if terminal(f) {
		return nil, errors.Join(refused, f.Close())
	}
	return &replaced{File: f}, nil
}

// errTerminal: packets are what others send, and a terminal obeys some of it.
var errTerminal = errors.New("packets are not written to a terminal; name a file, or pipe them: gateway-ctl capture INTERFACE - | tcpdump -n -r -")

// replaced is a file that is emptied with the first write to it.
type replaced struct {
	*os.File
	emptied bool
}

func (r *replaced) Write(b []byte) (int, error) {
	if !r.emptied {
		info, err := r.Stat()
		if err == nil && info.Mode().IsRegular() { // not a pipe, and not a terminal
			err = r.Truncate(0)
		}
		if err != nil {
			return 0, err
		}
		r.emptied = true
	}
	return r.File.Write(b)
}

// keptOpen is an output that others write to as well.
type keptOpen struct{ io.Writer }

func (keptOpen) Close() error { return nil }

// record waits until the capture ended. It is this process's own: it would end with it.
func record(ctx context.Context, cmd *cobra.Command, l *app.Local, b captureBody, out io.Writer) error {
	answer, err := l.Do(ctx, http.MethodPost, capturePath, nil, b)
	if err != nil {
		return err
	}
	var c captured
	for {
		if err := json.Unmarshal(answer.Data, &c); err != nil {
			return fmt.Errorf("read the response: %w", err)
		}
		if c.State != "running" {
			break
		}
		method, path := http.MethodGet, capturePath
		select {
		case <-ctx.Done():
			method, path, ctx = http.MethodPost, capturePath+"/stop", context.WithoutCancel(ctx)
		case <-time.After(200 * time.Millisecond):
		}
		if answer, err = l.Do(ctx, method, path, nil, nil); err != nil {
			return err
		}
	}
	file, err := l.Call(context.WithoutCancel(ctx), http.MethodGet, capturePath+"/file", nil, nil)
	if err != nil {
		return err
	}
	if file.Status != http.StatusOK {
		return refuse(cmd, file)
	}
	if _, err := out.Write(file.Body); err != nil {
		return fmt.Errorf("write the file: %w", err)
	}
	cmd.PrintErrf("%d packets, %d bytes, %d dropped by the kernel; ended by: %s\n", c.Packets, c.Bytes, c.Dropped, shown(c.Reason))
	if c.Error != nil {
		cmd.PrintErrf("%s\n", shown(c.Error.Message))
	}
	if c.Reason == "failed" {
		return verdict(exitFailed, "the capture ended too early; the file has what came until then")
	}
	return nil
}
