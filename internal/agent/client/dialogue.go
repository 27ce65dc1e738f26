package client

import (
	"context"
	"os"
	"path/filepath"

	"github.com/assay-bench/assay/internal/agent/dialogue"
	"github.com/assay-bench/assay/runners/runner"
)

// transcriptName is the file of a conversation among the raw output of its phase.
const transcriptName = "dialogue.jsonl"

// talk is a conversation that begins when its tool has started.
type talk struct {
	*dialogue.Dialogue
	bench      dialogue.Workbench
	transcript *os.File
	// input and output are the agent's ends of the tool's pipes, and theirs the tool's.
	input, output *os.File
	theirs        []*os.File
	ended         chan struct{}
	err           error
}

// arrange prepares a conversation with a command. The talk closes the bench, even if it never
// begins.
func (b toolbox) arrange(t *preparedTool, bench dialogue.Workbench, turns []runner.Turn) error {
	k := &talk{bench: bench, ended: make(chan struct{})}
	closeFiles := t.closeFiles
	t.talk, t.closeFiles = k, func() { closeFiles(); k.close() }
	var err error
	if k.transcript, err = os.Create(filepath.Join(b.rawDir(t.name), transcriptName)); err != nil {
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
	k.Dialogue = dialogue.New(turns, bench, dialogue.Streams{Ask: k.input, Answers: k.output, Transcript: k.transcript})
	return nil
}

// begin runs the conversation in the background.
func (k *talk) begin(ctx context.Context) {
	k.closeTheirs() // so that the end of the tool is the end of its output
	go func() {
		defer close(k.ended)
		k.err = k.Run(ctx)
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
