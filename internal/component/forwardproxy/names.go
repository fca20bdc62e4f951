package forwardproxy

import (
	"context"
	"fmt"
	"net/netip"
	"strings"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/namelist"
	"gateway/internal/resource"
	"gateway/internal/value"
)

// Names are those of a list, as a text.
type Names struct {
	Names string `json:"names" maxLength:"33554432" doc:"Host names, one per line; names below them match too. A # begins a comment. A leading *. or . is left out, and so is the address in lines of a hosts file" example:"ads.example.com\ntracker.example.net"`
}

// NamesEdit is what changes of a list.
type NamesEdit struct {
	Add    []string `json:"add,omitempty" maxItems:"10000" doc:"Names to add"`
	Remove []string `json:"remove,omitempty" maxItems:"10000" doc:"Names to remove"`
}

// NamesResult is what the list has then.
type NamesResult struct {
	Size    int `json:"size" doc:"How many names the list has now"`
	Added   int `json:"added" doc:"How many names it has that it did not have before"`
	Removed int `json:"removed" doc:"How many names it had before and has no more"`
}

func (h *handlers) names(ctx context.Context, in *resource.One) (*api.Body[Names], error) {
	parts, err := partsOf(ctx, h.DB, in.ID)
	if err != nil {
		return nil, db.Fault(err, "list", nil)
	}
	texts, err := readTexts(ctx, h.DB, parts)
	if err != nil {
		return nil, err
	}
	return api.OK(Names{Names: strings.Join(texts, "")}), nil
}

func (h *handlers) replaceNames(ctx context.Context, in *struct {
	resource.Versioned
	Body Names
},
) (*api.Body[NamesResult], error) {
	names, err := readNames(in.Body.Names)
	if err != nil {
		return nil, err
	}
	parts := namelist.Split(names, namelist.Parts(len(names), 0))
	return h.change(ctx, "replace_names", &in.Versioned, func(tx db.DB, old stored) (stored, NamesResult, error) { return old.replaced(ctx, tx, parts) })
}

func (h *handlers) editNames(ctx context.Context, in *struct {
	resource.Versioned
	Body NamesEdit
},
) (*api.Body[NamesResult], error) {
	var p fault.Problems
	add, remove := hostNames(&p, "add", in.Body.Add), hostNames(&p, "remove", in.Body.Remove)
	if err := p.Err(); err != nil {
		return nil, err
	}
	return h.change(ctx, "edit_names", &in.Versioned, func(tx db.DB, old stored) (stored, NamesResult, error) { return old.edited(ctx, tx, add, remove) })
}

func hostNames(p *fault.Problems, field string, in []string) []string {
	out := make([]string, len(in))
	for i, text := range in {
		name, err := hostName(text)
		if err != nil {
			p.AddError(fmt.Sprintf("%s[%d]", field, i), err)
		}
		out[i] = name
	}
	return out
}

func hostName(text string) (string, error) {
	return value.HostName(strings.TrimPrefix(strings.TrimPrefix(text, "*"), "."))
}

// readNames reads a text as lists of names are published.
func readNames(text string) ([]string, error) {
	names := make([]string, 0, strings.Count(text, "\n")+1)
	number := 0
	for line := range strings.Lines(text) {
		number++
		line, _, _ = strings.Cut(line, "#")
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if fields := strings.Fields(line); len(fields) == 2 {
			if _, err := netip.ParseAddr(fields[0]); err == nil {
				line = fields[1]
			}
		}
		name, err := hostName(line)
		if err != nil {
			return nil, fault.At("names", "must be host names, one per line; line %d is not", number)
		}
		if len(names) == namelist.Most {
			return nil, fault.At("names", "must be %d names at most", namelist.Most)
		}
		names = append(names, name)
	}
	return names, nil
}

// change stores a list's names as find has them.
func (h *handlers) change(ctx context.Context, verb string, in *resource.Versioned, find func(tx db.DB, old stored) (stored, NamesResult, error)) (*api.Body[NamesResult], error) {
	var result NamesResult
	err := h.lists().Change(ctx, h.DB, h.Run, verb, in, func(tx change.Tx, old List) (map[string]any, error) {
		hashes, err := partsOf(ctx, tx, in.ID)
		if err != nil {
			return nil, err
		}
		var now stored
		if now, result, err = find(tx, stored{hashes: hashes, size: old.Size}); err != nil {
			return nil, err
		}
		if result.Added == 0 && result.Removed == 0 && !now.repairs {
			return nil, change.Nothing()
		}
		if err := keep(ctx, tx, hashes); err != nil {
			return nil, err
		}
		if err := now.store(ctx, tx, in.ID); err != nil {
			return nil, err
		}
		if err := mayHave(ctx, tx, in.ID, now.size, now.hashes); err != nil {
			return nil, err
		}
		return map[string]any{"size": now.size, "parts": now.hashes}, nil
	})
	if err != nil {
		return nil, err
	}
	return api.OK(result), nil
}

// mayHave bounds what gateway-apply and the program that Squid asks hold in memory. The parts are
// stored by now; their length is known without reading them.
func mayHave(ctx context.Context, tx db.DB, id string, size int, hashes []string) error {
	var others, bytes, bytesOfOthers int
	err := tx.QueryRow(ctx, `select (select coalesce(sum(size), 0)::int from forwardproxy_lists where id <> $1),
		(select coalesce(sum(octet_length(p.names)), 0) from unnest($2::text[]) w (hash) join forwardproxy_list_parts p on p.hash = w.hash),
		(select coalesce(sum(octet_length(p.names)), 0) from forwardproxy_lists l cross join unnest(l.parts) w (hash) join forwardproxy_list_parts p on p.hash = w.hash where l.id <> $1)`,
		id, hashes).Scan(&others, &bytes, &bytesOfOthers)
	switch {
	case err != nil:
		return fmt.Errorf("count the names of all lists: %w", err)
	case size > namelist.Most:
		return fault.At("names", "must be %d names at most", namelist.Most)
	case bytes > namelist.MostBytes:
		return fault.At("names", "must be %d MiB at most", namelist.MostBytes>>20)
	case size+others > namelist.MostOfAll:
		return fault.New(fault.Conflict, "all lists together may have %d names; the others have %d", namelist.MostOfAll, others)
	case bytes+bytesOfOthers > namelist.MostBytesOfAll:
		return fault.New(fault.Conflict, "all lists together may have %d MiB of names; the others have %d", namelist.MostBytesOfAll>>20, bytesOfOthers>>20)
	}
	return nil
}

func partsOf(ctx context.Context, q db.DB, id string) (hashes []string, err error) {
	if !db.ValidID(id) {
		return nil, fault.New(fault.NotFound, "there is no such %s", "list")
	}
	err = q.QueryRow(ctx, `select parts from forwardproxy_lists where id = $1`, id).Scan(&hashes)
	return hashes, err
}
