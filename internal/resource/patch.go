package resource

import (
	"context"
	"net/http"
	"reflect"
	"time"

	"gateway/internal/api"
	"gateway/internal/change"
	"gateway/internal/db"
	"gateway/internal/fault"
)

type patch[In any] struct {
	One
	IfMatch string `header:"If-Match" maxLength:"200" doc:"ETag of the version this is based on; 412 when there is a newer one"`
	Body    In
}

// RegisterPatch adds an operation that sets some columns and leaves the others as they are.
// The fields of In are pointers with db tags; those that are not given are nil.
func RegisterPatch[In any, Row row, Full any](d Resource[Row, Full], r api.Router, q db.DB, run *change.Runner, summary string, validate func(*In) error) {
	s := d.store(q, run)
	api.Handle(r, api.Op{
		ID: "patch-" + d.scope() + d.Noun, Method: http.MethodPatch, Path: d.Path + "/{id}", Config: true, Lasting: d.Lasting,
		Summary: summary, Description: patchHelp,
	}, func(ctx context.Context, in *patch[In]) (*api.Row[Row], error) {
		if err := validate(&in.Body); err != nil {
			return nil, err
		}
		values := given(&in.Body)
		if len(values) == 0 {
			return nil, fault.New(fault.Invalid, "the request changes nothing")
		}
		var made Row
		err := s.existing(ctx, "update", in.ID, in.IfMatch, func(tx change.Tx, old Row) (err error) {
			values["revision"], values["updated_at"] = old.meta().Revision+1, time.Now()
			made, err = s.replace(ctx, tx, in.ID, values)
			return err
		})
		if err != nil {
			return nil, err
		}
		return answer(made), nil
	})
}

// given are the columns of the fields that are not nil.
func given(in any) map[string]any {
	values := map[string]any{}
	collect(reflect.ValueOf(in).Elem(), values)
	for name, v := range values {
		if reflect.ValueOf(v).IsNil() {
			delete(values, name)
		}
	}
	return values
}
