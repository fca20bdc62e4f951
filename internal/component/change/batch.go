package change

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"gateway/internal/api"
	"gateway/internal/fault"
	"gateway/internal/resource"
)

// Batch is several operations to be run as one.
type Batch struct {
	Operations []Operation `json:"operations" minItems:"1" maxItems:"20000" doc:"Operations in the order they run; all are stored, or none"`
}

// Operation is one request of a batch.
type Operation struct {
	Method  string          `json:"method" enum:"POST,PUT,DELETE" doc:"HTTP method of the operation"`
	Path    string          `json:"path" maxLength:"300" example:"/dns/records" doc:"Path below /api/v1"`
	ID      string          `json:"id,omitempty" maxLength:"36" doc:"For a create: the id of the new object (a UUID)"`
	IfMatch string          `json:"if_match,omitempty" maxLength:"200" doc:"Like the header If-Match"`
	Body    json.RawMessage `json:"body,omitempty" doc:"Body of the operation"`
}

// BatchResult is what the operations answered, in their order.
type BatchResult struct {
	Results []any `json:"results" doc:"Data that each operation returned, in the same order"`
}

func (h *handlers) batch(ctx context.Context, r api.Router, in Batch) (*api.Body[BatchResult], error) {
	out := BatchResult{Results: []any{}}
	err := h.Run.Batch(ctx, counted(len(in.Operations)), func(ctx context.Context) error {
		for i, op := range in.Operations {
			data, err := op.run(ctx, r)
			if err != nil {
				return op.at(i, err)
			}
			out.Results = append(out.Results, data)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return api.OK(out), nil
}

func (op Operation) run(ctx context.Context, r api.Router) (any, error) {
	if op.ID != "" {
		ctx = resource.WithID(ctx, op.ID)
	}
	header := http.Header{}
	if op.IfMatch != "" {
		header.Set("If-Match", op.IfMatch)
	}
	return r.Call(ctx, api.Call{Method: op.Method, Path: op.Path, Header: header, Body: op.Body})
}

// at says which of the operations it was. The words stay those of the operation: whoever
// translates them knows what the operations are called there.
func (op Operation) at(i int, err error) error {
	f, ok := fault.Of(err)
	if !ok {
		return err
	}
	named := *f
	named.Message = fmt.Sprintf("operation %d (%s %s): %s", i+1, op.Method, op.Path, f.Message)
	named.Fields = nil
	if len(f.Fields) == 0 { // whoever knows the operations by other names finds it without reading the message
		where := fault.Field{Name: fmt.Sprintf("operations[%d]", i)}
		where.Sentence = f.Sentence
		named.Fields = append(named.Fields, where)
	}
	for _, field := range f.Fields {
		field.Name = fmt.Sprintf("operations[%d].body.%s", i, field.Name)
		named.Fields = append(named.Fields, field)
	}
	return &named
}

// counted is what the history says of a batch.
func counted(n int) string {
	if n == 1 {
		return "1 operation"
	}
	return fmt.Sprintf("%d operations", n)
}
