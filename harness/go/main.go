// The harness of the drivers of Go: it answers the requests of docs/contributing/driver-protocol.md, which come in JSON lines on
// standard input, and measures what drivers do with them. One request at a time, until the input ends.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
)

func main() {
	h := newHarness()
	if err := h.serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "harness:", err)
		os.Exit(1)
	}
}

// serve answers line by line, and closes everything at the end of the input.
func (h *harness) serve(in io.Reader, out io.Writer) error {
	defer h.closeAll()
	lines := bufio.NewReaderSize(in, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			answer, err := h.answer(line)
			if err == nil {
				_, err = out.Write(append(answer, '\n'))
			}
			if err != nil {
				return fmt.Errorf("no answer to %.200s: %w", line, err)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("requests cannot be read: %w", err)
		}
	}
}
