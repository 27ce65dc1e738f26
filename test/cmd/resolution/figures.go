package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/test/helpers/plays"
)

// Figures of one run.
type Figures struct {
	// Case of the run, and Play, from 1.
	Case string `json:"case"`
	Play int    `json:"play"`
	// Manifest is the digest of what was measured.
	Manifest string `json:"manifest"`
	// Date when it ended.
	Date time.Time `json:"date"`
	// Commit of the tree, and the machine.
	Commit  string `json:"commit"`
	Machine string `json:"machine"`
	// Seconds from the start of the first window to the end of the last.
	Seconds float64 `json:"seconds"`
	// Blocks that count in the comparison.
	Blocks int `json:"blocks"`
	// Trials that were measured, and those of them that were left out.
	Trials  int `json:"trials"`
	LeftOut int `json:"leftOut"`
	// Ratio of the two sides, with its interval and p; all 0 with NoVerdict.
	Ratio float64 `json:"ratio,omitempty"`
	Low   float64 `json:"low,omitempty"`
	High  float64 `json:"high,omitempty"`
	P     float64 `json:"p,omitempty"`
	// Spread of the ratios of blocks: the standard deviation of their logarithms.
	Spread float64 `json:"spread,omitempty"`
	// Gate is the condition Passed of a run with a gate: True, False, or Unknown for an undecided one; empty without a gate.
	Gate string `json:"gate,omitempty"`
	// NoVerdict says why the run has none: it did not come to its end, or too few of its blocks count.
	NoVerdict string `json:"noVerdict,omitempty"`
}

// Slower and Faster say that the interval excludes 1.
func (f Figures) Slower() bool { return f.High > 0 && f.High < 1 }

// Faster is the other side of Slower.
func (f Figures) Faster() bool { return f.Low > 1 }

// figuresOf the run of a name in a bundle. It fails for another run, and for one that is complete and does not have one comparison.
func figuresOf(ctx context.Context, path, name string) (Figures, error) {
	run, err := plays.Read(ctx, path, name)
	if err != nil {
		return Figures{}, err
	}
	f, err := comparedIn(run)
	if err != nil {
		return f, fmt.Errorf("%s: %w", path, err)
	}
	f.Trials = len(run.Records)
	if passed := meta.FindStatusCondition(run.Object.Status.Conditions, v1alpha1.ConditionPassed); passed != nil {
		f.Gate = string(passed.Status)
	}
	var first, last time.Time
	for _, rec := range run.Records {
		if rec.State != contract.Succeeded || rec.Disturbed || rec.Valid != nil && !*rec.Valid {
			f.LeftOut++
		}
		if at := rec.WindowStartTime; at != nil && (first.IsZero() || at.Before(first)) {
			first = *at
		}
		if at := rec.WindowEndTime; at != nil && at.After(last) {
			last = *at
		}
	}
	f.Seconds = last.Sub(first).Seconds()
	return f, nil
}

// comparedIn a run are the figures of its one comparison. A run that is not complete has no verdict, whatever it has compared.
func comparedIn(run *stored.Run) (f Figures, err error) {
	primary := slices.DeleteFunc(slices.Clone(run.Summary.Comparisons), func(e v1alpha1.ComparisonEntry) bool { return e.Family != v1alpha1.FamilyPrimary })
	if len(primary) == 1 {
		f.Blocks = int(primary[0].BlockCount)
	}
	switch state := run.Object.Status.Phase; {
	case state != v1alpha1.PhaseComplete:
		f.NoVerdict = fmt.Sprintf("the run ended as %s", state)
		return f, nil
	case len(primary) != 1:
		return f, fmt.Errorf("the run has %d primary comparisons, not 1", len(primary))
	}
	e := primary[0]
	for _, figure := range []struct {
		text v1alpha1.Figure
		into *float64
	}{{e.Ratio, &f.Ratio}, {e.IntervalLow, &f.Low}, {e.IntervalHigh, &f.High}, {e.P, &f.P}, {e.Spread, &f.Spread}} {
		if *figure.into, err = strconv.ParseFloat(string(figure.text), 64); err != nil {
			return Figures{Blocks: f.Blocks, NoVerdict: fmt.Sprintf("%s: %d of %d blocks count", e.Verdict, e.BlockCount, e.PlannedBlockCount)}, nil
		}
	}
	return f, nil
}
