package plan

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
)

const (
	// maxCombinations is the largest matrix that is searched for excluded cells. A larger
	// matrix is refused: 64 exclusions would hardly reduce it to MaxTrials.
	maxCombinations = 1 << 20
	// maxExclusions is the API's bound, and the number of bits of a mask.
	maxExclusions = 64
)

// matrix is spec.matrix, ready to be walked.
type matrix struct {
	axes []v1alpha1.Axis
	// masks by axis and value: bit i is set when spec.exclude[i] names the value or does not
	// name the axis.
	masks [][]uint64
	// all has the bits of all exclusions.
	all uint64
}

// newMatrix checks the axes and the exclusions. Values are compared as text, so 64 and "64"
// are equal: they make the same workload.
func newMatrix(spec v1alpha1.BenchmarkRunSpec, dataFields []string) (matrix, error) {
	m := matrix{axes: spec.Matrix}
	if len(spec.Exclude) > maxExclusions {
		return m, fmt.Errorf("spec.exclude: %d entries are too many: use at most %d", len(spec.Exclude), maxExclusions)
	}
	if len(spec.Exclude) > 0 {
		m.all = ^uint64(0) >> (maxExclusions - len(spec.Exclude))
	}
	for i, axis := range m.axes {
		if err := checkAxis(axis, m.axes[:i], dataFields); err != nil {
			return m, fmt.Errorf("spec.matrix[%d]: %w", i, err)
		}
		masks := make([]uint64, len(axis.Values))
		for v := range masks {
			masks[v] = m.all
		}
		m.masks = append(m.masks, masks)
	}
	for i, entry := range spec.Exclude {
		if err := m.exclude(i, entry); err != nil {
			return m, fmt.Errorf("spec.exclude[%d]: %w", i, err)
		}
	}
	return m, nil
}

func checkAxis(axis v1alpha1.Axis, before []v1alpha1.Axis, dataFields []string) error {
	if slices.Contains(dataFields, axis.Name) {
		return fmt.Errorf("%s decides what is loaded, and a run loads one data set: make one run per value", axis.Name)
	}
	if slices.ContainsFunc(before, func(b v1alpha1.Axis) bool { return b.Name == axis.Name }) {
		return fmt.Errorf("a second axis has the name %s: put all its values into one", axis.Name)
	}
	if len(axis.Values) == 0 {
		return fmt.Errorf("%s has no values: give it at least one, or leave the axis out", axis.Name)
	}
	seen := make(map[string]bool, len(axis.Values))
	for _, v := range axis.Values {
		if seen[v.String()] {
			return fmt.Errorf("%s has the value %s twice: use spec.design.blocks to measure it more often", axis.Name, v.String())
		}
		seen[v.String()] = true
	}
	return nil
}

// exclude clears the bit of an entry in all values that it does not apply to.
func (m matrix) exclude(bit int, entry v1alpha1.Exclusion) error {
	if len(entry) == 0 {
		return errors.New("the entry is empty: name at least one axis and its value")
	}
	known := 0
	for a, axis := range m.axes {
		value, named := entry[axis.Name]
		if !named {
			continue
		}
		known++
		found := false
		for v := range axis.Values {
			if axis.Values[v].String() == value.String() {
				found = true
			} else {
				m.masks[a][v] &^= 1 << bit
			}
		}
		if !found {
			return fmt.Errorf("the axis %s has no value %s: it has %v", axis.Name, value.String(), texts(axis.Values))
		}
	}
	if known == len(entry) {
		return nil
	}
	names := make([]string, 0, len(entry))
	for name := range entry {
		if !slices.Contains(m.names(), name) {
			names = append(names, name)
		}
	}
	slices.Sort(names) // the same error every time
	return fmt.Errorf("%s is no axis of spec.matrix: use one of %v", names[0], m.names())
}

// sizes are the numbers of values of the axes.
func (m matrix) sizes() []int {
	var out []int
	for _, a := range m.axes {
		out = append(out, len(a.Values))
	}
	return out
}

// combinations is the number of all combinations, including excluded ones; at most the largest
// int64.
func (m matrix) combinations() int64 {
	n := int64(1)
	for _, a := range m.axes {
		n = times(n, int64(len(a.Values)))
	}
	return n
}

// count the cells that are not excluded. An exclusion without effect beyond the previous ones
// is refused as a mistake.
func (m matrix) count() (int64, error) {
	var kept int64
	var effective uint64
	m.walk(0, m.all, make([]int, len(m.axes)), func(_ []int, excluded uint64) {
		if excluded == 0 {
			kept++
		} else {
			effective |= 1 << bits.TrailingZeros64(excluded)
		}
	})
	if without := m.all &^ effective; without != 0 {
		return 0, fmt.Errorf("spec.exclude[%d]: it excludes no cell that the entries before it do not: leave it out", bits.TrailingZeros64(without))
	}
	if kept == 0 {
		return 0, errors.New("spec.exclude: every cell of spec.matrix is excluded: leave at least one")
	}
	return kept, nil
}

// cells lists the n cells that are not excluded; the last axis varies fastest.
func (m matrix) cells(n int) []Cell {
	out := make([]Cell, 0, n)
	m.walk(0, m.all, make([]int, len(m.axes)), func(at []int, excluded uint64) {
		if excluded != 0 {
			return
		}
		cell := make(Cell, len(at))
		for i, v := range at {
			cell[m.axes[i].Name] = m.axes[i].Values[v]
		}
		out = append(out, cell)
	})
	return out
}

// walk visits every combination with the indices of its values and the bits of its exclusions.
// The visitor must not keep them.
func (m matrix) walk(axis int, applies uint64, at []int, visit func(at []int, excluded uint64)) {
	if axis == len(m.axes) {
		visit(at, applies)
		return
	}
	for v, mask := range m.masks[axis] {
		at[axis] = v
		m.walk(axis+1, applies&mask, at, visit)
	}
}

func (m matrix) names() []string {
	var out []string
	for _, a := range m.axes {
		out = append(out, a.Name)
	}
	return out
}

func texts(values []intstr.IntOrString) []string {
	out := make([]string, len(values))
	for i := range values {
		out[i] = values[i].String()
	}
	return out
}
