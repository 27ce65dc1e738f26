package search

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/mathematics/stats"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/runners/runner"
)

// Search of a run.
type Search struct {
	// Field of the workload that is the offered rate of each client.
	Field string
	// Bisection over the rate.
	Bisection stats.Search
	// Repeats is how many trials of one search may be repeated.
	Repeats int
	// Clients that offer the rate, each by itself.
	Clients int
	// MaxErrors is the largest share (0 to 1) of errors among the operations of a trial.
	MaxErrors float64
	// Objectives that hold in a trial that holds.
	Objectives []Objective
}

// Of the search of a spec, which has one. Offered is how the tool offers a rate, and names are the
// measurements that its records have. It fails when the tool cannot carry the search out; the error
// names the field.
func Of(spec v1alpha1.BenchmarkRunSpec, offered runner.Offered, names []string) (Search, error) {
	tool, _, err := spec.Workload.Tool()
	if err != nil {
		return Search{}, fmt.Errorf("spec.%w", err)
	}
	if offered.Field == "" {
		return Search{}, fmt.Errorf("spec.search: %s offers no rate that could be searched: use a tool with one, such as sysbench (rate) or ycsb (target)", tool)
	}
	if slices.ContainsFunc(spec.Matrix, func(a v1alpha1.Axis) bool { return a.Name == offered.Field }) {
		return Search{}, fmt.Errorf("spec.matrix: %s is an axis, and spec.search decides it: leave one of them out", offered.Field)
	}
	s := Search{Field: offered.Field, Repeats: plan.Repeats(*spec.Search), Clients: spec.MeasuringClients()}
	if s.Bisection, err = plan.SearchOf(*spec.Search); err != nil {
		return Search{}, err
	}
	if s.MaxErrors, err = plan.Percentage(spec.Search.MaxErrors); err != nil {
		return Search{}, fmt.Errorf("spec.search.maxErrors: %w", err)
	}
	for i, o := range spec.Search.Objectives {
		one, err := parseObjective(o)
		if err == nil {
			err = one.known(offered, names)
		}
		if err != nil {
			return Search{}, fmt.Errorf("spec.search.objectives[%d]: %w", i, err)
		}
		s.Objectives = append(s.Objectives, one)
	}
	if !slices.Contains(names, contract.NameErrorRate) || !slices.Contains(names, contract.NameThroughput) {
		return Search{}, fmt.Errorf("spec.search: the records of %s have no %s and %s, which decide whether a rate holds",
			tool, contract.NameThroughput, contract.NameErrorRate)
	}
	return s, nil
}

// Parameter is the field of the workload with the rate; empty for a run that searches nothing.
func (s *Search) Parameter() string {
	if s == nil {
		return ""
	}
	return s.Field
}

// Explains says that a trial that failed is an answer, and no failure of the run: the rate was more
// than the target, or the client, could take. False for a run that searches nothing.
func (s *Search) Explains(rec contract.Record) bool { return s != nil && overloaded(&rec) }

// Low is the first rate of every search.
func (s Search) Low() int64 { return int64(s.Bisection.Low) }

// group is what one search is about: indices of the block, the cell and the target.
type group struct{ block, cell, target int32 }

// groupOf a trial of the plan.
func groupOf(t plan.Trial) group { return group{t.Block, t.Cell, t.Target} }

// place is a group without its block, for people.
func place(p *plan.Plan, cell, target int32) string {
	words := []string{p.Targets[target]}
	for _, axis := range p.Axes {
		value := p.Cells[cell][axis]
		words = append(words, axis+"="+value.String())
	}
	return strings.Join(words, " ")
}

// byGroup are the records of each group that no attempt follows, in their order. It fails for a record
// that the plan does not have.
func byGroup(p *plan.Plan, records []contract.Record) (map[group][]*contract.Record, error) {
	out := map[group][]*contract.Record{}
	for i := range records {
		rec := &records[i]
		if int(rec.Index) >= len(p.Trials) || rec.Index < 0 {
			return nil, fmt.Errorf("the journal has a record of trial %d, and the plan has %d trials", rec.Index, len(p.Trials))
		}
		if rec.Final {
			g := groupOf(p.Trials[rec.Index])
			out[g] = append(out[g], rec)
		}
	}
	return out, nil
}
