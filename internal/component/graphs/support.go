package graphs

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"gateway/internal/component"
)

const (
	// perQuestion is how many series one question may name.
	perQuestion = 20
	// mostSupported is how many series a support bundle has.
	mostSupported = 400
)

// lastHour is what was measured in the last hour, by the minute: a list of answers, each with some of the series.
func lastHour(ctx context.Context, get component.Get) ([]byte, error) {
	data, err := get(ctx, "/graphs/series")
	if err != nil {
		return nil, err
	}
	var all []Series
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("read the list of series: %w", err)
	}
	all = all[:min(len(all), mostSupported)]
	parts := []string{}
	for some := range slices.Chunk(all, perQuestion) {
		names := make([]string, len(some))
		for i, s := range some {
			names[i] = s.Name
		}
		part, err := get(ctx, "/graphs?points=60&series="+url.QueryEscape(strings.Join(names, ",")))
		if err != nil {
			return nil, err
		}
		parts = append(parts, string(part))
	}
	return []byte("[" + strings.Join(parts, ",\n") + "]\n"), nil
}
