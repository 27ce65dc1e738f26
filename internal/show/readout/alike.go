package readout

import (
	"cmp"
	"fmt"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/settings"
	"github.com/assay-bench/assay/internal/trial/likeness"
)

// makeAlike names the difference that is most worth removing, among those that the user can remove; empty without one. What
// costs something for sure comes before what may favour a side, and that before what has no known direction; then the order
// is that of the differences.
func makeAlike(all []Differences, run *v1alpha1.BenchmarkRun) (text string) {
	const sure, favours, unknown, none = 0, 1, 2, 3
	best := none
	for _, pair := range all {
		value, baseline := run.Target(pair.Value), run.Target(pair.Baseline)
		for _, d := range pair.Differences {
			set, known := likeness.Known(d.Name)
			first, second := settable(value, set, d.Name), settable(baseline, set, d.Name)
			rank := unknown
			switch {
			case d.Faster != "" && len(set.Costs) > 0:
				rank = sure
			case d.Faster != "":
				rank = favours
			}
			if !known || first == "" || second == "" || rank >= best {
				continue
			}
			best, text = rank, alikeText(d, pair, [2]string{first, second}, settingsAre(value, baseline))
		}
	}
	return text
}

// alikeText is what to do about a difference in settings with these names.
func alikeText(d Difference, pair Differences, names [2]string, where string) string {
	value, baseline := cmp.Or(d.Value, "not set"), cmp.Or(d.Baseline, "not set")
	if names[0] == names[1] {
		return fmt.Sprintf("where %s is not what you compare, set it for both%s: it is %s for %s and %s for %s", names[0], where, value, pair.Value, baseline, pair.Baseline)
	}
	return fmt.Sprintf("where %s of %s and %s of %s are not what you compare, set both%s: they are %s and %s", names[0], pair.Value, names[1], pair.Baseline, where, value, baseline)
}

// settingsAre where the settings of two targets are set; empty for a server that Assay does not provide.
func settingsAre(value, baseline v1alpha1.Target) string {
	if value.MySQL == nil || baseline.MySQL == nil {
		return ""
	}
	return " in spec.targets[].mysql.config"
}

// settable is the name under which a target has a setting and its user may set it; empty where it may not be set, and where
// the name is not known for sure: a setting may have other names, or another form, in other servers.
func settable(t v1alpha1.Target, set likeness.Setting, shown string) string {
	if t.MySQL == nil {
		if set.OneName() {
			return shown
		}
		return ""
	}
	name := shown
	if !set.OneName() {
		name = settings.NameIn(t.MySQL.Flavor, t.MySQL.Version, set.ServerNames())
	}
	if e, known := engines.Find(t.MySQL.Flavor); name == "" || known && len(e.Refuse("", []contract.Setting{{Name: name}})) > 0 {
		return ""
	}
	return name
}
