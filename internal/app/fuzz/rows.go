package fuzz

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
)

// row is something that exists, or did.
type row struct{ id, etag string }

// maxRows bounds what one worker remembers of one collection; the oldest is forgotten first.
const maxRows = 50

// rows are the ids that answers told, by worker and collection.
type rows struct {
	mu     sync.Mutex
	spared string // the id of the account that keeps the others alive
	known  []map[string][]row
}

func newRows(workers int, spared string) *rows {
	r := &rows{spared: spared, known: make([]map[string][]row, workers)}
	for i := range r.known {
		r.known[i] = map[string][]row{}
	}
	return r
}

// pick gives one of the worker's own rows, or now and then of another's.
func (r *rows) pick(m maker, worker int, collection string) (row, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m.one(5) {
		worker = m.IntN(len(r.known))
	}
	list := r.known[worker][collection]
	if len(list) == 0 {
		return row{}, false
	}
	return pick(m, list), true
}

// learn takes the ids out of an answer's data: of the row, or of a list's rows.
func (r *rows) learn(worker int, op *operation, data json.RawMessage, etag string) {
	var one struct{ ID string }
	var many []struct{ ID string }
	if json.Unmarshal(data, &one) == nil && one.ID != "" {
		r.add(worker, op, row{one.ID, etag})
	} else if json.Unmarshal(data, &many) == nil {
		for _, m := range many[:min(len(many), 10)] {
			r.add(worker, op, row{m.ID, ""})
		}
	}
}

func (r *rows) add(worker int, op *operation, found row) {
	if found.id == "" || found.id == r.spared || strings.HasPrefix(op.path, "/audit") {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	list := slices.DeleteFunc(r.known[worker][op.collection()], func(known row) bool { return known.id == found.id })
	list = append(list, found)
	r.known[worker][op.collection()] = list[max(0, len(list)-maxRows):]
}

// forget removes a row that is gone, whoever knew it.
func (r *rows) forget(op *operation, id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, known := range r.known {
		known[op.collection()] = slices.DeleteFunc(known[op.collection()], func(k row) bool { return k.id == id })
	}
}
