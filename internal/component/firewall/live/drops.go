package live

import (
	"context"
	"encoding/json"
)

// DropsVerb answers Drops.
const DropsVerb = "drops"

// Drops are the packets that no rule allowed, since the packet filter was first loaded.
type Drops struct {
	Packets uint64 `json:"packets"`
}

// drops is asked every few seconds, so it reads two counters and not those of all rules.
func (o *Observer) drops(ctx context.Context, _ json.RawMessage) (any, error) {
	var d Drops
	for _, name := range []string{"drop_input", "drop_forward"} {
		n, err := o.table.Counter(ctx, name)
		if err != nil {
			return nil, err
		}
		d.Packets += n.Packets
	}
	return d, nil
}
