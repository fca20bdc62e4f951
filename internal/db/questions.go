package db

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

var (
	// ErrUnanswered is the error for a question that nobody took, or that was not answered in time.
	ErrUnanswered = errors.New("nobody answered the question")
	// ErrUntaken is the former of the two: whoever answers is not there yet, or has too many of them.
	ErrUntaken = fmt.Errorf("%w: nobody took it", ErrUnanswered)
)

const (
	// TakeTime is for the other process to say that it is there. It takes milliseconds, or seconds while that process starts.
	TakeTime = 3 * time.Second
	// sayAgain is how often a question is repeated that nobody took: a notification that nobody listens to is lost.
	sayAgain = 200 * time.Millisecond
	// known is how long whoever answers knows a question again, long after nobody repeats it any more.
	known = time.Minute
	// answersAtOnce bounds what many questions cost the process that answers them.
	answersAtOnce = 4
)

// Questions are asked by one process and answered by another, by notifications of the
// database: gateway-scheduler, which may speak to the outside, accepts no connections.
// Nothing is stored, so a question is lost with either of them. A question and its answer are
// below 8,000 bytes each.
type Questions struct{ Pool *pgxpool.Pool }

// asked is a question on its way.
type asked struct {
	Reply string          `json:"reply"` // channel of the answer
	Body  json.RawMessage `json:"body"`
}

// Ask puts a question and waits for the answer as long as ctx lasts.
func (q Questions) Ask(ctx context.Context, channel string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("encode question: %w", err)
	}
	reply := "gateway_reply_" + strings.ToLower(rand.Text())
	line, err := json.Marshal(asked{reply, body})
	if err != nil {
		return fmt.Errorf("encode question: %w", err)
	}
	// A listening connection must not go back into the pool.
	conn, err := pgx.ConnectConfig(ctx, q.Pool.Config().ConnConfig)
	if err != nil {
		return fmt.Errorf("connect to ask: %w", err)
	}
	defer discard(conn)
	if _, err := conn.Exec(ctx, "listen "+pgx.Identifier{reply}.Sanitize()); err != nil {
		return fmt.Errorf("listen for an answer: %w", err)
	}
	if err := put(ctx, conn, channel, string(line)); err != nil {
		return err
	}
	n, err := conn.WaitForNotification(ctx)
	if err != nil {
		return errors.Join(ErrUnanswered, err)
	}
	if err := json.Unmarshal([]byte(n.Payload), out); err != nil {
		return fmt.Errorf("decode answer: %w", err)
	}
	return nil
}

// put says the question until somebody is at it. It stays one question: by its reply whoever answers knows it again.
func put(ctx context.Context, conn *pgx.Conn, channel, line string) error {
	ctx, cancel := context.WithTimeout(ctx, TakeTime)
	defer cancel()
	for {
		if _, err := conn.Exec(ctx, `select pg_notify($1, $2)`, channel, line); err != nil {
			if ctx.Err() != nil {
				return errors.Join(ErrUntaken, err)
			}
			return fmt.Errorf("ask on %s: %w", channel, err)
		}
		taken, cancel := context.WithTimeout(ctx, sayAgain)
		_, err := conn.WaitForNotification(taken)
		again := taken.Err() != nil && ctx.Err() == nil
		cancel()
		switch {
		case err == nil:
			return nil
		case !again:
			return errors.Join(ErrUntaken, err)
		}
	}
}

// Handler answers the questions of one channel, for a Listener, each once. It does not hold up other
// channels; when too many are being answered, it leaves a question alone until it is said again.
func (q Questions) Handler(answer func(ctx context.Context, body json.RawMessage) (any, error), log *slog.Logger) func(context.Context, string) {
	room := make(chan struct{}, answersAtOnce)
	taken := map[string]time.Time{} // by reply; the Listener calls for one notification after the other
	return func(ctx context.Context, payload string) {
		var a asked
		if payload == "" || json.Unmarshal([]byte(payload), &a) != nil {
			return // after a lost connection: whoever asked meanwhile knows that nobody answered
		}
		maps.DeleteFunc(taken, func(_ string, at time.Time) bool { return time.Since(at) > known })
		if _, is := taken[a.Reply]; is {
			return
		}
		select {
		case room <- struct{}{}:
		default:
			return
		}
		taken[a.Reply] = time.Now()
		go func() {
			defer func() { <-room }()
			if err := q.answer(ctx, a, answer); err != nil && ctx.Err() == nil {
				log.Error("answer", "err", err)
			}
		}()
	}
}

func (q Questions) answer(ctx context.Context, a asked, answer func(context.Context, json.RawMessage) (any, error)) error {
	if err := q.say(ctx, a.Reply, ""); err != nil {
		return err
	}
	out, err := answer(ctx, a.Body)
	if err != nil {
		return err
	}
	line, err := json.Marshal(out)
	if err != nil {
		return fmt.Errorf("encode answer: %w", err)
	}
	return q.say(ctx, a.Reply, string(line))
}

func (q Questions) say(ctx context.Context, channel, text string) error {
	if _, err := q.Pool.Exec(ctx, `select pg_notify($1, $2)`, channel, text); err != nil {
		return fmt.Errorf("notify %s: %w", channel, err)
	}
	return nil
}
