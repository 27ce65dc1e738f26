package experiment

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/experiment/search"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/trial/plan"
)

// searchOf the spec; nil for a run that searches nothing. It refuses a search that the tool cannot
// carry out.
func searchOf(w Work) (*search.Search, error) {
	if w.spec.Search == nil {
		return nil, nil
	}
	offered, err := w.Tool.Offers(w.Params)
	if err != nil {
		return nil, Refuse(v1alpha1.ReasonInvalidSpec, "spec.%v", err)
	}
	s, err := search.Of(w.spec, offered, w.Names())
	if err != nil {
		return nil, Refuse(v1alpha1.ReasonInvalidSpec, "%v", err)
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(w.Params, &given); err != nil {
		return nil, Refuse(v1alpha1.ReasonInvalidSpec, "spec.workload.%s: %v", w.Tool.Name, err)
	}
	if _, has := given[s.Field]; has {
		return nil, Refuse(v1alpha1.ReasonInvalidSpec, "spec.workload.%s.%s: spec.search decides it: leave it out", w.Tool.Name, s.Field)
	}
	return &s, nil
}

// CellAt is the workload of a cell at an offered rate, in operations per second of each client. Only a
// run that searches has one.
func (w Work) CellAt(cell plan.Cell, rate int64) (json.RawMessage, error) {
	if w.Search == nil {
		return w.Cell(cell)
	}
	if rate < 1 || rate > math.MaxInt32 {
		return nil, fmt.Errorf("spec.search: %d is no rate that %s can offer", rate, w.Tool.Name)
	}
	at := plan.Cell{}
	maps.Copy(at, cell)
	at[w.Search.Field] = intstr.FromInt32(int32(rate))
	return w.Cell(at)
}

// mostOf a cell is its workload at the highest rate that any of its trials may have.
func (w Work) mostOf(cell plan.Cell) (json.RawMessage, error) {
	if w.Search == nil {
		return w.Cell(cell)
	}
	return w.CellAt(cell, int64(w.Search.Bisection.High))
}

// Compared are the names of the measurements that a run compares and summarises, the main one first:
// those of its records, or the rates that it searches.
func (w Work) Compared() []string {
	if w.Search != nil {
		return search.Names()
	}
	return w.Names()
}

// checkObjectives refuses a cell whose results cannot have what the search bounds.
func checkObjectives(w Work, i int, cell plan.Cell, params json.RawMessage) error {
	if w.Search == nil {
		return nil
	}
	offered, err := w.Tool.Offers(params)
	if err == nil {
		_, err = search.Of(w.spec, offered, w.Names())
	}
	if err != nil {
		return Refuse(v1alpha1.ReasonInvalidSpec, "cell %d (%v): %v", i, cell, err)
	}
	return nil
}

// searches says what the search can take, for the message of Accepted.
func searches(spec v1alpha1.BenchmarkRunSpec, trials int) string {
	s := spec.Search
	if s == nil {
		return ""
	}
	rounds, err := plan.Rounds(spec)
	if err != nil {
		return ""
	}
	spec.SetDefaults()
	all := time.Duration(trials)*plan.Measuring(spec.Design) + time.Duration(max(trials-1, 0))*spec.Design.Cooldown.Duration
	return fmt.Sprintf(" x %d trials of a search from %d to %d, within %s; that is the maximum, and takes %s without resets",
		rounds, s.Low, s.High, s.Precision, figure.Duration(all))
}

// checkSearchDesign refuses a search in a run that may stop early: both say what follows a trial.
func checkSearchDesign(spec v1alpha1.BenchmarkRunSpec) error {
	if spec.Search != nil && spec.Design.StopsItself() {
		return Refuse(v1alpha1.ReasonInvalidSpec, "spec.design: spec.search decides itself what follows a trial: leave precision, within and reserveBlocks out, or search")
	}
	return nil
}
