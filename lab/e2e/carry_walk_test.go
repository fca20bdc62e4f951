package e2e

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway/tools/bar"
)

// walk is docs/adding-a-component.md in a copy of the tree.
type walk struct {
	t   *testing.T
	dir string
}

func newWalk(t *testing.T) walk {
	t.Helper()
	w := walk{t, filepath.Join(t.TempDir(), "gateway")}
	source, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	// Only what is part of the repository, whoever it belongs to, and what npm fetched for it.
	w.sh(source, `mkdir "$0"
		files() {
			git -c safe.directory='*' ls-files -z --cached --others --exclude-standard 2>/dev/null ||
				find . \( -name node_modules -o -path ./web/dist -o -path ./dist -o -path ./.cache -o -path ./.git \) -prune -o -type f -print0
		}
		files | xargs -0 cp -pP --parents -t "$0"
		ln -sfT "$(readlink -f web/node_modules)" "$0/web/node_modules"`, w.dir)
	w.sh(w.dir, `git init -q && git add -A && git -c user.name=walk -c user.email=walk@example.com commit -qm start`)
	return w
}

func (w walk) sh(dir, line string, args ...string) string {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), "bash", append([]string{"-euo", "pipefail", "-c", line}, args...)...)
	cmd.Dir = dir
	for _, v := range os.Environ() { // a make above us must not tell this one what to do
		if !regexp.MustCompile(`^(MAKE|MFLAGS|GNUMAKEFLAGS|VERSION=|GATEWAY_E2E|GATEWAY_GATE)`).MatchString(v) {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "GOFLAGS=-trimpath", "CGO_ENABLED=0") // what "make deb" built is not built again for another folder
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("%.300s: %v\n%s", line, err, out)
	}
	return strings.TrimSpace(string(out))
}

var shellBlock = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")

// forPages begins the first block that needs pages, and with them minutes.
const forPages = "make openapi"

// follow runs the blocks of the page, one after the other, or only those of the server.
func (w walk) follow(pages bool) int {
	w.t.Helper()
	page, err := os.ReadFile(filepath.Join(w.dir, "docs/adding-a-component.md"))
	if err != nil {
		w.t.Fatal(err)
	}
	blocks := shellBlock.FindAllStringSubmatch(string(page), -1)
	for i, b := range blocks {
		if !pages && strings.HasPrefix(b[1], forPages) {
			return i
		}
		began := time.Now()
		w.sh(w.dir, b[1])
		w.t.Logf("block %d took %.1f s", i+1, time.Since(began).Seconds())
	}
	return len(blocks)
}

var (
	ownFolder = regexp.MustCompile(`^(internal/component|packaging/daemons|web/src/features)/quote/`)
	generated = regexp.MustCompile(`^web/(openapi\.json|src/api/generated/)`)
	ofTests   = regexp.MustCompile(`^(lab|tools|web/src/test|web/e2e)/|_test\.go |\.test\.tsx? |/testdata/`)
)

// outside are the files beyond the component's folders that were touched, with the lines added and
// removed: those that somebody edits, and those that "make openapi" writes.
func (w walk) outside() (edited, written []string) {
	w.t.Helper()
	w.sh(w.dir, `git add -A`)
	for line := range strings.Lines(w.sh(w.dir, `git diff --cached --numstat`) + "\n") {
		f := strings.Fields(line)
		if len(f) != 3 || ownFolder.MatchString(f[2]) {
			continue
		}
		what := fmt.Sprintf("%s +%s -%s", f[2], f[0], f[1])
		if generated.MatchString(f[2]) {
			written = append(written, what)
		} else {
			edited = append(edited, what)
		}
	}
	return edited, written
}

