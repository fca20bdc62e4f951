package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway/tools/bar"
	"gateway/tools/docs"
)

// reader follows the pages: it runs their blocks in order, and notes what fails.
type reader struct {
	t                *testing.T
	run              int
	shown            []docs.Block
	failed, unmarked []string
	// dry are the targets that make was only asked about, and partly how many blocks have one.
	dry    []string
	partly int
	asked  string // the file that has those of the present block
}

// shell runs a script somewhere, and returns what it printed.
type shell func(ctx context.Context, script string) (string, error)

const blockTimeout = 2 * time.Minute

func (r *reader) page(name string) string {
	r.t.Helper()
	text, err := os.ReadFile(filepath.Join("../..", name))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(text)
}

// follow runs the blocks of a page.
func (r *reader) follow(name, text string, limit time.Duration, in shell) {
	r.t.Helper()
	blocks, wrong := docs.Blocks(name, text)
	r.unmarked = append(r.unmarked, wrong...)
	for _, b := range blocks {
		switch b.Lang {
		case "console":
			r.shown = append(r.shown, b)
		case "sh":
			r.run++
			began := time.Now()
			ctx, cancel := context.WithTimeout(r.t.Context(), limit)
			out, err := in(ctx, b.Text)
			cancel()
			r.t.Logf("%s took %.1f s", b.Where(), time.Since(began).Seconds())
			r.noteDry(b)
			if err != nil {
				r.failed = append(r.failed, fmt.Sprintf("%s: %v\n%s", b.Where(), err, out))
			}
		}
	}
}

// noteDry counts a block apart that was not wholly run.
func (r *reader) noteDry(b docs.Block) {
	r.t.Helper()
	if r.asked == "" {
		return
	}
	text, err := os.ReadFile(r.asked)
	if err == nil {
		err = os.WriteFile(r.asked, nil, 0o600)
	}
	if err != nil {
		r.t.Fatal(err)
	}
	if targets := strings.Fields(string(text)); len(targets) > 0 {
		r.t.Logf("%s: make was only asked about %s", b.Where(), strings.Join(targets, ", "))
		r.dry, r.partly = append(r.dry, targets...), r.partly+1
	}
}

// keeping is a script in bash that ends at the first failure, and finds the variables and the
// folder of the one before it.
func keeping(script string) []string {
	return []string{"bash", "-euo", "pipefail", "-c", `cd; if [ -e .variables ]; then . ./.variables; fi; set -a
` + script + `
cd; export -p | grep -vE '^declare -x (HOME|PATH|PWD|OLDPWD|SHLVL|LANG)=' >.variables || true`}
}

// operator is a fresh node, with the packages in root's home.
func (r *reader) operator() (*appliance, shell) {
	a := fresh(r.t)
	a.run("rm", "-rf", "/var/lib/apt/lists") // the node reaches no archive, and apt would read its lists for seconds
	a.lab.Must(a.node.CopyIn(firstDeb(r.t), "/root/gateway_0.1.0_amd64.deb", 0o644))
	a.lab.Must(a.node.CopyIn(nextDeb(r.t), "/root/gateway_0.1.1_amd64.deb", 0o644))
	return a, func(ctx context.Context, script string) (string, error) { return a.node.Run(ctx, keeping(script)...) }
}

// program is the client beside it, which knows the node by its name.
func (r *reader) program(a *appliance) shell {
	a.client.MustRun(r.t, "sh", "-c", "echo '"+a.node.IP().String()+" gw1' >>/etc/hosts")
	return func(ctx context.Context, script string) (string, error) { return a.client.Run(ctx, keeping(script)...) }
}

// Targets that are cheap enough for the gate, and those that only torture runs. Of the others,
// and elsewhere of those, make says that it knows what to do, and they are counted apart.
const (
	cheapTargets = "help conformance"
	hourTargets  = "check e2e bars torture measured steady fuzz"
)

