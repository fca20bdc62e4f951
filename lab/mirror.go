package lab

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// source is one Debian archive the host's apt is set up with.
type source struct {
	uri    string
	suites []string
}

// hostSources returns the sources of the release being built, translated from
// the host's own: where the host reads bookworm-security, the root reads
// trixie-security from the same address. The first one carries the release itself.
func hostSources() ([]source, error) {
	if uri := os.Getenv("GATEWAY_LAB_MIRROR"); uri != "" {
		return []source{{uri: uri, suites: []string{release}}}, nil
	}
	codename, err := hostCodename("/etc/os-release")
	if err != nil {
		return nil, err
	}
	found, err := readSources("/etc/apt")
	if err != nil {
		return nil, err
	}
	out := translate(found, codename)
	if len(out) == 0 {
		return nil, errors.New("no Debian archive in the host's apt sources: set GATEWAY_LAB_MIRROR")
	}
	return out, nil
}

// hostCodename reads the host's release name, which says which sources are Debian's.
func hostCodename(path string) (string, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read the host's release: %w", err)
	}
	fields := map[string]string{}
	for line := range strings.Lines(string(b)) {
		if k, v, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			fields[k] = strings.Trim(v, `"`)
		}
	}
	if fields["ID"] != "debian" {
		return "", fmt.Errorf("the host runs %q, not Debian: set GATEWAY_LAB_MIRROR", fields["ID"])
	}
	return fields["VERSION_CODENAME"], nil
}

// translate keeps the suites of the host's release and names them after ours.
func translate(found []source, codename string) []source {
	var out []source
	for _, s := range found {
		var suites []string
		for _, suite := range s.suites {
			switch rest, ok := strings.CutPrefix(suite, codename); {
			case !ok:
			case rest == "", rest == "-updates", rest == "-security":
				suites = append(suites, release+rest)
			}
		}
		if len(suites) > 0 {
			out = append(out, source{uri: s.uri, suites: suites})
		}
	}
	// debootstrap takes the first, which must be the archive with the release itself.
	slices.SortStableFunc(out, func(a, b source) int { return rank(b) - rank(a) })
	return out
}

// rank is 1 for the archive that carries the release itself.
func rank(s source) int {
	if slices.Contains(s.suites, release) {
		return 1
	}
	return 0
}

func readSources(etc string) ([]source, error) {
	lists, _ := filepath.Glob(filepath.Join(etc, "sources.list.d", "*.list"))
	lists = append([]string{filepath.Join(etc, "sources.list")}, lists...)
	deb822, _ := filepath.Glob(filepath.Join(etc, "sources.list.d", "*.sources"))
	var out []source
	for _, path := range append(lists, deb822...) {
		b, err := os.ReadFile(path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read the host's apt sources: %w", err)
		}
		if strings.HasSuffix(path, ".sources") {
			out = append(out, parseDeb822(string(b))...)
		} else {
			out = append(out, parseOneLine(string(b))...)
		}
	}
	return out, nil
}

// parseOneLine reads "deb [options] uri suite component…" lines.
func parseOneLine(text string) []source {
	var out []source
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "deb ")
		if !ok {
			continue
		}
		if i := strings.Index(rest, "]"); i >= 0 && strings.HasPrefix(strings.TrimSpace(rest), "[") {
			rest = rest[i+1:]
		}
		f := strings.Fields(rest)
		if len(f) >= 3 {
			out = keep(out, f[:1], f[1:2], f[2:])
		}
	}
	return out
}

// parseDeb822 reads stanzas of "Field: value" lines. A line that continues a
// field is not read: the fields of interest are short.
func parseDeb822(text string) []source {
	var out []source
	stanza := map[string][]string{}
	flush := func() {
		if len(stanza["enabled"]) == 0 || stanza["enabled"][0] != "no" {
			out = keep(out, stanza["uris"], stanza["suites"], stanza["components"])
		}
		stanza = map[string][]string{}
	}
	sc := bufio.NewScanner(strings.NewReader(text))
	for sc.Scan() {
		line := sc.Text()
		if strings.TrimSpace(line) == "" {
			flush()
			continue
		}
		if k, v, ok := strings.Cut(line, ":"); ok && !strings.HasPrefix(line, "#") {
			stanza[strings.ToLower(k)] = strings.Fields(v)
		}
	}
	flush()
	return out
}

// keep adds what debootstrap can use: an archive over HTTP with Debian's own
// component. Other vendors name their suites after Debian's, but not their components.
func keep(out []source, uris, suites, components []string) []source {
	if len(uris) == 0 || len(components) == 0 || components[0] != "main" {
		return out
	}
	if !strings.HasPrefix(uris[0], "http://") && !strings.HasPrefix(uris[0], "https://") {
		return out
	}
	return append(out, source{uri: strings.TrimSuffix(uris[0], "/"), suites: suites})
}
