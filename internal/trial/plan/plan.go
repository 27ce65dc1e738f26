// Package plan turns the spec of a run into the ordered list of its trials. It is pure: the
// same spec and seed always give the same list, byte for byte. It refuses axes that the tool
// does not have, exclusions without effect, and plans with more cells or trials than its limits.
//
//	plan.go      the plan, and what it refuses
//	cells.go     the matrix: every combination of the axes without the excluded ones
//	order.go     the order of the trials
//	search.go    the trials that a search for the highest rate can take
//	seed.go      the seed of a spec that has none
//	reset.go     which trials restore the data first
//	apply.go     the workload of one cell
//	describe.go  the plan as bytes, as text and as time
package plan

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/mathematics/figure"
)

// MaxTrials of one run, and MaxCells of its matrix. Limits may be lower.
const (
	MaxTrials = 20000
	MaxCells  = 20000
)

// Limits of a plan.
type Limits struct {
	// Cells of the matrix without the excluded ones, and Trials of all cells, targets and blocks.
	Cells, Trials int64
}

// Plan is the ordered list of the trials of a run.
type Plan struct {
	// Seed of the order and of the tools' random numbers.
	Seed int64 `json:"seed"`
	// Order of the trials.
	Order v1alpha1.TrialOrder `json:"order"`
	// Targets that are measured, in the order of the spec.
	Targets []string `json:"targets"`
	// Axes are the names of the axes in the order of the matrix; absent without a matrix.
	Axes []string `json:"axes,omitempty"`
	// Cells in the order of the matrix; the last axis varies fastest. Without a matrix there
	// is one cell without parameters.
	Cells []Cell `json:"cells"`
	// Trials in the order of execution.
	Trials []Trial `json:"trials"`
}

// Cell is one combination of the values of the axes.
type Cell map[string]intstr.IntOrString

// String is the cell for people, such as "test=oltp_insert threads=64".
func (c Cell) String() string {
	if len(c) == 0 {
		return "no matrix"
	}
	words := make([]string, 0, len(c))
	for _, axis := range slices.Sorted(maps.Keys(c)) {
		value := c[axis]
		words = append(words, axis+"="+value.String())
	}
	return strings.Join(words, " ")
}

// Workload is the part of the cell that decides the workload of a client: without the settings of the server, how many clients work, and
// what varies of a second load.
func (c Cell) Workload() Cell {
	out := maps.Clone(c)
	maps.DeleteFunc(out, func(name string, _ intstr.IntOrString) bool {
		axis := v1alpha1.Axis{Name: name}
		_, setting := axis.Setting()
		_, _, background := axis.Background()
		return setting || background || name == v1alpha1.AxisClients
	})
	return out
}

// Background is the part of the cell that decides the second load: the fields of the tool, and how many of its clients work, as the cell
// gives it; nil where it does not.
func (c Cell) Background() (fields Cell, clients *intstr.IntOrString) {
	fields = Cell{}
	for name, value := range c {
		switch field, counts, is := (v1alpha1.Axis{Name: name}).Background(); {
		case counts:
			clients = &value
		case is:
			fields[field] = value
		}
	}
	return fields, clients
}

// Trial is the measurement of one cell on one target in one block. A search has as many of them in a
// block as it can take at most. The JSON names are short
// because a plan has up to 20,000 trials.
type Trial struct {
	// Index in the plan, from 0.
	Index int32 `json:"i"`
	// Block is the repetition, from 0.
	Block int32 `json:"b"`
	// Cell is the index into Plan.Cells.
	Cell int32 `json:"c"`
	// Target is the index into Plan.Targets.
	Target int32 `json:"t"`
	// Reset: the data is restored before the trial.
	Reset bool `json:"r,omitempty"`
	// Restart: the server is started again before the trial, with its data.
	Restart bool `json:"s,omitempty"`
}

// TooManyError is the error for a spec with more cells or trials than the limits.
type TooManyError struct {
	Blocks, Targets, Cells int64
	// Rounds are the trials of a search; 0 without one.
	Rounds int64
	// Axes are the numbers of values of the axes.
	Axes []int
	// BeforeExclude: Cells is the number for the whole matrix, because it is too large to
	// search for excluded cells.
	BeforeExclude bool
	// Limits that the spec exceeds.
	Limits Limits
}

// Trials is the number of trials; at most the largest int64.
func (e *TooManyError) Trials() int64 {
	return times(times(times(e.Blocks, e.Targets), e.Cells), max(e.Rounds, 1))
}

// exceeds says whether the spec is too large.
func (e *TooManyError) exceeds() bool {
	return e.Cells > e.Limits.Cells || e.Trials() > e.Limits.Trials
}

