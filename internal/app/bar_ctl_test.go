package app_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/textproto"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gateway/internal/app/fuzz"
	"gateway/internal/ctl"
	"gateway/internal/process"
	"gateway/tools/bar"
)

// Every operation of the document is called through gateway-ctl api, with a request that would
// succeed where one is known, and its answer held against the document; then every command is
// run as a process of its own for its JSON and its exit code.
func TestBarPeople08CommandLine(t *testing.T) {
	bar.NotShort(t)
	s := newStage(t)
	c := newCLI(t, s)
	for i, op := range operations(t, s.App) {
		if i%bar.GateSize(3, 1, 1) == 0 { // the gate has no time for all
			c.call(op)
		}
	}
	c.audited()
	commands, wrong := c.commands()
	for _, w := range slices.Concat(c.wrong, wrong) {
		t.Error(w)
	}
	total, right := c.done+c.own+c.refused+len(c.wrong), c.done+c.own+c.refused
	figure := fmt.Sprintf("%d of %d operations answer as documented (%d done, %d of them streams; %d refused as root has no account; %d refused otherwise), "+
		"%d of %d commands with right JSON and exit code; control %d of %d spoilt answers found",
		right, total, c.done, c.streams, c.own, c.refused, commands-len(wrong), commands, c.found, c.spoilt)
	bar.Report(t, "people", 8, figure, "all operations, all commands, control all", right == total && len(wrong) == 0 && c.spoilt > 100 && c.found == c.spoilt)
}

// cli calls gateway-ctl on the stage's node.
type cli struct {
	*stage
	doc                         *fuzz.Document
	done, streams, own, refused int
	spoilt, found               int
	wrong                       []string
	changes                     []string
}

func newCLI(t *testing.T, s *stage) *cli {
	t.Helper()
	text, err := s.API.Document()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := fuzz.NewDocument(text)
	if err != nil {
		t.Fatal(err)
	}
	return &cli{stage: s, doc: doc}
}

// on is the command line with where this node is.
func (c *cli) on(args ...string) []string {
	return append(args, "--state-dir", c.Config.StateDir, "--database", c.Config.Database, "--apply-socket", c.applier.socket)
}

// printed is what a command printed, and its exit code.
type printed struct {
	out, err string
	code     int
}

// run is the command within this process, which is quicker.
func (c *cli) run(ctx context.Context, args ...string) printed {
	root := ctl.New()
	var out, errs bytes.Buffer
	root.SetOut(&out)
	root.SetErr(&errs)
	root.SetArgs(c.on(args...))
	err := ctl.Execute(ctx, root)
	var coded interface{ ExitCode() int }
	switch {
	case errors.As(err, &coded):
		return printed{out.String(), errs.String(), coded.ExitCode()}
	case err != nil:
		return printed{out.String(), errs.String(), -1}
	}
	return printed{out.String(), errs.String(), 0}
}

func (c *cli) call(op operation) {
	c.t.Helper()
	p, known := c.prepare(op)
	if !known && !op.mutates() && strings.Contains(op.path, "{id}") {
		p.path = c.existing(op)
	}
	args := []string{"api", op.method, p.path, "--json", "--include"}
	if body := p.text(c.t); body != "" && op.mutates() {
		args = slices.Insert(args, 3, body)
	}
	ctx := c.t.Context()
	if op.stream { // one that has nothing to say is interrupted, as by Ctrl-C
		args = append(args, "--count", "1")
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, 3*time.Second)
		defer cancel()
	}
	got := c.run(ctx, args...)
	if err := c.judge(op, known, got); err != nil {
		c.wrong = append(c.wrong, fmt.Sprintf("%s: %v\nexit code %d, printed %.300s\n%.500s", op, err, got.code, got.out, got.err))
	}
}

