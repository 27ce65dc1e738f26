package analysis

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/apischema"
)

// differing are the fields of the specs of two runs that differ, by what follows from them.
type differing struct {
	// measured: the runs do not measure the same thing. In the words of the error that says so.
	measured []string
	// targets: the runs measure it on other targets.
	targets []RunDifference
	// around: where the clients run, and beside whom.
	around []RunDifference
}

// differences between what two runs measure. Blocks, seeds, retries, deadlines and the like decide
// how often and when something is measured, not what.
func differences(a, b Run) (differing, error) {
	var out differing
	x, err := fieldsOf(a.Spec)
	if err != nil {
		return out, err
	}
	y, err := fieldsOf(b.Spec)
	if err != nil {
		return out, err
	}
	all := maps.Clone(x)
	maps.Copy(all, y)
	for _, path := range slices.Sorted(maps.Keys(all)) {
		if x[path] == y[path] {
			continue
		}
		field := RunDifference{Code: FieldDiffers, First: a.Name, Second: b.Name, Name: "spec." + path, FirstValue: x[path], SecondValue: y[path]}
		switch {
		case strings.HasPrefix(path, "targets["):
			out.targets = append(out.targets, field)
		case decidesWhat(path):
			out.measured = append(out.measured, field.inSpec())
		case strings.HasPrefix(path, "clients."), path == "exclusive":
			out.around = append(out.around, field)
		}
	}
	if a.FilesSHA256 != b.FilesSHA256 {
		out.measured = append(out.measured, "the files of the workload")
	}
	out.measured = append(out.measured, declarations(a, b)...)
	if l, o := a.Layout, b.Layout; !reflect.DeepEqual(l.Plan.Cells, o.Plan.Cells) || !slices.Equal(l.Plan.Axes, o.Plan.Axes) || !reflect.DeepEqual(l.Combinations, o.Combinations) {
		out.measured = append(out.measured, "the cells of the plans, or what a trial of them measures")
	}
	return out, nil
}

// decidesWhat is measured: the load, and how a trial takes place.
func decidesWhat(path string) bool {
	switch path {
	case "clients.count", "tenants":
		return true
	case "design.blocks", "design.seed", "design.onTrialFailure", "design.maxRetries", "design.precision", "design.within", "design.reserveBlocks":
		return false
	}
	for _, part := range []string{"workload.", "background.", "matrix", "exclude", "design.", "search."} {
		if strings.HasPrefix(path, part) {
			return true
		}
	}
	return false
}

// declarations that differ, by their fields.
func declarations(a, b Run) (out []string) {
	x, y := a.Declaration, b.Declaration
	for _, f := range []struct {
		name string
		same bool
	}{
		{"comparisons", slices.EqualFunc(x.Comparisons, y.Comparisons, alikeDeclared)},
		{"minimumEffect", x.MinimumEffect == y.MinimumEffect},
		{"errorRate", x.ErrorRate == y.ErrorRate},
		{"control", x.Control == y.Control},
		{"requireLike", slices.Equal(x.Require, y.Require)},
	} {
		if !f.same {
			out = append(out, "spec.analysis."+f.name)
		}
	}
	return out
}

// fieldsOf a spec with its defaults: the values of all its fields but those of the analysis, by
// their paths, such as targets[mysql].mysql.version. Defaults are those of today, also in the spec of a
// run that an earlier release has measured: a field that came later changes nothing by its default.
func fieldsOf(spec v1alpha1.BenchmarkRunSpec) (map[string]string, error) {
	spec = *spec.DeepCopy()
	spec.SetDefaults()
	spec.Analysis, spec.Gate = nil, nil
	data, err := json.Marshal(spec)
	if err != nil {
		return nil, fmt.Errorf("marshalling a spec: %w", err)
	}
	var tree any
	if err := json.Unmarshal(data, &tree); err != nil {
		return nil, fmt.Errorf("reading a spec: %w", err)
	}
	out := apischema.Flatten(tree)
	if err := apischema.AddDefaults(out); err != nil {
		return nil, err
	}
	return out, nil
}

// WorkloadFields are the fields of a spec that say what its clients do, by their paths: the tool and its
// parameters, the number of clients and of tenants, a second load, whether a load is measured, and what a search looks for. How often and for how long it is
// measured is none of them, and neither are the cells, nor the image of a tool, which is a circumstance.
func WorkloadFields(spec v1alpha1.BenchmarkRunSpec) (map[string]string, error) {
	fields, err := fieldsOf(spec)
	maps.DeleteFunc(fields, func(path, _ string) bool { return !OfWorkload(path) })
	return fields, err
}

// OfWorkload says whether the field at a path of the spec says what the clients do.
func OfWorkload(path string) bool {
	if path == "clients.count" || path == "tenants" || path == "design.measures" {
		return true
	}
	return !strings.HasPrefix(path, "workload.custom.image") &&
		slices.ContainsFunc([]string{"workload.", "background.", "search.objectives", "search.maxErrors"}, func(prefix string) bool { return strings.HasPrefix(path, prefix) })
}

// alikeDeclared: the same is compared, whichever field of the spec says so.
func alikeDeclared(x, y Comparison) bool {
	x.Field, y.Field = "", ""
	return reflect.DeepEqual(x, y)
}
