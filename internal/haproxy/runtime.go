package haproxy

import (
	"context"
	"fmt"
	"strings"
)

// Runtime changes a running worker through the socket at Path. It holds no connection:
// one costs HAProxy less than the prompt that would keep it open.
type Runtime struct{ Path string }

// do sends commands on one connection and returns an answer for each. HAProxy carries out
// all of them, whatever became of the ones before.
func (r Runtime) do(ctx context.Context, commands ...string) ([]string, error) {
	return r.send(ctx, strings.Join(commands, ";")+"\n", len(commands))
}

// load sends a command and the lines that it reads. The lines must not be empty: that is
// how they end.
func (r Runtime) load(ctx context.Context, command, lines string) (string, error) {
	out, err := r.send(ctx, command+" <<\n"+strings.TrimSuffix(lines, "\n")+"\n\n", 1)
	if err != nil {
		return "", err
	}
	return out[0], nil
}

func (r Runtime) send(ctx context.Context, text string, n int) ([]string, error) {
	answer, err := talk(ctx, r.Path, text, false)
	if err != nil {
		return nil, about(text, err)
	}
	all := answers(answer)
	if len(all) == n {
		return all, nil
	}
	// It closes after a command that it cannot read, and drops those that follow.
	if len(all) > 0 && all[len(all)-1] != "" {
		return nil, refuse(verb(text), all[len(all)-1])
	}
	return nil, fmt.Errorf("HAProxy gave %d answers to %d commands (%s)", len(all), n, verb(text))
}

// ask sends one command.
func (r Runtime) ask(ctx context.Context, command string) (string, error) {
	out, err := r.do(ctx, command)
	if err != nil {
		return "", err
	}
	return out[0], nil
}

// silent sends one command that answers nothing when it is carried out.
func (r Runtime) silent(ctx context.Context, command string) error {
	answer, err := r.ask(ctx, command)
	if err == nil && answer != "" {
		err = refuse(verb(command), answer)
	}
	return err
}

// says sends one command that answers with a phrase when it is carried out.
func (r Runtime) says(ctx context.Context, command, phrase string) error {
	answer, err := r.ask(ctx, command)
	if err == nil && !strings.Contains(answer, phrase) {
		err = refuse(verb(command), answer)
	}
	return err
}

// verb is what a command does: its first words, which are no values.
func verb(command string) string {
	words := strings.Fields(command[:min(len(command), 100)])
	n := 2
	if len(words) > 2 && words[1] == "ssl" {
		n = 3
	}
	return strings.Join(words[:min(len(words), n)], " ")
}

// about says which command could not be sent. ErrDown speaks for itself.
func about(command string, err error) error {
	return fmt.Errorf("%s: %w", verb(command), err)
}
