package target

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/settings"
	"github.com/assay-bench/assay/internal/trial/likeness"
	"github.com/assay-bench/assay/internal/trial/validity"
	"github.com/assay-bench/assay/internal/verdict/analysis"
)

// durabilityOf is what a server answered for the variables that decide what a commit costs.
func durabilityOf(s contract.Server) []v1alpha1.ServerSetting {
	var out []v1alpha1.ServerSetting
	for _, name := range validity.CommitCosts(s) {
		if value, there := s.Variables[name]; there {
			out = append(out, v1alpha1.ServerSetting{Name: name, Value: shorten(value)})
		}
	}
	return out
}

// CompareDurability of the targets of a run, with their statuses, once every target is
// loaded: where they do not pay the same price for a commit, such as one that writes
// and flushes a binary log and one that has none, it is one finding of the run. What the
// spec sets for each of them is what the run compares.
func CompareDurability(run *v1alpha1.BenchmarkRun, statuses []v1alpha1.TargetStatus) []v1alpha1.Finding {
	var known []v1alpha1.TargetStatus
	loaded := map[string]bool{}
	for _, st := range statuses {
		loaded[st.Name] = st.LoadResult != ""
		if len(st.Durability) > 0 {
			known = append(known, st)
		}
	}
	if slices.ContainsFunc(run.Spec.Targets, func(t v1alpha1.Target) bool { return t.Published == nil && !loaded[t.Name] }) {
		return nil
	}
	differ, prices := differing(known)
	chosen := chosenByAll(run, known)
	if differ = slices.DeleteFunc(differ, func(name string) bool { return chosen[name] }); len(differ) == 0 {
		return nil
	}
	var each []string
	for i, st := range known {
		var has []string
		for _, name := range differ {
			if value, there := prices[i][name]; there {
				has = append(has, name+" = "+value)
			}
		}
		each = append(each, st.Name+": "+strings.Join(has, ", "))
	}
	return []v1alpha1.Finding{{
		Check: "durability-differs", Severity: string(validity.Warning),
		Message: fmt.Sprintf("the targets do not pay the same for a commit, so that a comparison of loads that write is one of these settings too (%s): "+
			"set them alike in spec.targets[].mysql.config to compare the servers", strings.Join(each, "; ")),
	}}
}

// chosenByAll are the variables that the spec sets for each of the targets.
func chosenByAll(run *v1alpha1.BenchmarkRun, targets []v1alpha1.TargetStatus) map[string]bool {
	times, out := map[string]int{}, map[string]bool{}
	set := analysis.SettingsOf(run.Status.Resolved)
	for _, t := range targets {
		for name := range settings.Variables(set[t.Name], nil) {
			times[name]++
			out[name] = times[name] == len(targets)
		}
	}
	return out
}

// differing are the names of the settings whose values are not alike, and the settings
// of each target.
func differing(known []v1alpha1.TargetStatus) (differ []string, prices []map[string]string) {
	values := map[string]map[string]bool{} // by name; one that a server does not have says nothing: it may have no such engine
	for _, st := range known {
		one := price(st.Durability)
		for name, value := range one {
			if values[name] == nil {
				values[name] = map[string]bool{}
			}
			values[name][value] = true
		}
		prices = append(prices, one)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if len(values[name]) > 1 {
			differ = append(differ, name)
		}
	}
	// How often the one binary log is flushed is what it costs.
	for name := range values {
		if set, known := likeness.Known(name); known && slices.Contains(differ, set.Needs) && !slices.Contains(differ, name) {
			differ = append(differ, name)
		}
	}
	slices.Sort(differ)
	return differ, prices
}

// price are the settings by their meaning, as the catalogue has it: servers spell alike what means the same, and how often a
// binary log is flushed matters only where there is one.
func price(settings []v1alpha1.ServerSetting) map[string]string {
	out := map[string]string{}
	for _, set := range settings {
		out[set.Name] = set.Value
		if known, is := likeness.Known(set.Name); is {
			out[set.Name] = known.Means(set.Value)
		}
	}
	maps.DeleteFunc(out, func(name, _ string) bool {
		known, _ := likeness.Known(name)
		switched, told := out[known.Needs]
		return told && switched == "OFF"
	})
	return out
}
