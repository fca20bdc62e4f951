package sys

import (
	"os"
	"strings"
	"testing"
)

// Each line is in dpkg's order; "=" joins what it takes for the same version.
const versionOrder = `
	~~
	~~a
	~
	0 = 00 = 0-0 = 0:0
	1.0~~
	1.0~~a
	1.0~beta1~svn1245
	1.0~beta1
	1.0~rc2
	1.0~rc10
	1.0 = 1.0-0 = 0:1.0
	1.0-0ubuntu1
	1.0-1~bpo12+1
	1.0-1
	1.0-1+b1
	1.0-1+deb13u1
	1.0-1+deb13u2
	1.0-1+deb13u10
	1.0-1.1
	1.0-2
	1.0-10
	1.0a
	1.0+dfsg
	1.0+dfsg1
	1.0-1-1
	1.0.4 = 1.00.04
	1.0.10
	1.2.3 = 1.2.3-0
	1.2.3-1
	2.6.12-1+deb12u3
	2.6.12-1+deb12u4
	3.0.11-1+deb13u1
	20240101000000000000000001
	20240101000000000000000002
	1:0
	1:1.0:2
	1:1.0:10
	2:0.1
	10:0.1
`

func versionLines() [][]string {
	var lines [][]string
	for line := range strings.Lines(strings.TrimSpace(versionOrder)) {
		var same []string
		for v := range strings.SplitSeq(line, "=") {
			same = append(same, strings.TrimSpace(v))
		}
		lines = append(lines, same)
	}
	return lines
}

func TestCompareVersions(t *testing.T) {
	lines := versionLines()
	for i, left := range lines {
		for j, right := range lines {
			for _, a := range left {
				for _, b := range right {
					if got, want := CompareVersions(a, b), sign(i-j); got != want {
						t.Errorf("CompareVersions(%q, %q) = %d, want %d", a, b, got, want)
					}
				}
			}
		}
	}
}

// The list above is our claim; dpkg has the last word on it.
func TestVersionOrderIsThatOfDpkg(t *testing.T) {
	if _, err := os.Stat("/usr/bin/dpkg"); err != nil {
		t.Skip("dpkg is not installed")
	}
	lines := versionLines()
	for i, line := range lines {
		for _, v := range line[1:] {
			dpkgAgrees(t, line[0], "eq", v)
		}
		if i > 0 {
			dpkgAgrees(t, lines[i-1][0], "lt", line[0])
		}
	}
}

func dpkgAgrees(t *testing.T, a, relation, b string) {
	t.Helper()
	_, err := Run(t.Context(), Command{Path: "/usr/bin/dpkg", Args: []string{"--compare-versions", a, relation, b}})
	if err != nil {
		t.Errorf("dpkg denies %q %s %q: %v", a, relation, b, err)
	}
}

func sign(n int) int { return min(1, max(-1, n)) }