// developer is the tree. What serves until Ctrl-C is started, waited for and interrupted.
func (r *reader) developer() shell {
	r.asked = filepath.Join(r.t.TempDir(), "asked")
	if err := os.WriteFile(r.asked, nil, 0o600); err != nil {
		r.t.Fatal(err)
	}
	prelude := fmt.Sprintf(`size=%d; asked() { echo "$1" >>'%s'; command make -n "$@" >/dev/null; }
	make() { case "$size $1" in
		"0 "*) case " %s " in *" $1 "*) command make "$@" ;; *) asked "$@" ;; esac ;;
		*" demo") log=$(mktemp); set -m; command make "$@" >"$log" 2>&1 & set +m
			until grep -q Ctrl-C "$log"; do kill -0 $! || { cat "$log"; exit 1; }; sleep 1; done
			kill -INT -- -$!; wait $! || true; rm "$log" ;;
		"1 "*) case " %s " in *" $1 "*) asked "$@" ;; *) command make "$@" ;; esac ;;
		*) command make "$@" ;; esac; }
`, bar.GateSize(0, 1, 2), r.asked, cheapTargets, hourTargets)
	return func(ctx context.Context, script string) (string, error) {
		cmd := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", prelude+script)
		cmd.Dir, cmd.WaitDelay = "../..", 10*time.Second
		for _, v := range os.Environ() { // a make above us must not tell this one what to do
			if !regexp.MustCompile(`^(MAKE|MFLAGS|GNUMAKEFLAGS|VERSION=|GATEWAY_E2E|GATEWAY_GATE|GATEWAY_TORTURE)`).MatchString(v) {
				cmd.Env = append(cmd.Env, v)
			}
		}
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
}

var conformanceFigure = regexp.MustCompile(`(?m)^conformance: (\d+ of \d+) shown$`)

// conformance is what "make conformance" counts now.
func conformance(t *testing.T) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "run", "./tools/conformance")
	cmd.Dir = "../.."
	out, err := cmd.CombinedOutput()
	m := conformanceFigure.FindSubmatch(out)
	if err != nil || m == nil {
		t.Fatalf("make conformance: %v\n%s", err, out)
	}
	return string(m[1])
}

// unrun is what of the blocks was not really run.
func (r *reader) unrun() string {
	if r.partly == 0 {
		return "all of them wholly"
	}
	slices.Sort(r.dry)
	return fmt.Sprintf("%d more with make -n for %s", r.partly, strings.Join(slices.Compact(r.dry), ", "))
}

const plantedBlock = "# Planted\n\n```sh\ngateway-ctl no-such-command\n```\n\n```\nls\n```\n"

// The pages say what works, and the README what was measured.
func TestBarPeople09Pages(t *testing.T) {
	bar.NotShort(t)
	r := &reader{t: t}
	a, node := r.operator()
	r.follow("docs/operator-guide.md", r.page("docs/operator-guide.md"), blockTimeout, node)
	r.follow("docs/api-guide.md", r.page("docs/api-guide.md"), blockTimeout, r.program(a))
	long := time.Duration(bar.GateSize(2, 20, 180)) * time.Minute
	for _, name := range []string{"README.md", "CONTRIBUTING.md"} {
		r.follow(name, r.page(name), long, r.developer())
	}

	readme, measured, shown := r.page("README.md"), r.page("docs/measured.md"), conformance(t)
	missing, figures := docs.Unmeasured("README.md", readme, measured, shown)
	guide := "docs/operator-guide.md"
	sizing, more := docs.Unmeasured(guide, docs.Measured(r.page(guide)), measured, "")
	missing, figures = append(missing, sizing...), figures+more
	if !strings.Contains(readme, shown+" statements") {
		missing = append(missing, "README.md does not say that "+shown+" statements are shown")
	}
	for _, wrong := range append(append(r.failed, r.unmarked...), missing...) {
		t.Error(wrong)
	}
	for _, b := range r.shown {
		t.Logf("%s is not run: %s", b.Where(), b.Reason)
	}

	control := &reader{t: t}
	control.follow("planted.md", plantedBlock, blockTimeout, node)
	planted, _ := docs.Unmeasured("README.md", readme+"\nIt answers in 12,345 ms.\n| planted | 12,345 ms | 1 s | `firewall.4` |\n", measured, shown)
	found := len(control.failed) + len(control.unmarked) + len(planted) + len(sizing) - len(missing)
	figure := fmt.Sprintf("%d blocks run, %s; %d fail, %d without a mark, %d marked as not run; %d of %d figures of README and guide in measured.md; control: %d of 5 planted found",
		r.run-r.partly, r.unrun(), len(r.failed), len(r.unmarked), len(r.shown), figures-len(missing), figures, found)
	bar.Report(t, "people", 9, figure, "0 fail, 0 without a mark, 0 missing, control all",
		len(r.failed)+len(r.unmarked)+len(missing) == 0 && r.run > 20 && found == 5)
}
