package db

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"gateway/internal/fault"
)

// Down is what every route that needs the database answers while it is away.
func Down() *fault.Fault {
	return fault.New(fault.Unavailable, "the database is not responding; this works again once it does").
		WithCode("database_unavailable")
}

// Unavailable reports whether err means "the database is away" rather than "the query is wrong".
func Unavailable(err error) bool {
	if Expired(err) {
		return false // an expired deadline is a net.Error too
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		// 57P0x: shutdown, crash, starting up, dropped; 53300: too many connections.
		return strings.HasPrefix(pg.Code, "57P") || pg.Code == "53300" || strings.HasPrefix(pg.Code, "08")
	}
	var connect *pgconn.ConnectError
	// Not net.Error: every errno is one, also that of a program that is not installed.
	var network *net.OpError
	return errors.As(err, &connect) || errors.As(err, &network) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || pgconn.SafeToRetry(err)
}

// OtherSchema reports whether err means that the database has another schema than this program
// was made for: while both are upgraded, one of them is first.
func OtherSchema(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code == "42703" || pg.Code == "42P01") // undefined column, undefined table
}

// Fault turns what PostgreSQL says into what an operator can act on; other errors
// pass through. noun names the row ("user"), fields maps a unique constraint to the field it guards.
func Fault(err error, noun string, fields map[string]string) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return fault.New(fault.NotFound, "there is no such %s", noun)
	}
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return err
	}
	switch pg.Code {
	case "23505":
		return taken(pg, noun, fields)
	case "23503":
		return referenced(pg, noun)
	case "23514", "22001", "22003", "22007", "22008", "22P02", "22021", "23502":
		return fault.New(fault.Invalid, "a value of this %s is out of range", noun)
	}
	return err
}

// Busy words a wait for a lock that outlasted the statement's time, or that two had for each other; other errors
// pass through.
func Busy(err error) error {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return err
	}
	switch pg.Code {
	case "55P03", "40P01": // lock_timeout, deadlock: nothing is wrong but the moment
		return fault.New(fault.TooMany, "another change is in progress; try again in a moment").WithCode("busy").WithRetry(2 * time.Second)
	case "57014":
		return fault.New(fault.Unavailable, "another change is in progress; try again in a moment").WithCode("busy")
	}
	return err
}

func taken(pg *pgconn.PgError, noun string, fields map[string]string) error {
	field, ok := fields[pg.ConstraintName]
	if !ok {
		return fault.New(fault.Conflict, "another %s already has this value", noun)
	}
	f := fault.New(fault.Conflict, "another %s already has this %s", noun, field)
	f.Fields = []fault.Field{{Name: field, Sentence: fault.Said("is taken")}}
	return f
}

// referenced words a foreign-key refusal. On delete PostgreSQL names the table
// that still points here; on insert it names the row that is missing.
func referenced(pg *pgconn.PgError, noun string) error {
	if strings.Contains(pg.Detail, "still referenced") {
		return fault.New(fault.Conflict, "this %s is still used by %s", noun, strings.ReplaceAll(pg.TableName, "_", " ")).WithCode("in_use")
	}
	return fault.New(fault.Invalid, "this %s refers to something that does not exist", noun)
}

// Expired reports whether the caller's own time ran out, which is not the database's fault.
func Expired(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
