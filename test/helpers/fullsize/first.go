package fullsize

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/test/helpers/plays"
)

// First of what a spec plays here, before it is reduced: its first target that can be had, the first value of each axis, and of drivers the first
// one, in all of its benchmarks with their first number of rows. It fails where no target can be had, and where the matrix excludes that cell.
func First(full v1alpha1.BenchmarkRunSpec) (v1alpha1.BenchmarkRunSpec, error) {
	spec := *full.DeepCopy()
	i := slices.IndexFunc(spec.Targets, func(t v1alpha1.Target) bool { return t.Published == nil && Unobtainable(full, t) == "" })
	if i < 0 {
		return spec, errors.New("no target of it can be had here")
	}
	spec.Targets = spec.Targets[i : i+1]
	cell := map[string]intstr.IntOrString{}
	for i, axis := range spec.Matrix {
		spec.Matrix[i].Values = axis.Values[:1]
		cell[axis.Name] = axis.Values[0]
	}
	if slices.ContainsFunc(spec.Exclude, func(e v1alpha1.Exclusion) bool { return within(e, cell) }) {
		return spec, fmt.Errorf("the first values of its axes are excluded: %v", cell)
	}
	spec.Exclude = nil
	if d := spec.Workload.Drivers; d != nil {
		d.Drivers = d.Drivers[:1]
		for i, b := range d.Benchmarks {
			d.Benchmarks[i].Rows = b.Rows[:min(1, len(b.Rows))]
		}
	}
	return spec, nil
}

// FirstManifest is the run of a manifest at full size, with the first of what it plays here, reduced.
func FirstManifest(full []byte) (string, v1alpha1.BenchmarkRunSpec, error) {
	run, given, err := plays.Manifest(full)
	if err != nil {
		return "", v1alpha1.BenchmarkRunSpec{}, err
	}
	run.Spec.SetDefaults()
	first, err := First(run.Spec)
	if err != nil {
		return "", first, err
	}
	spec, err := Reduce(first, given)
	if err != nil {
		return "", spec, err
	}
	text, err := Manifest(run.Name, spec)
	return text, spec, err
}

// Manifest of a run.
func Manifest(name string, spec v1alpha1.BenchmarkRunSpec) (string, error) {
	out, err := yaml.Marshal(map[string]any{
		"apiVersion": v1alpha1.GroupVersion.String(), "kind": "BenchmarkRun", "metadata": map[string]string{"name": name}, "spec": spec,
	})
	return string(out), err
}

// within says whether a cell has all values of an exclusion.
func within(exclusion v1alpha1.Exclusion, cell map[string]intstr.IntOrString) bool {
	for name, v := range exclusion {
		if !reflect.DeepEqual(cell[name], v) {
			return false
		}
	}
	return true
}
