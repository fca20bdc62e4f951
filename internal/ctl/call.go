package ctl

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gateway/internal/api"
	"gateway/internal/app"
)

var methods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// call is a request of the command line.
type call struct {
	method, path string
	header       http.Header
	body         []byte
	dry, include bool
	count        int
}

func apiCommand(cfg *app.Config) *cobra.Command {
	var c call
	var headers []string
	cmd := &cobra.Command{
		Use: "api METHOD PATH [BODY]", Short: "Call any operation of the API, as the local administrator", Args: cobra.RangeArgs(2, 3),
		Long: "Calls the API within this process: no network, no token, the same checks and the same audit log. PATH is below\n" +
			"/api/v1 and may have a query string. BODY is JSON, @FILE, or - for standard input. \"gateway-ctl api GET\n" +
			"/openapi.json\" prints the description of all operations.\n\n" +
			"Prints the data of the answer; with --json the whole answer in one line. An answer that is not JSON is printed\n" +
			"as it is, and with --json as a string in data. A stream prints one line of JSON per message until it is\n" +
			"interrupted. Operations on the caller's own account (below /auth) are refused, as the local administrator\n" +
			"has none.",
		Example: "gateway-ctl api GET '/domains?limit=10&sort=name'\n" +
			"gateway-ctl api POST /dns/zones '{\"name\": \"home.arpa\", \"forward_to\": []}' -H 'Gateway-Reason: new zone'\n" +
			"gateway-ctl api DELETE /dns/zones/0190 --dry-run\n" +
			"gateway-ctl api PUT /dns/settings @settings.json -H 'Gateway-Confirm-Within: 90'\n" +
			"gateway-ctl api GET /audit/live",
		ValidArgsFunction: completeCall,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := c.parse(cmd, args, headers); err != nil {
				return err
			}
			return anyway(cmd, cfg, func(ctx context.Context, l *app.Local) error { return c.run(ctx, cmd, l) })
		},
	}
	cmd.Flags().StringArrayVarP(&headers, "header", "H", nil, "`HEADER` of the request, \"NAME: VALUE\"; may be repeated")
	cmd.Flags().BoolVar(&c.dry, "dry-run", false, "check and preview the change, and change nothing (Gateway-Dry-Run: true)")
	cmd.Flags().BoolVarP(&c.include, "include", "i", false, "print status and headers of the answer on standard error")
	cmd.Flags().IntVar(&c.count, "count", 0, "end a stream after this `NUMBER` of messages")
	return cmd
}

func (c *call) parse(cmd *cobra.Command, args, headers []string) (err error) {
	c.method, c.path, c.header = strings.ToUpper(args[0]), strings.TrimPrefix(args[1], api.Prefix), http.Header{}
	if !slices.Contains(methods, c.method) {
		return usage(cmd, fmt.Errorf("METHOD must be one of %s", strings.Join(methods, ", ")))
	}
	if !strings.HasPrefix(c.path, "/") {
		return usage(cmd, errors.New("PATH must begin with /"))
	}
	for _, h := range headers {
		name, value, ok := strings.Cut(h, ":")
		if !ok {
			return usage(cmd, fmt.Errorf("header %q must be NAME: VALUE", h))
		}
		c.header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	if c.dry {
		c.header.Set("Gateway-Dry-Run", "true")
	}
	if len(args) == 3 {
		c.body, err = readBody(cmd, args[2])
	}
	return err
}

// readBody reads before the process becomes somebody who may not read the file.
func readBody(cmd *cobra.Command, arg string) ([]byte, error) {
	if arg == "-" {
		return io.ReadAll(cmd.InOrStdin())
	}
	if path, ok := strings.CutPrefix(arg, "@"); ok {
		body, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read the body: %w", err)
		}
		return body, nil
	}
	return []byte(arg), nil
}

func (c *call) run(ctx context.Context, cmd *cobra.Command, l *app.Local) error {
	if l.IsStream(c.method, c.path) {
		return c.stream(ctx, cmd, l)
	}
	answer, err := l.Call(ctx, c.method, c.path, c.header, c.body)
	if err != nil {
		return err
	}
	c.head(cmd, answer)
	if answer.Status >= http.StatusBadRequest {
		return refuse(cmd, answer)
	}
	if err := printAnswer(cmd, answer); err != nil {
		return err
	}
	return c.outcome(ctx, cmd, l, answer)
}

