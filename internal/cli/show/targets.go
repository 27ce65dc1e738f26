package show

import (
	"cmp"
	"slices"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/output"
	"github.com/assay-bench/assay/internal/contract"
)

// plannedOf a run is what its plan measures and can show; empty until it is accepted.
func plannedOf(run *v1alpha1.BenchmarkRun) string {
	if c := apimeta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionAccepted); c != nil && c.Status == metav1.ConditionTrue {
		return c.Message
	}
	return ""
}

// targetsOf a run, as they ran.
func targetsOf(run *v1alpha1.BenchmarkRun) []output.Target {
	out := []output.Target{}
	for _, t := range run.Status.Targets {
		target := output.Target{Name: t.Name, Server: t.ServerVersion, Node: t.NodeName}
		for _, v := range t.Load {
			target.Load = append(target.Load, output.Value{Name: v.Name, Labels: v.Labels, Value: v.Value, Unit: v.Unit})
		}
		if t.Source != "" || len(t.Quoted) > 0 {
			target.Quoted = cmp.Or(t.Source, t.Name)
		}
		out = append(out, target)
	}
	return out
}

// targetRows for people: those that were measured here. Columns that would be empty are left out.
func targetRows(targets []output.Target) [][]string {
	rows := [][]string{{"TARGET", "SERVER", "NODE", "LOAD (s)", "ROWS/s"}}
	for _, t := range targets {
		if t.Quoted == "" {
			rows = append(rows, []string{t.Name, t.Server, t.Node, loadFigure(t, contract.NameLoadTime), loadFigure(t, contract.NameRowRate)})
		}
	}
	for column := len(rows[0]) - 1; column > 0; column-- {
		if slices.ContainsFunc(rows[1:], func(row []string) bool { return row[column] != "" }) {
			continue
		}
		for i := range rows {
			rows[i] = slices.Delete(rows[i], column, column+1)
		}
	}
	if len(rows[0]) == 1 { // nothing is known of them yet
		return nil
	}
	return rows
}

// loadFigure of a target; empty where loading did not give it.
func loadFigure(t output.Target, name string) string {
	for _, v := range t.Load {
		if v.Name == name && len(v.Labels) == 0 {
			return output.Figure(v.Value)
		}
	}
	return ""
}
