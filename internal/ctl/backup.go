package ctl

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"gateway/internal/app"
)

// backup is what GET /backups answers of each.
type backup struct {
	ID      string    `json:"id"`
	File    string    `json:"file"`
	Size    int64     `json:"size"`
	Kind    string    `json:"kind"`
	Status  string    `json:"status"`
	Started time.Time `json:"started_at"`
	Error   *failure  `json:"error"`
	Uploads []struct {
		Name  string   `json:"name"`
		State string   `json:"state"`
		Error *failure `json:"error"`
	} `json:"remote_uploads"`
	Verify      string   `json:"verify_status"`
	VerifyError *failure `json:"verify_error"`
}

type failure struct {
	Message string `json:"message"`
}

const backupVerbs = "create, list, verify ID or passphrase"

func backupCommand(cfg *app.Config) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use: "backup create|list|verify|passphrase [ID]", Short: "Make, list and verify backups, and set their passphrase", Args: cobra.RangeArgs(1, 2),
		Long: "\"backup create\" makes a backup, and ends when it is complete and was uploaded to every active target. \"backup list\"\n" +
			"lists them. \"backup verify ID\" restores one into a scratch database, without touching what runs.\n\n" +
			"\"backup passphrase\" sets the passphrase that makes later backups restorable on another node. It is the first line\n" +
			"of standard input, or of --passphrase-file; this node does not store it.\n\n" +
			"gateway-scheduler makes and verifies backups; \"gateway-ctl restore\" works without it.",
		Example:           "gateway-ctl backup create\ngateway-ctl backup passphrase --passphrase-file /root/passphrase",
		ValidArgsFunction: completeBackup,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case args[0] == "verify" && len(args) == 2:
				return local(cmd, cfg, func(ctx context.Context, l *app.Local) error { return verifyBackup(ctx, cmd, l, args[1]) })
			case args[0] == "verify" || len(args) == 2:
			case args[0] == "create":
				return local(cmd, cfg, func(ctx context.Context, l *app.Local) error { return createBackup(ctx, cmd, l) })
			case args[0] == "list":
				return local(cmd, cfg, func(ctx context.Context, l *app.Local) error { return listBackups(ctx, cmd, l) })
			case args[0] == "passphrase":
				passphrase, err := readPassphrase(cmd, file)
				if err != nil {
					return err
				}
				return local(cmd, cfg, func(ctx context.Context, l *app.Local) error { return setPassphrase(ctx, cmd, l, passphrase) })
			}
			return usage(cmd, fmt.Errorf("%q is not %s", strings.Join(args, " "), backupVerbs))
		},
	}
	cmd.Flags().StringVar(&file, "passphrase-file", "", "for passphrase: `FILE` whose first line it is")
	return cmd
}

func completeBackup(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []cobra.Completion{"create", "list", "verify", "passphrase"}, cobra.ShellCompDirectiveNoFileComp
}

// createBackup prints one line per place where the backup is to be, and fails where it is not.
func createBackup(ctx context.Context, cmd *cobra.Command, l *app.Local) error {
	answer, err := l.Do(ctx, http.MethodPost, "/backups", nil, nil)
	if err != nil {
		return err
	}
	var b backup
	if err := json.Unmarshal(answer.Data, &b); err != nil {
		return fmt.Errorf("read the response: %w", err)
	}
	if err := say(cmd, answer.Data, b.print); err != nil {
		return err
	}
	return b.verdict()
}

func (b backup) print(w io.Writer) {
	if b.Status == "done" {
		fmt.Fprintf(w, "%s: %s, %s\n", shown(b.ID), shown(b.File), megabytes(b.Size))
	}
	for _, u := range b.Uploads {
		if u.State == "done" {
			fmt.Fprintf(w, "uploaded to %s\n", shown(u.Name))
		}
	}
}

