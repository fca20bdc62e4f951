package change

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"gateway/internal/component"
	"gateway/internal/secret"
)

// support are the states of all components, the last changes, and the files of each component.
func (h *handlers) support() []component.Support {
	out := []component.Support{
		{File: "components.json", Read: component.Answer("/system/components")},
		{File: "changes.json", Read: component.Answer("/changes?limit=200")},
	}
	for _, c := range h.Set.Configs {
		out = append(out, component.Support{File: "files/" + c.Name + ".txt", Read: files(c.Name)})
	}
	return out
}

// files are those of a component as its preview has them, which hides what is confidential. Here one with a gap where a
// secret was is hidden too: it goes to somebody else.
func files(name string) component.SupportRead {
	path := "/system/config-preview?generator=" + url.QueryEscape(name)
	return func(ctx context.Context, get component.Get) ([]byte, error) {
		data, err := get(ctx, path)
		if err != nil {
			return nil, err
		}
		var all []Preview
		if err := json.Unmarshal(data, &all); err != nil {
			return nil, fmt.Errorf("read the answer to %s: %w", path, err)
		}
		var text strings.Builder
		for _, p := range all {
			for _, file := range slices.Sorted(maps.Keys(p.Files)) {
				content := p.Files[file]
				if strings.Contains(content, secret.Redacted) {
					content = "(content not shown: it holds secrets)\n"
				}
				fmt.Fprintf(&text, "==> %s <==\n%s\n", file, content)
			}
		}
		return []byte(text.String()), nil
	}
}
