package client

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/assay-bench/assay/internal/agent/dialogue"
	"github.com/assay-bench/assay/internal/agent/toolside"
)

// transcriptName is the file of a conversation among the raw output of its phase.
const transcriptName = "dialogue.jsonl"

// talk is a conversation that begins when its tool has started.
type talk struct {
	*dialogue.Dialogue
	bench      dialogue.Workbench
	transcript *os.File
	// streams are the tool's standard input and output.
	streams *toolside.Dialogue
	ended   chan struct{}
	err     error
}

// arrange prepares a conversation with a command. The talk closes the bench, even if it never
// begins.
func (b toolbox) arrange(ctx context.Context, t *preparedTool, bench dialogue.Workbench) error {
	k := &talk{bench: bench, ended: make(chan struct{})}
	t.talk = k
	var err error
	if k.transcript, err = os.Create(filepath.Join(b.rawDir(t.name), transcriptName)); err != nil {
		return err
	}
	if k.streams, err = b.side.OpenDialogue(ctx, t.name); err != nil {
		return err
	}
	k.Dialogue = dialogue.New(t.turns, bench, dialogue.Streams{Ask: k.streams.Ask, Answers: k.streams.Answers, Transcript: k.transcript})
	return nil
}

// begin runs the conversation in the background.
func (k *talk) begin(ctx context.Context) {
	go func() {
		defer close(k.ended)
		k.err = k.Run(ctx)
		_ = k.streams.Ask.Close() // the end of its input is how a tool is told to end
	}()
}

// finish waits for the end of the conversation with a tool that has ended. The end of its output
// ends it; where that does not come, the patience does.
func (k *talk) finish(patience time.Duration) {
	timer := time.AfterFunc(patience, k.streams.Close)
	defer timer.Stop()
	<-k.ended
}

// close may be called twice, and for what never began.
func (k *talk) close() {
	if k.streams != nil {
		k.streams.Close()
	}
	if k.transcript != nil {
		_ = k.transcript.Close()
	}
	_ = k.bench.Close()
}