// A component that nobody has seen before is added by the page, and works on a node.
func TestBarCarry09AddingAComponent(t *testing.T) {
	bar.NotShort(t)
	w := newWalk(t)
	pages := bar.GateSize(0, 1, 1) > 0
	blocks := w.follow(pages)
	bar.Report(t, "carry", 9, fmt.Sprintf("%d blocks of docs/adding-a-component.md run in a copy of the tree", blocks), "green", blocks > 5)
	if !pages {
		return
	}

	a := fresh(t)
	a.install(filepath.Join(w.dir, "dist/gateway_0.1.2_amd64.deb"))
	a.setUp(firstAdmin)
	q := &quoted{appliance: a, caller: a.signedIn(firstAdmin)}
	outside, written := w.outside()
	t.Logf("outside of its folders: %v, and written by make openapi: %v", outside, written)
	q.claim("one line and one import in each of two lists", strings.Join(outside, ", ") ==
		"internal/component/all/all.go +2 -0, internal/component/daemons/daemons.go +2 -0")
	q.claim("words in both languages are in the pages", w.sh(w.dir, `grep -l -e 'Quote of the day (TCP)' -e 'Zitat des Tages (TCP)' web/dist/assets/*.js | wc -l`) == "2")
	q.story()
	for _, f := range q.failed {
		t.Errorf("not so: %s", f)
	}
	tests := slices.DeleteFunc(slices.Clone(outside), func(f string) bool { return !ofTests.MatchString(f) })
	figure := fmt.Sprintf("%d of %d claims hold; outside of its folders %d files are edited (a line and its import in the list of each program), %d of them of tests, and %d written by make openapi",
		q.held, q.held+len(q.failed), len(outside), len(tests), len(written))
	// The target says one list; gateway-apply links no code of the API, so there are two.
	bar.Report(t, "carry", 1, figure, "all, one line in each of the two lists", len(q.failed) == 0)
}

// quoted is a node with the quote of the day.
type quoted struct {
	*appliance
	caller *caller
	held   int
	failed []string
}

func (q *quoted) claim(what string, holds bool) {
	if holds {
		q.held++
	} else {
		q.failed = append(q.failed, what)
	}
}

const quoteKey = "correct-horse-battery"

func (q *quoted) set(on bool, text string, key ...string) string {
	q.t.Helper()
	body := map[string]any{"enabled": on, "port": 1717, "quote": text}
	if len(key) > 0 {
		body["key"] = key[0]
	}
	return q.caller.put("/quote/settings", body).want(200).header.Get("Gateway-Change")
}

// try is a line of shell whose failure is an answer too.
func (q *quoted) try(line string) string {
	out, _ := q.node.Run(q.t.Context(), "sh", "-c", line)
	return strings.TrimSpace(out)
}

// units is what systemd says of both, and whether the packet filter lets clients through.
func (q *quoted) units() string {
	both := "gateway-quote-tcp gateway-quote-udp"
	open := "shut"
	if rules := q.try("nft list table inet gateway"); strings.Contains(rules, "tcp dport 1717") && strings.Contains(rules, "udp dport 1717") {
		open = "open"
	}
	return strings.Join(strings.Fields(q.try("systemctl is-active "+both+"; systemctl is-enabled "+both)), " ") + " " + open
}

const (
	bothUp   = "active active enabled enabled open"
	bothDown = "inactive inactive disabled disabled shut"
)

func (q *quoted) becomes(what, want string) {
	q.t.Helper()
	got := ""
	for end := time.Now().Add(patience); got != want && time.Now().Before(end); {
		got = q.units()
	}
	if got != want {
		q.t.Logf("%s: %s, want %s", what, got, want)
	}
	q.claim(what, got == want)
}

// soon claims that a line of shell comes to print what is wanted.
func (q *quoted) soon(what, line, want string) {
	q.t.Helper()
	got := ""
	for end := time.Now().Add(patience); got != want && time.Now().Before(end); {
		got = q.try(line)
	}
	if got != want {
		q.t.Logf("%s: %q, want %q", what, got, want)
	}
	q.claim(what, got == want)
}

