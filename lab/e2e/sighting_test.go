package e2e

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

// The places that are searched.
const (
	answers   = "the answers"
	journal   = "the journal"
	dump      = "the dump of the database"
	audit     = "the audit log"
	processes = "the processes' arguments and environments"
	state     = "/var/lib/gateway"
	disk      = "the files below /etc, /home, /opt, /root, /run, /srv, /tmp and /var"
)

// places fetches all that can be searched as text. The disk is searched on the node.
func (a *aviary) places(stream *live) map[string]string {
	a.t.Helper()
	recent := a.signIn().get("/audit/recent?limit=1000").want(200)
	return map[string]string{
		journal: a.run("journalctl", "--no-pager", "--all", "--namespace=*", "-o", "export"), // with every field, command lines too, and the access log
		dump:    a.run("runuser", "-u", "postgres", "--", "pg_dump", "gateway"),
		audit:   string(recent.body) + string(stream.raw) + a.sql("gateway", "select e::text from audit_entries e"),
		processes: a.sh(`for f in /proc/[0-9]*/cmdline /proc/[0-9]*/environ; do
			tr '\0' '\n' <$f 2>/dev/null || true; done`),
		// The files of samples have their full size from the beginning: more than a hundred megabytes of zeros.
		state: a.run("bash", "-o", "pipefail", "-c", `find /var/lib/gateway -type f -exec cat {} + | tr -s '\0'`),
	}
}

// sightings lists where a canary is that it must not be, the disk apart.
func (a *aviary) sightings(c canary, places map[string]string) []string {
	a.t.Helper()
	var seen []string
	for i, h := range a.heard.all() {
		if i != c.shown && c.in(h.text) {
			seen = append(seen, fmt.Sprintf("%s: no. %d, to %s", answers, i, h.what))
		}
	}
	for where, text := range places {
		if c.in(text) {
			seen = append(seen, where)
		}
	}
	slices.Sort(seen)
	return seen
}

// in looks for a canary as it is, without its dashes, and in the codings that databases and logs use.
func (c canary) in(text string) bool {
	if c.short { // microseconds and longer numbers are no codes
		return regexp.MustCompile(`(^|[^0-9.])` + c.value + `($|[^0-9])`).MatchString(text)
	}
	return slices.ContainsFunc(c.spellings(), func(s string) bool { return strings.Contains(text, s) })
}

func (c canary) spellings() []string {
	out := []string{c.value, hex.EncodeToString([]byte(c.value)), strings.ToUpper(hex.EncodeToString([]byte(c.value)))}
	if plain := strings.ReplaceAll(c.value, "-", ""); plain != c.value {
		out = append(out, plain)
	}
	if random, is := strings.CutPrefix(c.value, canaryPrefix); is {
		out = append(out, random) // however a file spells the dash
	}
	for shift := range 3 { // wherever it lies in what was coded
		b := base64.RawStdEncoding.EncodeToString(append(bytes.Repeat([]byte{0}, shift), c.value...))
		out = append(out, b[(shift*8+5)/6:len(b)-1])
	}
	return out
}

// grep lists the files that hold a canary in any spelling, by its value. It looks for all of them at once, since
// each search reads the whole disk. They go in by a pipe: in a command line it would find them. Lines end at zeros,
// of which a file may have a hundred megabytes.
func (a *aviary) grep(flock []canary) map[string][]string {
	a.t.Helper()
	values := map[string][]string{} // by spelling
	for _, c := range flock {
		if c.short {
			continue
		}
		for _, s := range c.spellings() {
			values[s] = append(values[s], c.value)
		}
	}
	out, err := a.node.RunInput(a.t.Context(), strings.NewReader(strings.Join(slices.Collect(maps.Keys(values)), "\n")),
		"sh", "-c", "LC_ALL=C grep -razoFZ -D skip --exclude-dir=proc -f - /etc /home /opt /root /run /srv /tmp /var || [ $? = 1 ]")
	if err != nil {
		a.t.Fatalf("search %s: %v: %s", disk, err, out)
	}
	files := map[string][]string{}
	for pair := range slices.Chunk(strings.Split(strings.TrimSuffix(out, "\x00"), "\x00"), 2) {
		for s, of := range values {
			if len(pair) < 2 || !strings.Contains(pair[1], s) {
				continue // the longest of several that begin there was found
			}
			for _, v := range of {
				if !slices.Contains(files[v], pair[0]) {
					files[v] = append(files[v], pair[0])
				}
			}
		}
	}
	return files
}

const controlPrefix = "control-"

// control plants something that the search has to find.
func (a *aviary) control(name string) string {
	v := controlPrefix + strings.ToLower(rand.Text())
	a.controls = append(a.controls, canary{name: name, value: v, shown: -1})
	return v
}

// plantControls puts what is no secret into each place, by harmless ways.
func (a *aviary) plantControls() {
	email := a.control("control in a user's e-mail") + "@example.com"
	a.controls[0].value = email
	a.signIn().post("/users", map[string]any{"email": email, "role": "viewer", "password": a.loose("password of the control user")}).want(201)
	a.run("logger", a.control("control in the journal"))
	a.run("systemd-run", "--quiet", "--setenv=CONTROL="+a.control("control in an environment"),
		"bash", "-c", "exec -a "+a.control("control in a command line")+" sleep 300")
	a.lab.Must(a.node.WriteFile("/var/lib/gateway/control", []byte(a.control("control in the state")), 0o600))
	a.lab.Must(a.node.WriteFile("/var/log/control.log", []byte(hex.EncodeToString([]byte(a.control("control in a log file, in hex")))), 0o600))
	code := "074"
	code += fmt.Sprint(100 + int(a.node.IP().As4()[3])) // six digits
	a.controls = append(a.controls, canary{name: "control like a TOTP code", value: code, shown: -1, short: true})
	a.run("logger", "code="+code+" was planted")
}

// untilControl reads the stream from now on, since who does not answer its pings is disconnected,
// and waits, when it is asked to, for the user that plantControls makes.
func (l *live) untilControl() (wait func()) {
	end := make(chan error, 1)
	go func() {
		for {
			e, err := l.next(4 * time.Minute)
			if err != nil || e.Action == "user.create" && strings.HasPrefix(e.Subject, controlPrefix) {
				end <- err
				return
			}
		}
	}()
	return func() {
		l.t.Helper()
		if err := <-end; err != nil {
			l.t.Fatalf("/audit/live did not show the control: %v", err)
		}
	}
}

// searchForControls counts the controls that were found wherever they were planted.
func (a *aviary) searchForControls(places map[string]string) (found int) {
	planted := map[string][]string{
		"control in a user's e-mail":     {answers, dump, audit, "/var/lib/postgresql"},
		"control in the journal":         {journal},
		"control in an environment":      {processes},
		"control in a command line":      {processes},
		"control in the state":           {state},
		"control in a log file, in hex":  {"/var/log/control.log"},
		"control like a TOTP code":       {journal},
		"control in the browser's store": {browserStore},
		"control in a zone's name":       {supportBundle},

		"control in a command line that ended": {meanwhile},
	}
	for _, c := range a.controls {
		where := strings.Join(append(a.sightings(c, places), a.onDisk[c.value]...), ", ")
		missing := slices.DeleteFunc(planted[c.name], func(p string) bool { return strings.Contains(where, p) })
		if len(missing) > 0 || where == "" {
			a.t.Errorf("%s was not found in %v, only in %q: nothing can be said about the others", c.name, missing, where)
			continue
		}
		a.t.Logf("%s was found in %s", c.name, where)
		found++
	}
	return found
}
