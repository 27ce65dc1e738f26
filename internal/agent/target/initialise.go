package target

import (
	"context"
	"time"

	"github.com/assay-bench/assay/internal/agent/supervise"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// initialise first makes the data directory under another name, so an interrupted start leaves
// nothing that looks complete.
func (a *agent) initialise(ctx context.Context) error {
	e := a.in.engine
	if e.Initialise == nil {
		return stored(beginFirstStart(a.Options))
	}
	if done, err := initialised(a.Options); done || err != nil {
		return stored(err)
	}
	begin, paths, draft := time.Now(), a.paths(), a.paths().Data+".initialising"
	// In place of that of an interrupted start.
	if err := emptyDir(draft); err != nil {
		return stored(err)
	}
	paths.Data = draft
	exit, said, err := a.carryOut(ctx, e.Initialise(paths))
	if err != nil {
		return err
	}
	if exit != (supervise.Exit{}) {
		words := lastWords{e.Facts.Log, said}
		return failWithLog(words.classify(exit, true, contract.ReasonInitialisationFailed), words,
			"the initialisation of the data directory %s", exit)
	}
	if err := adopt(draft, a.paths().Data); err != nil {
		return stored(err)
	}
	a.Log.Info("initialised the data directory", "took", time.Since(begin).Round(time.Millisecond))
	return nil
}
