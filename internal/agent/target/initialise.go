package target

import (
	"context"
	"time"

	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/agent/supervise"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// initialise first makes the data directory under another name, so an interrupted start leaves
// nothing that looks complete.
func initialise(ctx context.Context, p programs, e engine.Engine) error {
	if e.Initialise == nil {
		return beginFirstStart(p.Options)
	}
	if done, err := initialised(p.Options); done || err != nil {
		return err
	}
	draft, err := emptyDraft(p.Options)
	if err != nil {
		return err
	}
	begin := time.Now()
	paths := p.paths()
	paths.Data = draft
	exit, said, err := p.carryOut(ctx, e.Initialise(paths))
	if err != nil {
		return err
	}
	if exit != (supervise.Exit{}) {
		words := lastWords{e.Facts.Log, said}
		return failWithLog(words.classify(exit, true, contract.ReasonInitialisationFailed), words,
			"the initialisation of the data directory %s", exit)
	}
	if err := adopt(draft, p.paths().Data); err != nil {
		return fail(contract.ReasonStorageFailed, "%v", err)
	}
	p.Log.Info("initialised the data directory", "took", time.Since(begin).Round(time.Millisecond))
	return nil
}