// existing is the path of a read with something to read: what could be deleted is there.
func (c *cli) existing(op operation) string {
	c.t.Helper()
	owner, rest, _ := strings.Cut(op.path, "/{id}")
	if owner == "/problems/states" { // its ids are kinds of objects
		return owner + "/domain"
	}
	of := owner
	if strings.HasPrefix(owner, "/certificate-") { // what else there is to know of one
		of = "/certificates"
	}
	p, known := c.prepare(operation{method: http.MethodDelete, path: of + "/{id}"})
	if !known {
		c.t.Errorf("%s: nobody knows how to make one", op)
	}
	return strings.Replace(p.path, of, owner, 1) + rest
}

// answersARestore reports an operation for which a restore has to wait for its confirmation, which the end-to-end tests bring about.
func answersARestore(op operation) bool {
	return op.String() == "POST /backups/restore/confirm" || op.String() == "POST /backups/restore/undo"
}

// judge holds what was printed against the document, and the exit code against the status.
func (c *cli) judge(op operation, known bool, got printed) error {
	status, header, err := head(got.err)
	if err != nil {
		return err
	}
	if want := exitCode(status, header); got.code != want {
		return fmt.Errorf("exit code %d for status %d, want %d", got.code, status, want)
	}
	silent := op.stream && status == http.StatusSwitchingProtocols && got.out == ""
	if !silent && (strings.Count(got.out, "\n") != 1 || !json.Valid([]byte(got.out))) {
		return errors.New("it printed something else than one line of JSON")
	}
	if id := header.Get("Gateway-Change"); id != "" && !slices.Contains(publicOperations, op.String()) {
		c.changes = append(c.changes, id)
	}
	body := []byte(got.out)
	if kind := header.Get("Content-Type"); status < 300 && kind != "" && !strings.HasPrefix(kind, "application/json") {
		var text struct{ Data string }
		if err := json.Unmarshal(body, &text); err != nil || text.Data == "" {
			return errors.Join(errors.New("the text is not in data"), err)
		}
		body = []byte(text.Data)
	} else if !op.stream {
		c.spoil(op, status, header, body)
	}
	if err := c.doc.Check(op.method, op.path, status, header, body); err != nil {
		return err
	}
	return c.count(op, known, status)
}

// head reads what --include printed on standard error.
func head(text string) (int, http.Header, error) {
	r := textproto.NewReader(bufio.NewReader(strings.NewReader(text)))
	line, err := r.ReadLine()
	if err != nil {
		return 0, nil, fmt.Errorf("no status: %w", err)
	}
	code, _, _ := strings.Cut(line, " ")
	status, err := strconv.Atoi(code)
	if err != nil {
		return 0, nil, fmt.Errorf("no status: %w", err)
	}
	header, err := r.ReadMIMEHeader()
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, nil, fmt.Errorf("headers: %w", err)
	}
	return status, http.Header(header), nil
}

// exitCode is what the manual promises of a status.
func exitCode(status int, header http.Header) int {
	switch state := header.Get("Gateway-Apply"); {
	case status == http.StatusInternalServerError:
		return 1
	case status == http.StatusServiceUnavailable, status == http.StatusTooManyRequests:
		return 5
	case status >= http.StatusBadRequest:
		return 4
	case state != "" && state != "live":
		return 6
	}
	return 0
}

// count sorts a right answer. What is known to succeed must, but for the caller's own account.
func (c *cli) count(op operation, known bool, status int) error {
	public := slices.Contains(publicOperations, op.String())
	switch own := strings.HasPrefix(op.path, "/auth/") && !public; {
	case own && status != http.StatusForbidden:
		return fmt.Errorf("status %d for an account that root does not have, want 403", status)
	case own:
		c.own++
	case status < http.StatusBadRequest:
		c.done++
		if op.stream {
			c.streams++
		}
	case status == http.StatusInternalServerError:
		return errors.New("internal error")
	case known && status != http.StatusServiceUnavailable && !(answersARestore(op) && status == http.StatusConflict): // this machine has no daemons
		return fmt.Errorf("status %d, want it done", status)
	default:
		c.t.Logf("%s is refused: %d", op, status)
		c.refused++
	}
	return nil
}

