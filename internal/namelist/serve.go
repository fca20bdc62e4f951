package namelist

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// mostAsked is the longest question: a host and the names of all lists there may be.
const mostAsked = 64 << 10

// Serve answers Squid's questions, a line each: a channel, a host and names of lists. It returns
// when Squid asks no more, or when stopped says that the index is no longer kept.
func Serve(in io.Reader, out io.Writer, x *Index, stopped <-chan error) error {
	done := make(chan error, 1)
	go func() { done <- answer(in, out, x) }()
	select {
	case err := <-done:
		return err
	case err := <-stopped:
		return err
	}
}

func answer(in io.Reader, out io.Writer, x *Index) error {
	r, w := bufio.NewReaderSize(in, mostAsked), bufio.NewWriter(out)
	for {
		line, err := r.ReadSlice('\n')
		if errors.Is(err, io.EOF) {
			return w.Flush()
		}
		if err != nil {
			return fmt.Errorf("read a question: %w", err)
		}
		channel, reply := one(line, x)
		_, _ = w.Write(channel) // Flush tells
		_, _ = w.WriteString(reply)
		if r.Buffered() > 0 { // there are more questions, which can be answered along
			continue
		}
		if err := w.Flush(); err != nil {
			return fmt.Errorf("answer: %w", err)
		}
	}
}

// one answers one question. Squid takes BH for "nobody knows", and denies the request then.
func one(line []byte, x *Index) (channel []byte, reply string) {
	words := bytes.Fields(line)
	if len(words) < 3 {
		if len(words) > 0 {
			channel = words[0]
		}
		return channel, " BH message=\"no question\"\n"
	}
	host := bytes.ToLower(bytes.TrimRight(words[1], "."))
	switch x.Find(host, words[2:]) {
	case Yes:
		return words[0], " OK\n"
	case No:
		return words[0], " ERR\n"
	}
	return words[0], " BH message=\"the list is not whole\"\n"
}
