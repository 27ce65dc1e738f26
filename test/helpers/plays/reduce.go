package plays

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/bundle"
	"github.com/assay-bench/assay/internal/record/stored"
)

const (
	// mostBytes of a bundle in a repository that everybody clones.
	mostBytes = 512 << 10
	// mostResults is how many bytes of results a stored run has at first, compressed. A page takes its curves over time and its
	// spectrum from them, and all else from the records.
	mostResults = 150_000
	// mostCells of which a page shows single trials.
	mostCells = 4
)

// reduced is a bundle without the raw output of the tools, and with the results of a few trials only: as large as a repository can
// have it. Plan, records and summary are whole.
type reduced struct {
	*bundle.Bundle
	kept map[string]bool
}

// ConfigMap of the bundle; of a result only what is kept.
func (r reduced) ConfigMap(ctx context.Context, name string) (*corev1.ConfigMap, error) {
	cm, err := r.Bundle.ConfigMap(ctx, name)
	if err != nil || cm == nil {
		return cm, err
	}
	if _, is := cm.BinaryData[contract.KeyResult]; is {
		for key := range cm.BinaryData {
			if r.LeavesOut(name, key) {
				delete(cm.BinaryData, key)
			}
		}
	}
	return cm, nil
}

// LeavesOut says whether a key of a result is left out: the index of the bundle names it then.
func (r reduced) LeavesOut(name, key string) bool {
	return key == contract.KeyRaw || key == contract.KeyResult && !r.kept[name]
}

// Reduce a bundle to what a repository can keep: without the raw output of the tools, and with the results of as many trials as fit in, the
// index naming what was left out. It fails for one that is too large even without results.
func Reduce(ctx context.Context, from, to string) error {
	draft := to + ".new"
	defer func() { _ = os.Remove(draft) }() // one that is too large
	for most := mostResults; ; most /= 2 {
		if err := reduce(ctx, from, draft, most); err != nil {
			return err
		}
		info, err := os.Stat(draft)
		switch {
		case err != nil:
			return err
		case info.Size() <= mostBytes:
			return os.Rename(draft, to)
		case most == 0:
			return fmt.Errorf("%s has %d bytes without any result, and may have %d", from, info.Size(), mostBytes)
		}
	}
}

// reduce a bundle to at most so many bytes of results. It fails for a run that has no plan.
func reduce(ctx context.Context, from, to string, most int) error {
	b, err := bundle.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = b.Close() }()
	run, err := stored.Read(ctx, b)
	if err != nil {
		return err
	}
	if run.Plan == nil {
		return fmt.Errorf("%s has no plan", from)
	}
	r := reduced{b, map[string]bool{}}
	left := most
	for _, name := range shownResults(run) {
		cm, err := b.ConfigMap(ctx, name)
		if err != nil {
			return err
		}
		if size := len(cm.BinaryData[contract.KeyResult]); size > 0 && size <= left {
			r.kept[name], left = true, left-size
		}
	}
	out, err := os.Create(to) //nolint:gosec // a draft of Reduce
	if err != nil {
		return err
	}
	_, err = bundle.Write(ctx, r, out)
	return errors.Join(err, out.Close())
}

// shownResults are those of trials that a page looks at, of the first blocks first: of the first, the last and a few cells between.
func shownResults(run *stored.Run) (names []string) {
	n := len(run.Plan.Cells)
	shown := map[int32]bool{}
	for i := range min(n, mostCells) {
		shown[int32(i*(n-1)/max(min(n, mostCells)-1, 1))] = true
	}
	records := slices.Clone(run.Records)
	slices.SortStableFunc(records, func(a, b contract.Record) int { return int(a.Index - b.Index) })
	for _, rec := range records {
		for client := range run.Clients() {
			if shown[rec.Cell] {
				names = append(names, contract.ResultName(contract.TrialName(run.Object.Name, rec.Index, rec.Attempt), client))
			}
		}
	}
	return names
}
