package search

import (
	"fmt"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/stats"
	"github.com/assay-bench/assay/internal/trial/plan"
)

// state of one search.
type state struct {
	stats.Step
	// trials of the search, and how many of them were of no use.
	trials, repeated int
	// lost is why the search ends without an answer; empty for any other.
	lost string
	// why the rate in Failed did not hold, and whether the target did not achieve it.
	why       string
	saturated bool
	// best is the last trial that held at the rate in Held; nil without one.
	best *contract.Record
}

// ended says that no trial is left.
func (s state) ended() bool { return s.Done || s.lost != "" }

// stateOf a search after its trials. It fails for trials that are not of this search.
func (s Search) stateOf(trials []*contract.Record) (out state, err error) {
	var history []stats.Probe
	var failures []judged
	var rates []float64
	for _, rec := range trials {
		out.trials++
		j, rate := s.judge(rec), float64(s.rateOf(rec))
		switch j.says {
		case useless:
			if out.repeated++; out.repeated > s.Repeats && out.lost == "" {
				out.lost = fmt.Sprintf("%d trials were of no use, and maxRepeats is %d; the last one: %s", out.repeated, s.Repeats, j.why)
			}
			continue
		case mute:
			out.lost = j.why
			continue
		case fails:
			failures, rates = append(failures, j), append(rates, rate)
		}
		history = append(history, stats.Probe{Rate: rate, Held: j.says == holds})
	}
	if out.Step, err = s.Bisection.Next(history); err != nil {
		return out, err
	}
	for i, j := range failures {
		if rates[i] == out.Failed {
			out.why, out.saturated = j.why, out.saturated || j.saturated
		}
	}
	for _, rec := range trials {
		if float64(s.rateOf(rec)) == out.Held && s.judge(rec).says == holds {
			out.best = rec
		}
	}
	return out, nil
}

// rateOf a trial.
func (s Search) rateOf(rec *contract.Record) int64 {
	if rec.Rate > 0 {
		return rec.Rate
	}
	return s.Low() // of the first trial of a run, no record decides
}

// After is what follows the last of the records, which no attempt follows: the next trial of the plan
// whose search goes on, with the rate that this search tries next. It needs the records of the last
// one's block: all searches of a block end before the next block. It fails for records that are not of
// this search.
func (s Search) After(p *plan.Plan, records []contract.Record) (contract.Decision, error) {
	groups, err := byGroup(p, records)
	if err != nil {
		return contract.Decision{}, err
	}
	if len(records) == 0 {
		return contract.Decision{}, fmt.Errorf("no record that something could follow")
	}
	last := records[len(records)-1]
	said := ""
	if was := groupOf(p.Trials[last.Index]); len(groups[was]) > 0 {
		st, err := s.stateOf(groups[was])
		if err != nil {
			return contract.Decision{}, fmt.Errorf("the search of %s in block %d: %w", place(p, was.cell, was.target), was.block, err)
		}
		said = st.progress(place(p, was.cell, was.target))
	}
	states := map[group]state{}
	for _, t := range p.Trials[last.Index+1:] {
		g := groupOf(t)
		st, known := states[g]
		if !known {
			if st, err = s.stateOf(groups[g]); err != nil {
				return contract.Decision{}, fmt.Errorf("the search of %s in block %d: %w", place(p, t.Cell, t.Target), t.Block, err)
			}
			states[g] = st
		}
		if !st.ended() {
			return contract.Decision{Next: new(t.Index), Rate: int64(st.Rate), Why: contract.Cut(said, maxText)}, nil
		}
	}
	return contract.Decision{Stop: true, Why: contract.Cut(said, maxText)}, nil
}
