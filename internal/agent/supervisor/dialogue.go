package supervisor

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
)

// openPipes makes the standard input and output of the process the streams of a dialogue.
func (c *command) openPipes() error {
	theirInput, input, err := os.Pipe()
	if err != nil {
		return err
	}
	c.theirs, c.input = append(c.theirs, theirInput), input
	output, theirOutput, err := os.Pipe()
	if err != nil {
		return err
	}
	c.theirs, c.output = append(c.theirs, theirOutput), output
	c.cmd.Stdin, c.cmd.Stdout = theirInput, theirOutput
	return nil
}

// dialogue carries bytes: the body of the order to the standard input of the command, and its
// standard output to the answer. The end of the body is the end of the input. The agent begins
// it before the start of the command.
func (s *Supervisor) dialogue(w http.ResponseWriter, r *http.Request) error {
	c, err := s.command(r)
	if err != nil {
		return err
	}
	if c.input == nil {
		return fmt.Errorf("%w: the command was not prepared for a dialogue", errOrder)
	}
	w.WriteHeader(http.StatusOK)
	flush := http.NewResponseController(w).Flush
	if err := flush(); err != nil {
		return nil // the agent has gone
	}
	go func() {
		// A tool that no longer reads has ended, or will.
		_, _ = io.Copy(c.input, r.Body)
		_ = c.input.Close()
	}()
	_, _ = io.Copy(flushing{w, flush}, c.output) // the end of the tool or of the agent ends it
	return nil
}

// flushing sends every line at once.
type flushing struct {
	to    io.Writer
	flush func() error
}

// Write writes and flushes.
func (f flushing) Write(p []byte) (int, error) {
	n, err := f.to.Write(p)
	return n, errors.Join(err, f.flush())
}