func (b backup) verdict() error {
	var wrong []string
	switch {
	case b.Status == "running":
		return verdict(exitUnavailable, "the backup %s is still being made; see \"gateway-ctl backup list\"", b.ID)
	case b.Error != nil:
		return verdict(exitFailed, "the backup failed: %s", b.Error.Message)
	}
	for _, u := range b.Uploads {
		switch {
		case u.Error != nil:
			wrong = append(wrong, fmt.Sprintf("not uploaded to %s: %s", u.Name, u.Error.Message))
		case u.State != "done":
			wrong = append(wrong, fmt.Sprintf("still being uploaded to %s", u.Name))
		}
	}
	if len(wrong) > 0 {
		return verdict(exitFailed, "%s", strings.Join(wrong, "\n"))
	}
	return nil
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

func listBackups(ctx context.Context, cmd *cobra.Command, l *app.Local) error {
	answer, err := l.Do(ctx, http.MethodGet, "/backups", nil, nil)
	if err != nil {
		return err
	}
	var all []backup
	if err := json.Unmarshal(answer.Data, &all); err != nil {
		return fmt.Errorf("read the response: %w", err)
	}
	return say(cmd, answer.Data, func(w io.Writer) { printBackups(w, all) })
}

func printBackups(out io.Writer, all []backup) {
	if len(all) == 0 {
		fmt.Fprintln(out, "There are no backups.")
		return
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tWHEN\tKIND\tSIZE\tSTATUS\tVERIFIED")
	for _, b := range all {
		status, verified := b.Status, map[string]string{"none": "no", "running": "running", "done": "yes", "failed": "failed"}[b.Verify]
		if b.Error != nil {
			status += ": " + b.Error.Message
		}
		if b.VerifyError != nil {
			verified += ": " + b.VerifyError.Message
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", shown(b.ID), b.Started.Local().Format(time.DateTime), shown(b.Kind), megabytes(b.Size), shown(status), shown(verified))
	}
	_ = w.Flush() // nobody reads any more
}

// verifyBackup waits for the result, which the row tells.
func verifyBackup(ctx context.Context, cmd *cobra.Command, l *app.Local, id string) error {
	path := "/backups/" + url.PathEscape(id)
	answer, err := l.Do(ctx, http.MethodPost, path+"/verify", nil, nil)
	for {
		if err != nil {
			return err
		}
		var b backup
		if err := json.Unmarshal(answer.Data, &b); err != nil {
			return fmt.Errorf("read the response: %w", err)
		}
		switch b.Verify {
		case "done":
			return say(cmd, answer.Data, func(w io.Writer) { fmt.Fprintln(w, "verified") })
		case "failed":
			if err := say(cmd, answer.Data, func(io.Writer) {}); err != nil {
				return err
			}
			if b.VerifyError != nil {
				return verdict(exitFailed, "the backup could not be verified: %s", b.VerifyError.Message)
			}
			return verdict(exitFailed, "the backup could not be verified")
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
		answer, err = l.Do(ctx, http.MethodGet, path, nil, nil)
	}
}

// readPassphrase reads before anything else is done, as whoever may read the file.
func readPassphrase(cmd *cobra.Command, file string) (string, error) {
	in := cmd.InOrStdin()
	if file != "" {
		f, err := os.Open(file)
		if err != nil {
			return "", fmt.Errorf("read the passphrase: %w", err)
		}
		defer f.Close()
		in = f
	}
	line, err := bufio.NewReader(io.LimitReader(in, 4096)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the passphrase: %w", err)
	}
	return strings.TrimRight(line, "\r\n"), nil
}

func setPassphrase(ctx context.Context, cmd *cobra.Command, l *app.Local, passphrase string) error {
	answer, err := l.Do(ctx, http.MethodPut, "/backups/passphrase", nil, map[string]string{"passphrase": passphrase})
	if err != nil {
		return err
	}
	return say(cmd, answer.Data, func(w io.Writer) {
		fmt.Fprintln(w, "The passphrase is set, from the next backup on. Keep it where you find it when this node is lost.")
	})
}
