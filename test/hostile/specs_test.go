package hostile

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// spec is one that costs the manager as much as it can. The API server refuses it with a text, or
// the manager with a reason.
type spec struct {
	change          func(*v1alpha1.BenchmarkRun)
	refused, reason string
}

// axes are parameters of a custom tool with so many values each, of so many characters.
func axes(length int, sizes ...int) func(*v1alpha1.BenchmarkRun) {
	return func(r *v1alpha1.BenchmarkRun) {
		custom(r)
		r.Spec.Design.Blocks, r.Spec.Workload.Custom.Parameters = 1, map[string]string{}
		for i, n := range sizes {
			a := v1alpha1.Axis{Name: fmt.Sprint("axis", i)}
			for v := range n {
				a.Values = append(a.Values, intstr.FromString(fmt.Sprintf("%0*d", max(length, 1), v)))
			}
			r.Spec.Matrix, r.Spec.Workload.Custom.Parameters[a.Name] = append(r.Spec.Matrix, a), "0"
		}
	}
}

// weighing adds parameters of so many characters each.
func weighing(change func(*v1alpha1.BenchmarkRun), n, length int) func(*v1alpha1.BenchmarkRun) {
	return func(r *v1alpha1.BenchmarkRun) {
		change(r)
		for i := range n {
			r.Spec.Workload.Custom.Parameters[fmt.Sprint("big", i)] = strings.Repeat("x", length)
		}
	}
}

// excluding adds exclusions of one cell each.
func excluding(change func(*v1alpha1.BenchmarkRun)) func(*v1alpha1.BenchmarkRun) {
	return func(r *v1alpha1.BenchmarkRun) {
		change(r)
		for i := range 64 {
			e := v1alpha1.Exclusion{}
			for j, a := range r.Spec.Matrix {
				e[a.Name] = a.Values[(i*(j+1))%len(a.Values)]
			}
			r.Spec.Exclude = append(r.Spec.Exclude, e)
		}
	}
}

// comparing declares 16 comparisons of 8 measurements each, in every cell.
func comparing(change func(*v1alpha1.BenchmarkRun)) func(*v1alpha1.BenchmarkRun) {
	return func(r *v1alpha1.BenchmarkRun) {
		change(r)
		c := v1alpha1.Comparison{Factor: r.Spec.Matrix[0].Name}
		for range 8 {
			c.Measurements = append(c.Measurements, v1alpha1.MeasurementRef{Name: "throughput"})
		}
		r.Spec.Analysis = &v1alpha1.Analysis{}
		for range 16 {
			r.Spec.Analysis.Comparisons = append(r.Spec.Analysis.Comparisons, c)
		}
	}
}

// specs that are refused. The first is that of the issue: 14,580 cells with 1 MB of parameters.
var specs = map[string]spec{
	"megabyte":     {weighing(axes(1, 20, 9, 9, 9), 16, 64<<10), "values at most 4096 characters", ""},
	"axes-65":      {axes(1, 65), "must have at most 64 items", ""},
	"value-513":    {axes(513, 2), "a value has at most 512 characters", ""},
	"cells":        {axes(1, 20, 9, 9, 9), "", v1alpha1.ReasonTooManyTrials},
	"cells-heavy":  {weighing(axes(1, 20, 9, 9, 9), 56, 4096), "", v1alpha1.ReasonTooManyTrials},
	"matrix-8x64":  {axes(1, 64, 64, 64, 64, 64, 64, 64, 64), "", v1alpha1.ReasonTooManyTrials},
	"excluded":     {excluding(axes(1, 32, 32, 32, 32)), "", v1alpha1.ReasonInvalidSpec},
	"work":         {weighing(axes(1, 40, 50), 56, 4096), "", v1alpha1.ReasonSpecTooLarge},
	"long-cells":   {axes(512, 2, 2, 2, 2, 2, 2, 5, 6), "", v1alpha1.ReasonSpecTooLarge},
	"comparisons":  {comparing(axes(1, 40, 50)), "", v1alpha1.ReasonInvalidSpec},
	"settings":     {settings(100, 4096), "", v1alpha1.ReasonSpecTooLarge},
	"settings-one": {settings(30, 4096), "", v1alpha1.ReasonSettingInvalid},
	"annotations": {func(r *v1alpha1.BenchmarkRun) {
		settings(40, 4096)(r)
		r.Annotations = map[string]string{"big": strings.Repeat("a", 255<<10)}
	}, "", v1alpha1.ReasonSpecTooLarge},
	"labels": {func(r *v1alpha1.BenchmarkRun) {
		r.Labels = map[string]string{}
		for i := range 4000 {
			r.Labels[fmt.Sprintf("example.com/%050d", i)] = strings.Repeat("v", 60)
		}
	}, "", v1alpha1.ReasonSpecTooLarge},
}

// settings of the server, so many of so many characters.
func settings(n, length int) func(*v1alpha1.BenchmarkRun) {
	return func(r *v1alpha1.BenchmarkRun) {
		r.Spec.Targets[0].MySQL.Config = map[string]string{}
		for i := range n {
			r.Spec.Targets[0].MySQL.Config[fmt.Sprint("setting_", i)] = strings.Repeat("x", length)
		}
	}
}

// deep is a run with a parameter that is no text but a thousand objects, one inside of the other.
func deep(t *testing.T, run *v1alpha1.BenchmarkRun) *unstructured.Unstructured {
	t.Helper()
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(run)
	if err != nil {
		t.Fatal(err)
	}
	inner := map[string]any{}
	outer := inner
	for range 1000 {
		next := map[string]any{}
		inner["a"], inner = next, next
	}
	if err := unstructured.SetNestedMap(object, map[string]any{"a": outer}, "spec", "workload", "custom", "parameters"); err != nil {
		t.Fatal(err)
	}
	out := &unstructured.Unstructured{Object: object}
	out.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("BenchmarkRun"))
	return out
}