// spoil is the control: the same answer, made wrong in three ways, must be found.
func (c *cli) spoil(op operation, status int, header http.Header, body []byte) {
	var env map[string]json.RawMessage
	if json.Unmarshal(body, &env) != nil || len(env) != 2 {
		return // the document itself
	}
	other := maps.Clone(env)
	other["data"], other["error"] = json.RawMessage("1.5"), json.RawMessage("1.5")
	less := maps.Clone(env)
	delete(less, "error")
	for _, bad := range []struct {
		status int
		env    map[string]json.RawMessage
	}{{http.StatusTeapot, env}, {status, other}, {status, less}} {
		text, err := json.Marshal(bad.env)
		if err != nil {
			c.t.Fatal(err)
		}
		c.spoilt++
		if c.doc.Check(op.method, op.path, bad.status, header, text) != nil {
			c.found++
		}
	}
}

// audited: what was changed stands in the history as the local administrator's.
func (c *cli) audited() {
	c.t.Helper()
	var mine, entries int
	const query = `select (select count(*) from changes where id = any($1) and actor = 'local'),
		(select count(distinct change_id) from audit_entries where change_id = any($1) and actor = 'local')`
	if err := c.Pool.QueryRow(c.t.Context(), query, c.changes).Scan(&mine, &entries); err != nil {
		c.t.Fatal(err)
	}
	if n := len(c.changes); n < 20 || mine != n || entries != n {
		c.wrong = append(c.wrong, fmt.Sprintf("of %d changes %d are the local administrator's, and %d are in the audit log", n, mine, entries))
	}
}

