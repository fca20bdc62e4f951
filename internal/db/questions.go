package db

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
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
	// takeTime is for the other process to say that it is there; it takes milliseconds.
	takeTime = time.Second
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
	if _, err := conn.Exec(ctx, `select pg_notify($1, $2)`, channel, string(line)); err != nil {
		return fmt.Errorf("ask on %s: %w", channel, err)
	}
	return await(ctx, conn, out)
}

// await takes two notifications: that somebody is at it, and the answer.
func await(ctx context.Context, conn *pgx.Conn, out any) error {
	taken, cancel := context.WithTimeout(ctx, takeTime)
	defer cancel()
	if _, err := conn.WaitForNotification(taken); err != nil {
		return errors.Join(ErrUntaken, err)
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

// Handler answers the questions of one channel, for a Listener. It does not hold up other
// channels; when too many are being answered, it leaves a question alone.
func (q Questions) Handler(answer func(ctx context.Context, body json.RawMessage) (any, error), log *slog.Logger) func(context.Context, string) {
	room := make(chan struct{}, answersAtOnce)
	return func(ctx context.Context, payload string) {
		var a asked
		if payload == "" || json.Unmarshal([]byte(payload), &a) != nil {
			return // after a lost connection: whoever asked meanwhile knows that nobody answered
		}
		select {
		case room <- struct{}{}:
		default:
			return
		}
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
