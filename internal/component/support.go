package component

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
)

// Support is a file that an area adds to support bundles. Those leave the node: it is made of what every account may
// read by the API, and so of nothing secret.
type Support struct {
	// File is its name below the component's: "statistics.json".
	File string
	Read SupportRead
}

// SupportRead makes the file. It ends with ctx.
type SupportRead func(ctx context.Context, get Get) ([]byte, error)

// Get reads one path of the API, which viewers may read too.
type Get func(ctx context.Context, path string) (json.RawMessage, error)

// Answer is a file that has what the API answers at a path.
func Answer(path string) SupportRead {
	return func(ctx context.Context, get Get) ([]byte, error) {
		data, err := get(ctx, path)
		if err != nil {
			return nil, err
		}
		var out bytes.Buffer
		if err := json.Indent(&out, data, "", "  "); err != nil {
			return nil, fmt.Errorf("read the answer to %s: %w", path, err)
		}
		out.WriteByte('\n')
		return out.Bytes(), nil
	}
}
