package filter

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gateway/internal/component/firewall/policy"
	"gateway/internal/daemon"
	"gateway/internal/fault"
	"gateway/internal/packetfilter"
)

// The two files of the packet filter: what is there, and what is in its sets. A changed
// member changes the second one alone.
const (
	RulesPath    = "/etc/gateway/nftables/rules.nft"
	ElementsPath = "/etc/gateway/nftables/elements.nft"

	fileMode = 0o640
)

func (f *filter) render(s *policy.State) (daemon.Rendering, error) {
	return render(s, f.compiler.Compile(&s.Policy)), nil
}

// installed keeps what the kernel has, whose expired rules are cut, and when the next rule runs out.
func (f *filter) installed(now daemon.Rendering) {
	s, ok := daemon.From[*policy.State](now)
	if !ok {
		return
	}
	f.rendered.Store(s)
	f.expiry.expect(s.Expires)
}

// Shut is the packet filter of a node that knows nothing yet: only its management is reachable.
func Shut() daemon.Rendering {
	s := &policy.State{Policy: packetfilter.Policy{Lockout: packetfilter.Lockout{Management: policy.ManagementPort}}}
	return render(s, packetfilter.Compile(&s.Policy))
}

func render(s *policy.State, text packetfilter.Text) daemon.Rendering {
	r := daemon.Rendering{
		Files: []daemon.File{
			{Path: RulesPath, Mode: fileMode, Data: text.Rules},
			{Path: ElementsPath, Mode: fileMode, Data: text.Elements},
		},
		Problems: s.Problems,
	}
	for _, problem := range text.Problems {
		// A NAT rule of two families is stored, left out and told: so it was specified.
		r.Problems = append(r.Problems, daemon.Problem{Subject: problem.Subject, Sentence: asSaid(problem.Message), Tolerated: s.Mixed[problem.ID]})
	}
	return r
}

// check does not ask nft: that costs as much as loading, which is one transaction and fails
// as a whole. Every value in the files is typed, so that none can be more than a value; this
// is the last look that nothing else got in.
func check(_ context.Context, dir string) error {
	for _, path := range []string{RulesPath, ElementsPath} {
		data, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil {
			return fmt.Errorf("read the staged file: %w", err)
		}
		if !plain(data) {
			return fault.New(fault.Invalid, "the packet filter file %s would contain unprintable characters", path).WithCode("refused_by_nft")
		}
	}
	return nil
}

// isPlain is check without the way over the disk.
func isPlain(_, now daemon.Rendering) bool {
	return plain(now.File(RulesPath)) && plain(now.File(ElementsPath))
}

// plain reports whether text is lines of printable ASCII, the last one whole.
func plain(data []byte) bool {
	for _, c := range data {
		if (c < ' ' || c > '~') && c != '\n' && c != '\t' {
			return false
		}
	}
	return bytes.HasSuffix(data, []byte("\n"))
}

// asSaid is a sentence of the compiler. It has no parameters, so it is its own id; where a
// reason was put together, nobody finds a translation, and the message stands.
func asSaid(message string) fault.Sentence {
	// A name in it is the operator's, and no format.
	return fault.Sentence{Message: message, Words: fault.Words{Text: strings.ReplaceAll(message, "%", "%%")}}
}
