package client

import (
	"context"

	"github.com/assay-bench/assay/internal/agent/toolwire"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// maxTail is how much of the end of each output is read for live figures, in bytes: a hundred lines.
const maxTail = 16 << 10

// showFigures of a tool that runs, until its end. What is read of its output here is shown and forgotten: a result
// is made of the whole output, when the tool has ended. Nothing is known of a tool that is in a dialogue.
func (b toolbox) showFigures(t preparedTool) {
	if b.figures == nil || t.talk != nil || b.intervals == nil {
		return
	}
	b.figures.Begin(t.name, func(ctx context.Context) ([]contract.Measurement, error) {
		stdout, err := b.side.Tail(ctx, t.name, toolwire.Stdout, maxTail)
		if err != nil {
			return nil, err
		}
		stderr, err := b.side.Tail(ctx, t.name, toolwire.Stderr, maxTail)
		if err != nil {
			return nil, err
		}
		return b.intervals(t.phase, runner.Output{Stdout: stdout, Stderr: stderr}), nil
	})
}
