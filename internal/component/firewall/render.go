package firewall

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"gateway/internal/component"
	"gateway/internal/db"
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

func (p *part) render(ctx context.Context, q db.DB, _ component.Unseal) (component.Rendering, error) {
	s, err := p.loadJudged(ctx, q)
	if err != nil {
		return component.Rendering{}, err
	}
	p.rendered.Store(s)
	p.expiry.expect(s.expires)
	return render(s, p.compiler.Compile(&s.policy)), nil
}

// Shut is the packet filter of a node that knows nothing yet: only its management is reachable.
func Shut() component.Rendering {
	s := &state{policy: packetfilter.Policy{Lockout: packetfilter.Lockout{Management: managementPort}}}
	return render(s, packetfilter.Compile(&s.policy))
}

// load reads the policy as q has it, with what the other parts need.
func (p *part) load(ctx context.Context, q db.DB) (*state, error) {
	var needed component.Needed
	if p.Needed != nil {
		var err error
		if needed, err = p.Needed(ctx, q); err != nil {
			return nil, err
		}
	}
	return p.known.policy(ctx, q, needed)
}

func render(s *state, text packetfilter.Text) component.Rendering {
	r := component.Rendering{
		Files: []component.File{
			{Path: RulesPath, Mode: fileMode, Data: text.Rules},
			{Path: ElementsPath, Mode: fileMode, Data: text.Elements},
		},
		Problems: s.problems,
	}
	for _, left := range text.Problems {
		// A NAT rule of two families is stored, left out and told: so it was specified.
		r.Problems = append(r.Problems, component.Problem{Subject: left.Subject, Message: left.Message, Tolerated: s.mixed[left.ID]})
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
			return fault.New(fault.Invalid, "the packet filter would have something in %s that is no plain text", path).WithCode("refused_by_nft")
		}
	}
	return nil
}

// unchecked is check without the way over the disk.
func unchecked(_, now component.Rendering) bool {
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
