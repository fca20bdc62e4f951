package api

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"
	"unicode/utf8"

	"gateway/internal/fault"
	"gateway/internal/intent"
)

// What a caller may say about any mutation, and what we answer about it.
const (
	reasonHeader  = "Gateway-Reason"
	confirmHeader = "Gateway-Confirm-Within"
	dryRunHeader  = "Gateway-Dry-Run"
	changeHeader  = "Gateway-Change"
	applyHeader   = "Gateway-Apply"
	whyHeader     = "Gateway-Apply-Reason"

	whyTextHeader   = "Gateway-Apply-Text"
	whyParamsHeader = "Gateway-Apply-Params" // a JSON list
	whyNestedHeader = "Gateway-Apply-Nested" // a JSON object
)

// A confirmation takes a person, but not a coffee break.
const (
	minConfirm = 5
	maxConfirm = 3600
	maxReason  = 500
)

// withIntent reads the headers.
func (op Op) withIntent(ctx context.Context, r *http.Request, w http.ResponseWriter) (context.Context, error) {
	ctx = context.WithValue(ctx, answerKey{}, w.Header())
	var a intent.Ask
	var p fault.Problems
	if v := r.Header.Get(confirmHeader); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil || n < minConfirm || n > maxConfirm {
			p.Add(confirmHeader, "must be a number of seconds from %d to %d", minConfirm, maxConfirm)
		}
		a.ConfirmWithin = time.Duration(n) * time.Second
	}
	if v := r.Header.Get(dryRunHeader); v != "" {
		if v != "true" && v != "false" {
			p.Add(dryRunHeader, "must be true or false")
		}
		a.DryRun = v == "true"
	}
	if a.Reason = r.Header.Get(reasonHeader); len(a.Reason) > maxReason || !utf8.ValidString(a.Reason) {
		p.Add(reasonHeader, "must be at most %d bytes of UTF-8", maxReason)
	}
	if !op.Config && (a.DryRun || a.ConfirmWithin > 0) {
		asked := confirmHeader
		if a.DryRun {
			asked = dryRunHeader
		}
		p.Add(asked, "this operation does more than store configuration, so it supports neither a dry run nor a revert")
	}
	if err := p.Err(); err != nil {
		return ctx, err
	}
	return intent.With(ctx, a), nil
}

type answerKey struct{}

// report says what came of a change, before the answer's body is written.
func report(ctx context.Context) {
	h, ok := ctx.Value(answerKey{}).(http.Header)
	if o := intent.Came(ctx); ok && o.Change != "" {
		h.Set(changeHeader, o.Change)
		if o.Apply != "" {
			h.Set(applyHeader, o.Apply)
		}
		if o.Why.Message != "" {
			h.Set(whyHeader, o.Why.Message)
			setWords(h, o.Why.Words)
		}
	}
}

// setWords puts the words of the reason beside it, for translations.
func setWords(h http.Header, w fault.Words) {
	if w.Text == "" {
		return
	}
	h.Set(whyTextHeader, w.Text)
	if params, err := json.Marshal(w.Params); err == nil && len(w.Params) > 0 {
		h.Set(whyParamsHeader, string(params))
	}
	if nested, err := json.Marshal(w.Nested); err == nil && len(w.Nested) > 0 {
		h.Set(whyNestedHeader, string(nested))
	}
}

// planned is the answer of a dry run. It goes the way of errors, so that nothing is kept.
type planned struct {
	Data *intent.Plan `json:"data"`
	None *None        `json:"error"`
}

func (*planned) Error() string  { return "this was a dry run" }
func (*planned) GetStatus() int { return http.StatusOK }