// logged claims that the logs know the service by its name, and have what it wrote.
func (q *quoted) logged() {
	q.t.Helper()
	var sources []struct{ Name, Unit string }
	q.caller.get("/logs/sources").want(200).decode(&sources)
	q.claim("it is among the sources of the logs", slices.Contains(sources, struct{ Name, Unit string }{"quote", "gateway-quote-tcp.service"}))
	has := func() bool {
		return slices.ContainsFunc(q.caller.logs(url.Values{"sources": {"quote"}}).Entries, func(e journalEntry) bool {
			return e.Source == "quote" && e.Message == "listens on tcp port 1717"
		})
	}
	for end := time.Now().Add(patience); !has() && time.Now().Before(end); {
		<-time.After(100 * time.Millisecond)
	}
	q.claim("its line is in the logs", has())
}

func (q *quoted) story() {
	q.t.Helper()
	q.becomes("off by default", bothDown)
	services := q.caller.services()
	q.claim("the list of services has both", services["quote"].Unit == "gateway-quote-tcp.service" && services["quote-udp"].ActiveState == "inactive")
	q.claim("the list of packages has what it needs", strings.Contains(q.caller.get("/system/package-versions").String(), `"perl"`))

	change := q.set(true, "Less is more.", quoteKey)
	q.becomes("on: two units up, also at boot, and the port open", bothUp)
	want := q.try(`printf 'Less is more.' | openssl dgst -sha256 -hmac ` + quoteKey + ` | sed 's/.*= //'`)
	// The units are up a moment before their programs listen.
	q.soon("TCP answers, signed with the key", `bash -c 'exec 3<>/dev/tcp/127.0.0.1/1717; head -1 <&3'`, "Less is more. "+want)
	q.soon("UDP too", `bash -c 'exec 3<>/dev/udp/127.0.0.1/1717; echo >&3; timeout 2 head -1 <&3'`, "Less is more. "+want)
	q.logged()
	q.claim("the key is for the daemon's group", q.mode("/etc/gateway/quote/key") == "640 root:quote")
	q.claim("others cannot read it", q.try("runuser -u gateway -- cat /etc/gateway/quote/key >/dev/null 2>&1 || echo refused") == "refused")
	q.claim("no answer has it", !strings.Contains(q.caller.get("/quote/settings").String()+q.caller.get("/system/config-preview").String()+
		q.caller.get("/changes/"+change).String(), quoteKey))
	q.claim("gateway-apply may not change owners", !strings.Contains(q.run("systemctl", "show", "-p", "CapabilityBoundingSet", "gateway-apply"), "cap_chown"))

	later := q.set(true, "More is less.")
	q.caller.post("/changes/"+later+"/revert", nil).want(200)
	q.claim("a revert brings the quote back", q.caller.settings("/quote/settings")["quote"] == "Less is more.")
	q.eventually(patience, "the first quote is answered again", func() bool {
		return strings.HasPrefix(q.try(`bash -c 'exec 3<>/dev/tcp/127.0.0.1/1717; head -1 <&3'`), "Less is more. ")
	})

	q.set(false, "Less is more.")
	q.becomes("off again", bothDown)
	q.lab.Must(q.node.Kill()) // the plug is pulled
	q.lab.Must(q.node.Boot())
	q.eventually(patience, "the API is back", func() bool { return len(q.caller.standings()) > 0 })
	q.becomes("off after a boot", bothDown)
	q.set(true, "Less is more.")
	q.becomes("on again", bothUp)
	q.run("dpkg", "-r", "gateway")
	q.claim("removed while it runs, it is stopped", q.try("pgrep -f /usr/lib/gateway/[q]uoted") == "")
	q.claim("nothing of it stays after a removal", q.try("ls /etc/gateway/quote/key /usr/lib/systemd/system/gateway-quote-tcp.service 2>/dev/null; "+
		"find /etc/systemd/system -name 'gateway-quote*'") == "")
}