// head prints status and headers, apart from what a program reads.
func (c *call) head(cmd *cobra.Command, a api.Answer) {
	if !c.include {
		return
	}
	cmd.PrintErrf("%d %s\n", a.Status, http.StatusText(a.Status))
	for _, name := range slices.Sorted(maps.Keys(a.Header)) {
		for _, value := range a.Header[name] {
			cmd.PrintErrf("%s: %s\n", name, shown(value))
		}
	}
	cmd.PrintErrln()
}

// refuse prints a failed answer as it came, for programs; people read its words.
func refuse(cmd *cobra.Command, a api.Answer) error {
	f := a.Fault()
	if !asJSON(cmd) {
		return f
	}
	if err := printAnswer(cmd, a); err != nil {
		return err
	}
	return verdict(codeOf(f), "%s", explain(f))
}

func printAnswer(cmd *cobra.Command, a api.Answer) error {
	var text bytes.Buffer
	if !strings.HasPrefix(a.Header.Get("Content-Type"), "application/json") {
		return say(cmd, string(a.Body), func(w io.Writer) { _, _ = w.Write(a.Body) })
	}
	var err error
	if asJSON(cmd) {
		err = json.Compact(&text, a.Body)
	} else if data := dataOf(a.Body); string(data) != "null" {
		err = json.Indent(&text, data, "", "  ")
	}
	if err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	if text.Len() > 0 {
		if _, err := fmt.Fprintln(cmd.OutOrStdout(), escaped(strings.TrimRight(text.String(), "\n"))); err != nil {
			return fmt.Errorf("print the answer: %w", err)
		}
	}
	return nil
}

// dataOf is what is in the envelope; the description of the API comes without one.
func dataOf(body []byte) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil {
		return body
	}
	_, enveloped := fields["error"]
	if data, ok := fields["data"]; ok && enveloped && len(fields) == 2 {
		return data
	}
	return body
}

// outcome says how far a change got, on standard error: the answer is the operation's.
func (c *call) outcome(ctx context.Context, cmd *cobra.Command, l *app.Local, a api.Answer) error {
	o := outcomeOf(a.Header)
	if o.Change == "" || !o.live() {
		return o.verdict()
	}
	if c.header.Get("Gateway-Confirm-Within") != "" {
		waits, err := confirmationOf(ctx, l, o.Change)
		if err != nil {
			return err
		}
		if waits == nil { // whatever was asked
			fmt.Fprintln(cmd.ErrOrStderr(), "It takes effect at once: no daemon is concerned, so there is nothing to confirm.")
		}
		waits.print(cmd.ErrOrStderr())
	} else if !asJSON(cmd) {
		o.print(cmd.ErrOrStderr())
	}
	return nil
}

// stream prints messages, one a line, until there are enough or somebody interrupts.
func (c *call) stream(ctx context.Context, cmd *cobra.Command, l *app.Local) error {
	printed := 0
	answer, err := l.Stream(ctx, c.path, c.header, func(a api.Answer) { c.head(cmd, a) }, func(message []byte) error {
		var line bytes.Buffer
		if err := json.Compact(&line, message); err != nil {
			return fmt.Errorf("read the stream: %w", err)
		}
		if _, err := fmt.Fprintln(cmd.OutOrStdout(), escaped(line.String())); err != nil {
			return fmt.Errorf("print the stream: %w", err)
		}
		if printed++; printed == c.count {
			return errEnough
		}
		return nil
	})
	if err == nil && answer.Status >= http.StatusBadRequest {
		c.head(cmd, answer)
		return refuse(cmd, answer)
	}
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

var errEnough = errors.New("there are enough messages")

// completeCall offers the methods, and the paths of the description that have the method.
func completeCall(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	switch len(args) {
	case 0:
		return methods, cobra.ShellCompDirectiveNoFileComp
	case 1:
		return paths(args[0]), cobra.ShellCompDirectiveNoFileComp
	default:
		return nil, cobra.ShellCompDirectiveDefault
	}
}

func paths(method string) []string {
	blueprint, err := app.Blueprint()
	if err != nil {
		return nil
	}
	text, err := blueprint.Document()
	if err != nil {
		return nil
	}
	var doc struct {
		Paths map[string]map[string]any
	}
	if json.Unmarshal(text, &doc) != nil {
		return nil
	}
	var found []string
	for path, operations := range doc.Paths {
		if _, ok := operations[strings.ToLower(method)]; ok {
			found = append(found, path)
		}
	}
	slices.Sort(found)
	return found
}
