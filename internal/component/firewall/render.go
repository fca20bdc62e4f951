package firewall

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"gateway/internal/daemon"
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

func (p *part) loadUnsealed(ctx context.Context, q db.DB, _ daemon.Unseal) (*state, error) {
	return p.load(ctx, q)
}

func (p *part) refresh(ctx context.Context, stored db.DB) error {
	return p.known.load(ctx, stored, func(contents) {})
}

func (p *part) render(s *state) (daemon.Rendering, error) {
	return render(s, p.compiler.Compile(&s.policy)), nil
}

// live keeps what the kernel has, for counters and connections, and when the next rule runs out.
func (p *part) live(now daemon.Rendering) {
	s, ok := daemon.From[*state](now)
	if !ok {
		return
	}
	p.rendered.Store(s)
	p.expiry.expect(s.expires)
}

// Shut is the packet filter of a node that knows nothing yet: only its management is reachable.
func Shut() daemon.Rendering {
	s := &state{policy: packetfilter.Policy{Lockout: packetfilter.Lockout{Management: managementPort}}}
	return render(s, packetfilter.Compile(&s.policy))
}

// load reads the policy as q has it, with what the other parts need.
func (p *part) load(ctx context.Context, q db.DB) (*state, error) {
	var needed daemon.Needed
	if p.Needed != nil {
		var err error
		if needed, err = p.Needed(ctx, q); err != nil {
			return nil, err
		}
	}
	return p.known.policy(ctx, q, needed)
}

func render(s *state, text packetfilter.Text) daemon.Rendering {
	r := daemon.Rendering{
		Files: []daemon.File{
			{Path: RulesPath, Mode: fileMode, Data: text.Rules},
			{Path: ElementsPath, Mode: fileMode, Data: text.Elements},
		},
		Problems: s.problems,
	}
	for _, left := range text.Problems {
		// A NAT rule of two families is stored, left out and told: so it was specified.
		r.Problems = append(r.Problems, daemon.Problem{Subject: left.Subject, Message: left.Message, Tolerated: s.mixed[left.ID]})
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
func unchecked(_, now daemon.Rendering) bool {
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