// process runs gateway-ctl as one: this test's own program, told to be it.
func (c *cli) process(args ...string) printed {
	c.t.Helper()
	cmd := exec.CommandContext(c.t.Context(), os.Args[0], append([]string{"-test.run=^TestRunAsGatewayCtl$", "--"}, args...)...)
	cmd.Env = append(os.Environ(), asGatewayCtl+"=1")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		c.t.Fatal(err)
	}
	return printed{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

const asGatewayCtl = "GATEWAY_TEST_AS_CTL"

// TestRunAsGatewayCtl is no test: it is gateway-ctl for those that start this program again.
func TestRunAsGatewayCtl(t *testing.T) {
	if os.Getenv(asGatewayCtl) == "" {
		t.Skip("only for tests that run gateway-ctl as a process")
	}
	root := ctl.New()
	root.SetArgs(flag.Args())
	process.Main(ctl.Execute(t.Context(), root))
	os.Exit(0)
}

// commands runs each command as a process, and tells how many that were and which were wrong.
func (c *cli) commands() (n int, wrong []string) {
	c.t.Helper()
	change := c.admin.Post("/ntp/pools", fields{"kind": "server", "address": unique() + ".example.com"}).Want(http.StatusCreated).Header.Get("Gateway-Change")
	asks := c.admin.Copy()
	asks.Header.Set("Gateway-Confirm-Within", "3600")
	waiting := asks.Post("/dns/zones", fields{"name": unique() + ".arpa", "forward_to": []string{}}).Want(http.StatusCreated).Header.Get("Gateway-Change")
	dir := c.t.TempDir()
	file := dir + "/empty.yaml"
	if err := os.WriteFile(file, []byte("ntp: {pools: []}\n"), 0o600); err != nil {
		c.t.Fatal(err)
	}
	const away = "host=/nonexistent user=gateway dbname=gateway"
	const noChange = "00000000-0000-7000-8000-0000000000ff"
	ran := map[string]bool{}
	for _, tc := range []struct {
		args  []string
		codes []int // the first of them, or one that depends on the node
	}{
		{c.on("status"), []int{0, 3}},
		{[]string{"status", "--state-dir", c.Config.StateDir, "--database", away}, []int{3}},
		{c.on("problems"), []int{0, 3, 4}},
		{c.on("changes"), []int{0}},
		{c.on("confirm", waiting), []int{0}},
		{c.on("confirm", noChange), []int{4}},
		{c.on("revert", change), []int{0}},
		{c.on("revert", noChange), []int{4}},
		{c.on("export"), []int{0}},
		{c.on("apply", file, "--dry-run"), []int{0}},
		{c.on("apply", file), []int{0}},
		{c.on("apply", "/nonexistent"), []int{1}},
		{c.on("render-config"), []int{0}},
		{append(c.on("render-config"), "--apply-socket", "/nonexistent"), []int{6}},
		{c.on("audit-verify"), []int{0}},
		{c.on("backup", "list"), []int{0}},
		{c.on("backup", "create"), []int{5}}, // nobody makes them here
		{c.on("backup", "verify", noChange), []int{4}},
		{c.on("backup", "passphrase", "--passphrase-file", file), []int{0}},
		{c.on("backup", "verify"), []int{2}},
		{c.on("setup-code"), []int{4}},
		{c.on("reset-password"), []int{0}},
		{[]string{"version"}, []int{0}},
		{[]string{"--version"}, []int{0}},
		{c.on("api", "GET", "/nowhere"), []int{4}},
		{c.on("api", "GET", "/system/health"), []int{0}},
		{[]string{"api", "GET", "/changes", "--state-dir", c.Config.StateDir, "--database", away}, []int{5}},
		{append(c.on("api", "POST", "/ntp/pools", `{"kind":"server","address":"late.example.com"}`), "--apply-socket", "/nonexistent"), []int{6}},
		{c.on("capture", "gw-no-such0", dir+"/packets.pcap"), []int{4}},
		{c.on("restore", "status"), []int{0}},
		{c.on("restore", noChange), []int{4}},
		{c.on("tunnel-import", "gw-no-such0"), []int{4}},
		{c.on("support-bundle", dir+"/support.tar.gz"), []int{0}},
		{c.on("support-bundle"), []int{2}},
		{[]string{"no-such-command"}, []int{2}},
		{[]string{"confirm"}, []int{2}},
		{[]string{"api", "FETCH", "/users"}, []int{2}},
		{[]string{"status", "--no-such-flag"}, []int{2}},
	} {
		n++
		ran[tc.args[0]] = ran[tc.args[0]] || tc.codes[0] != 2 // wrong usage alone shows nothing of a command
		got := c.process(append(tc.args, "--json")...)
		if err := judgeCommand(got, tc.codes); err != nil {
			wrong = append(wrong, fmt.Sprintf("gateway-ctl %s: %v\nexit code %d, printed %.300s\n%.300s", strings.Join(tc.args, " "), err, got.code, got.out, got.err))
		}
	}
	for _, cmd := range ctl.New().Commands() {
		if !cmd.Hidden && !ran[cmd.Name()] {
			wrong = append(wrong, fmt.Sprintf("gateway-ctl %s: no case runs it", cmd.Name()))
		}
	}
	return n, wrong
}

// judgeCommand: the answer is the envelope, also that of a refusal; wrong usage is words too,
// and words only where the flag itself was not understood.
func judgeCommand(got printed, codes []int) error {
	if !slices.Contains(codes, got.code) {
		return fmt.Errorf("want exit code %v", codes)
	}
	if got.code == 2 {
		if got.out != "" && !json.Valid([]byte(got.out)) || !strings.Contains(got.err, "usage: gateway-ctl") {
			return errors.New("it does not say how it is used")
		}
		return nil
	}
	var env map[string]json.RawMessage
	if err := json.Unmarshal([]byte(got.out), &env); err != nil || strings.Count(got.out, "\n") != 1 {
		return errors.Join(errors.New("it printed something else than one line of JSON"), err)
	}
	if env["data"] == nil || env["error"] == nil || len(env) != 2 {
		return errors.New("it printed something else than {data, error}")
	}
	if failed, words := string(env["error"]) != "null", got.err != ""; failed && (!words || got.code == 0) {
		return errors.New("an error without words, or with exit code 0")
	}
	return nil
}
