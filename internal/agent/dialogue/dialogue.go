// Package dialogue runs a dialogue with a tool that answers line by line. In: turns. Out: one
// exchange per turn. For each turn the agent executes the preparing statements on its own
// connection, sends the request, reads the answer and the server's counters around it, and
// executes the turn's queries. It refuses nothing: refusals of the tool or the server are part
// of the exchange.
package dialogue

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// Workbench is the agent's own connection during a dialogue.
type Workbench interface {
	Exec(ctx context.Context, statement string) error
	Row(ctx context.Context, query string) ([]*string, error)
	// Counters of these names of the server, without this connection's own part.
	Counters(ctx context.Context, names []string) (map[string]int64, error)
	Close() error
}

// Dialogue is a conversation with a tool.
type Dialogue struct {
	turns []runner.Turn
	bench Workbench
	// ask and answers are the tool's standard input and output.
	ask     io.Writer
	answers *bufio.Reader
	// said is the transcript, one exchange per line.
	said      *json.Encoder
	exchanges []runner.Exchange
}

// errSilent is the error for a tool that has ended or closed its output.
var errSilent = errors.New("the tool gave no answer")

// Streams are the standard input and output of a tool in a dialogue, and the transcript, one
// exchange per line.
type Streams struct {
	Ask        io.Writer
	Answers    io.Reader
	Transcript io.Writer
}

// New is a conversation before its first turn.
func New(turns []runner.Turn, bench Workbench, s Streams) *Dialogue {
	return &Dialogue{
		turns: turns, bench: bench, ask: s.Ask, answers: bufio.NewReaderSize(s.Answers, 1<<20), said: json.NewEncoder(s.Transcript),
	}
}

// Exchanges are the exchanges of the turns so far.
func (d *Dialogue) Exchanges() []runner.Exchange { return d.exchanges }

// Run executes all turns. An error ends the conversation; refusals of the server or the tool
// are part of the exchanges.
func (d *Dialogue) Run(ctx context.Context) error {
	for i, turn := range d.turns {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		x := runner.Exchange{Turn: i}
		err := d.exchange(ctx, turn, &x)
		if err != nil && !errors.Is(err, errSilent) {
			x.Error, err = err.Error(), ctx.Err()
		}
		d.exchanges = append(d.exchanges, x)
		if err := d.said.Encode(x); err != nil {
			return fmt.Errorf("writing the transcript: %w", err)
		}
		if err != nil {
			return fmt.Errorf("turn %d: %w", i, err)
		}
	}
	return nil
}

// exchange is one turn. Errors other than errSilent are those of the server.
func (d *Dialogue) exchange(ctx context.Context, turn runner.Turn, x *runner.Exchange) error {
	for _, i := range turn.Needs {
		if !d.exchanges[i].WentWell(d.turns[i]) {
			x.Skipped = true
			return nil
		}
	}
	if turn.Unsupported != nil {
		if x.Unsupported = turn.Unsupported(d.exchanges); x.Unsupported != "" {
			return nil
		}
	}
	for _, statement := range turn.Setup {
		if err := d.bench.Exec(ctx, statement); err != nil {
			return err
		}
	}
	if turn.Request != nil {
		if err := d.request(ctx, turn, x); err != nil {
			return err
		}
	}
	for _, question := range turn.Questions {
		row, err := d.bench.Row(ctx, question)
		if err != nil {
			return err
		}
		x.Rows = append(x.Rows, row)
	}
	return nil
}

// request sends one line to the tool and waits for its answer.
func (d *Dialogue) request(ctx context.Context, turn runner.Turn, x *runner.Exchange) error {
	x.Request = turn.Request
	if turn.Brief {
		x.Request = brief(turn.Request)
	}
	var before map[string]int64
	var err error
	if turn.Counters != nil {
		if before, err = d.bench.Counters(ctx, turn.Counters); err != nil {
			return err
		}
	}
	if _, err := d.ask.Write(append(bytes.Clone(turn.Request), '\n')); err != nil {
		return fmt.Errorf("%w: %w", errSilent, err)
	}
	line, err := d.answers.ReadBytes('\n')
	x.Answer = asJSON(line) // an incomplete one may have the reason
	if err != nil {
		return fmt.Errorf("%w: %w", errSilent, err)
	}
	if turn.Counters == nil {
		return nil
	}
	after, err := d.bench.Counters(ctx, turn.Counters)
	if err != nil {
		return err
	}
	x.Counters = map[string]int64{}
	for name, n := range after {
		x.Counters[name] = n - before[name]
	}
	return nil
}

// asJSON is a line unchanged if it is JSON, and else as a string.
func asJSON(line []byte) json.RawMessage {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return nil
	}
	if json.Valid(line) {
		return line
	}
	text, _ := json.Marshal(string(line)) // of a string: cannot fail
	return text
}

func brief(request []byte) json.RawMessage {
	text, _ := json.Marshal(fmt.Sprintf("%d bytes, SHA-256 %s", len(request), contract.Digest(request)))
	return text
}
