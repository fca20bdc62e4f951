package reconcile

import (
	"context"
	"log/slog"
	"time"

	"gateway/internal/process"
)

// Watch notifies woken whenever something changed in the kernel, until ctx ends. It subscribes
// anew, by subscribe, when the kernel ended a subscription.
func Watch(ctx context.Context, subscribe func(ctx context.Context, wake func()) error, woken chan<- struct{}, log *slog.Logger) error {
	for ctx.Err() == nil {
		if err := subscribe(ctx, func() { process.Notify(woken) }); err != nil {
			log.WarnContext(ctx, "watch the kernel", "err", err)
			process.Pause(ctx, time.Second)
		}
	}
	return nil
}

// LogNew says what is wrong now and was not before.
func LogNew(ctx context.Context, log *slog.Logger, before, now []Trouble) {
	for _, t := range now {
		if !t.In(before) {
			log.WarnContext(ctx, "not in the kernel", "what", t.Subject, "why", t.Why.Message)
		}
	}
}
