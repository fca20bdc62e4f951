package haproxy

import "context"

// ServersOf are those of one backend, as they are now.
func (r Runtime) ServersOf(ctx context.Context, backend string) ([]Server, error) {
	if err := checkWords(backend); err != nil {
		return nil, err
	}
	return r.servers(ctx, "show servers state "+word(backend))
}
