package report

import (
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/show/readout"
)

// The published ratio is to what this run compares its own with, and names it where that is not the baseline of the table; so it does where
// that was not published, and the ratio is to the baseline of the table.
func TestThePublishedRatioIsToTheBaselineOfOurs(t *testing.T) {
	rate := func(target, median, driver, scheme string) v1alpha1.SummaryEntry {
		return v1alpha1.SummaryEntry{Target: target, Name: "throughput", Unit: "ops/s", Direction: "HigherIsBetter", Median: median,
			Labels: map[string]string{"driver": driver, "scheme": scheme}}
	}
	over := func(factor, value, baseline, driver, scheme string) readout.Verdict {
		labels := map[string]string{"driver": driver, "scheme": scheme}
		delete(labels, factor)
		return readout.Verdict{Family: "Primary", Verdict: "Faster", Factor: factor, Value: value, Baseline: baseline, Target: "db", Name: "throughput", Labels: labels, Effect: "+1 %"}
	}
	declared := over("driver", "mysql2", "mysql", "", "SingleRow")
	unlike := over("driver", "mariadb", "mysql", "", "Batch")
	unlike.Unlike = []v1alpha1.UnlikeFactor{{Factor: "scheme", Value: "Batch", Baseline: "SingleRow"}}
	for name, tc := range map[string]struct {
		driver, scheme string
		// others that were published, of 100 and 50.
		hundred, fifty [2]string
		verdicts       []readout.Verdict
		// measured twice, so that nobody knows which is meant.
		twice bool
		want  string
	}{
		"the baseline of the table": {"mariadb", "SingleRow", [2]string{"mysql", "SingleRow"}, [2]string{"mysql2", "SingleRow"},
			[]readout.Verdict{over("driver", "mariadb", "mysql", "", "SingleRow")}, false, "+100 %"},
		"another baseline, and that of the table was published too": {"mariadb", "Prepared", [2]string{"mysql", "Prepared"}, [2]string{"mysql2", "Prepared"},
			[]readout.Verdict{over("driver", "mariadb", "mysql2", "", "Prepared")}, false, "4.00x against mysql2"},
		"another baseline, which was not published": {"mariadb", "Prepared", [2]string{"mysql", "Prepared"}, [2]string{"mysql2", "SingleRow"},
			[]readout.Verdict{over("driver", "mariadb", "mysql2", "", "Prepared")}, false, "+100 % against mysql"},
		"sides that are unlike, and one that is alike was published too": {"mariadb", "Batch", [2]string{"mysql", "Batch"}, [2]string{"mysql", "SingleRow"},
			[]readout.Verdict{unlike}, false, "4.00x against mysql with scheme SingleRow"},
		"sides that are unlike, and theirs was not published": {"mariadb", "Batch", [2]string{"mysql2", "Batch"}, [2]string{"mysql2", "SingleRow"},
			[]readout.Verdict{unlike}, false, ""},
		"another factor": {"mysql", "Batch", [2]string{"mysql2", "Batch"}, [2]string{"mysql", "SingleRow"},
			[]readout.Verdict{over("scheme", "Batch", "SingleRow", "mysql", "")}, false, "4.00x against SingleRow"},
		"nothing was compared here": {"mariadb", "Prepared", [2]string{"mysql", "Prepared"}, [2]string{"mysql2", "Prepared"}, nil, false, "+100 %"},
		"two were measured": {"mariadb", "Prepared", [2]string{"mysql", "Prepared"}, [2]string{"mysql2", "Prepared"},
			[]readout.Verdict{over("driver", "mariadb", "mysql2", "", "Prepared")}, true, "+100 %"},
	} {
		in := Input{Run: &v1alpha1.BenchmarkRun{}, Entries: []v1alpha1.SummaryEntry{rate("db", "1", tc.driver, tc.scheme), rate("db", "1", "mysql", "None"), rate("db", "1", "mysql2", "None")}}
		if tc.twice {
			in.Entries = append(in.Entries, rate("db", "1", tc.driver, tc.scheme))
		}
		in.doc.Verdicts = append([]readout.Verdict{declared}, tc.verdicts...)
		all := []v1alpha1.SummaryEntry{rate("printed", "200", tc.driver, tc.scheme), rate("printed", "100", tc.hundred[0], tc.hundred[1]), rate("printed", "50", tc.fifty[0], tc.fifty[1])}
		var published []placed
		measured := hereOf(in)
		measured.published = map[string]*v1alpha1.SummaryEntry{}
		for i := range all {
			published = append(published, placed{entry: &all[i]})
			measured.published[labelKey(dimensionsOf(&all[i]))] = &all[i]
		}
		if got := ratioAsPublished(&all[0], basesOf(published, declared), measured, declared); got != tc.want {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}