// Error has the arithmetic and the remedies.
func (e *TooManyError) Error() string {
	what := "cells"
	if e.BeforeExclude {
		what = "cells (before spec.exclude)"
	}
	if e.Trials() > e.Limits.Trials && e.Rounds > 0 {
		return fmt.Sprintf("%d blocks x %s x %d %s x %d trials of a search are %d trials, and a run has at most %d: "+
			"use a smaller range, a larger precision or fewer trials in spec.search, fewer cells or blocks, or several runs",
			e.Blocks, figure.Counted(e.Targets, "target"), e.Cells, what, e.Rounds, e.Trials(), e.Limits.Trials)
	}
	if e.Trials() > e.Limits.Trials {
		return fmt.Sprintf("%d blocks x %s x %d %s are %d trials, and a run has at most %d: "+
			"use fewer values in spec.matrix, exclude cells, lower spec.design.blocks, or make several runs",
			e.Blocks, figure.Counted(e.Targets, "target"), e.Cells, what, e.Trials(), e.Limits.Trials)
	}
	var axes []string
	for _, n := range e.Axes {
		axes = append(axes, strconv.Itoa(n))
	}
	return fmt.Sprintf("spec.matrix: axes with %s values make %d %s, and a run has at most %d (limits.cells of the operator): "+
		"use fewer values, exclude cells, or make several runs", strings.Join(axes, " x "), e.Cells, what, e.Limits.Cells)
}

// New makes the plan of a spec with defaults. dataFields are the fields and parameters of the
// workload that decide the loaded data; they cannot be axes. Errors name the field; more than
// the limits is a *TooManyError. Cells are counted before they are built, so a matrix of 64^8
// cells is refused quickly.
func New(spec v1alpha1.BenchmarkRunSpec, dataFields []string, limits Limits) (*Plan, error) {
	d := spec.Design
	targets := measured(spec.Targets)
	if len(targets) == 0 {
		return nil, errors.New("spec.targets: a run needs at least one target to measure: published ones are only shown beside it")
	}
	if d.Blocks < 1 {
		return nil, fmt.Errorf("spec.design.blocks: %d is too few: use at least 1", d.Blocks)
	}
	arrange, known := orders[d.Order]
	if !known {
		return nil, fmt.Errorf("spec.design.order: %q is not known: use RandomizedBlocks, ABBA or Sequential", d.Order)
	}
	if !slices.Contains([]v1alpha1.DataReset{v1alpha1.ResetPerRun, v1alpha1.ResetPerBlock, v1alpha1.ResetPerTrial}, d.DataReset) {
		return nil, fmt.Errorf("spec.design.dataReset: %q is not known: use PerRun, PerBlock or PerTrial", d.DataReset)
	}
	m, err := newMatrix(spec, dataFields)
	if err != nil {
		return nil, err
	}
	rounds, err := Rounds(spec)
	if err != nil {
		return nil, err
	}
	blocks := d.Blocks + d.ReserveBlocks
	tooMany := &TooManyError{Blocks: int64(blocks), Targets: int64(len(targets)), Cells: m.combinations(), Axes: m.sizes(), Limits: limits}
	if spec.Search != nil {
		tooMany.Rounds = int64(rounds)
	}
	if tooMany.Cells > maxCombinations {
		tooMany.BeforeExclude = len(spec.Exclude) > 0
		return nil, tooMany
	}
	if tooMany.Cells, err = m.count(); err != nil {
		return nil, err
	}
	if tooMany.exceeds() {
		return nil, tooMany
	}
	seed := seedOf(spec)
	p := &Plan{Seed: seed, Order: d.Order, Axes: m.names(), Cells: m.cells(int(tooMany.Cells)), Targets: targets}
	// The rounds of a block are ordered like blocks, so that drift is the same for all searches.
	p.Trials = arrange(seed, size{blocks: blocks * int32(rounds), cells: int32(len(p.Cells)), targets: int32(len(p.Targets))})
	for i := range p.Trials {
		p.Trials[i].Index = int32(i)
		p.Trials[i].Block /= int32(rounds)
	}
	again, err := restarts(spec, len(targets))
	if err != nil {
		return nil, err
	}
	markTrials(p.Trials, d.DataReset, again, spec.VariesSettings(v1alpha1.ApplyRestart))
	return p, nil
}

// measured are the names of the measured targets: all except published ones.
func measured(targets []v1alpha1.Target) []string {
	var out []string
	for _, t := range targets {
		if t.Published == nil {
			out = append(out, t.Name)
		}
	}
	return out
}

// Measuring is the time of one measurement: the warm-up and the measured window of the design.
// The spec has its defaults (BenchmarkRunSpec.SetDefaults).
func Measuring(d v1alpha1.Design) time.Duration {
	return d.Warmup.Duration + d.Duration.Duration
}

// times multiplies numbers from 0; the result is at most the largest int64.
func times(a, b int64) int64 {
	if a > 0 && b > math.MaxInt64/a {
		return math.MaxInt64
	}
	return a * b
}
