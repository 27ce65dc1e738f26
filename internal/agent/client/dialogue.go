package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/contract"
)

// Workbench is a connection of the agent's own, beside the tool that it speaks with.
type Workbench interface {
	Exec(ctx context.Context, statement string) error
	Row(ctx context.Context, query string) ([]*string, error)
	// Counters of the server but for this connection's own.
	Counters(ctx context.Context) (map[string]int64, error)
	Close() error
}

// dialogue is a conversation with a tool.
type dialogue struct {
	turns []runner.Turn
	bench Workbench
	// said is the transcript, one exchange per line.
	said      *json.Encoder
	exchanges []runner.Exchange
	// ask and answers are the tool's standard input and output.
	ask     io.Writer
	answers *bufio.Reader
}

// errSilent says that the tool has ended, or closed its output.
var errSilent = errors.New("the tool gave no answer")

// run goes through all turns. An error ends the conversation; what the server or the tool
// refuses is in the exchanges.
func (d *dialogue) run(ctx context.Context) error {
	for i, turn := range d.turns {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		x := runner.Exchange{Turn: i}
		err := d.exchange(ctx, turn, &x)
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

func (d *dialogue) exchange(ctx context.Context, turn runner.Turn, x *runner.Exchange) error {
	for _, i := range turn.Needs {
		if !d.exchanges[i].WentWell(d.turns[i]) {
			x.Skipped = true
			return nil
		}
	}
	for _, statement := range turn.Setup {
		if err := d.bench.Exec(ctx, statement); err != nil {
			x.Error = err.Error()
			return ctx.Err()
		}
	}
	if turn.Request != nil {
		if err := d.request(ctx, turn, x); err != nil || x.Error != "" {
			return err
		}
	}
	for _, question := range turn.Questions {
		row, err := d.bench.Row(ctx, question)
		if err != nil {
			x.Error = err.Error()
			return ctx.Err()
		}
		x.Rows = append(x.Rows, row)
	}
	return nil
}

// request says one thing to the tool and waits for its answer.
func (d *dialogue) request(ctx context.Context, turn runner.Turn, x *runner.Exchange) error {
	x.Request = turn.Request
	if turn.Brief {
		x.Request = brief(turn.Request)
	}
	var before map[string]int64
	var err error
	if turn.Counters {
		if before, err = d.bench.Counters(ctx); err != nil {
			x.Error = err.Error()
			return ctx.Err()
		}
	}
	if _, err := d.ask.Write(append(bytes.Clone(turn.Request), '\n')); err != nil {
		return fmt.Errorf("%w: %w", errSilent, err)
	}
	line, err := d.answers.ReadBytes('\n')
	if err != nil {
		// What it began to say may tell why.
		x.Answer = asJSON(line)
		return fmt.Errorf("%w: %w", errSilent, err)
	}
	x.Answer = asJSON(line)
	if !turn.Counters {
		return nil
	}
	after, err := d.bench.Counters(ctx)
	if err != nil {
		x.Error = err.Error()
		return ctx.Err()
	}
	x.Counters = map[string]int64{}
	for name, n := range after {
		x.Counters[name] = n - before[name]
	}
	return nil
}

// asJSON is a line as it is if it is JSON, and else as a text.
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

// transcriptName is the file of a conversation among the raw output of its phase.
const transcriptName = "dialogue.jsonl"

// talk is a conversation that begins when its tool has started.
type talk struct {
	*dialogue
	transcript *os.File
	// input and output are the agent's ends of the tool's pipes, and theirs the tool's.
	input, output *os.File
	theirs        []*os.File
	ended         chan struct{}
	err           error
}

// arrange makes everything for a conversation with a command ready but its start. The
// connection is made now, so that none is made while the tool measures.
func (e *execution) arrange(ctx context.Context, t *armed, turns []runner.Turn) error {
	bench, err := e.Bench(ctx, e.trial.Endpoint, e.credentials)
	if err != nil {
		return err
	}
	k := &talk{dialogue: &dialogue{turns: turns, bench: bench}, ended: make(chan struct{})}
	closeFiles := t.closeFiles
	t.talk, t.closeFiles = k, func() { closeFiles(); k.close() }
	if k.transcript, err = os.Create(filepath.Join(e.rawDir(t.name), transcriptName)); err != nil {
		return err
	}
	theirInput, input, err := os.Pipe()
	if err != nil {
		return err
	}
	k.input, k.theirs = input, append(k.theirs, theirInput)
	output, theirOutput, err := os.Pipe()
	if err != nil {
		return err
	}
	k.output, k.theirs = output, append(k.theirs, theirOutput)
	t.cmd.Stdin, t.cmd.Stdout = theirInput, theirOutput
	k.said, k.ask, k.answers = json.NewEncoder(k.transcript), k.input, bufio.NewReaderSize(k.output, 1<<20)
	return nil
}

// begin speaks until all is said, in the background.
func (k *talk) begin(ctx context.Context) {
	k.closeTheirs() // so that the end of the tool is the end of its output
	go func() {
		defer close(k.ended)
		k.err = k.run(ctx)
		_ = k.input.Close() // the end of its input is how a tool is told to end
	}()
}

func (k *talk) closeTheirs() {
	for _, f := range k.theirs {
		_ = f.Close()
	}
	k.theirs = nil
}

// close may be called twice, and for what never began.
func (k *talk) close() {
	k.closeTheirs()
	for _, f := range []*os.File{k.input, k.output, k.transcript} {
		if f != nil {
			_ = f.Close()
		}
	}
	_ = k.bench.Close()
}
