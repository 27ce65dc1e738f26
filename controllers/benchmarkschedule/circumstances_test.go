package benchmarkschedule

import (
	"maps"
	"strings"
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// An alarm says what else changed in the run since which something is slower: machine, image, driver, server version and
// settings, compared with the valid run before.
func TestWhatElseChanged(t *testing.T) {
	t.Parallel()
	const since = ": slower than the gate allows since run n-03 (1970-01-04T00:00:00Z), in 3 runs"
	base := map[string]string{
		"server/version": "10.11.8", "server/image": "sha256:1", "client/image": "sha256:2", "client/tool": "sysbench 1.0.20",
		"target/cpu": "EPYC 7B13", "target/machine": "a", "client/machine": "b", "target/kernel": "6.12.1", "sync_binlog": "1", "innodb_flush_log_at_trx_commit": "1",
	}
	tests := map[string]struct {
		change map[string]string
		want   string
	}{
		"nothing":            {nil, ""},
		"the machine":        {map[string]string{"target/machine": "c"}, ", where also target/machine changed"},
		"the server version": {map[string]string{"server/version": "10.11.9"}, ", where also server/version (10.11.8 to 10.11.9) changed"},
		"the driver":         {map[string]string{"client/tool": "sysbench 1.1.0", "client/image": "sha256:3"}, ", where also client/image (sha256:2 to sha256:3) and client/tool (sysbench 1.0.20 to sysbench 1.1.0) changed"},
		"a setting, behind the image": {
			map[string]string{"innodb_flush_log_at_trx_commit": "2", "server/image": "sha256:9"}, ", where also server/image (sha256:1 to sha256:9) and innodb_flush_log_at_trx_commit (1 to 2) changed",
		},
		"what somebody wrote": {map[string]string{"server/version": "1\x1b[2J\n" + strings.Repeat("x", 5000)}, ", where also server/version (10.11.8 to 1"},
		"very much": {
			map[string]string{"server/version": "2", "server/image": "3", "client/image": "3", "client/tool": "2", "target/cpu": "2", "target/kernel": "2", "innodb_flush_log_at_trx_commit": "2", "target/machine": "2"},
			"target/kernel (6.12.1 to 2) and 2 more changed",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := nights("pppsss", 100, 100, 100, 50, 50, 50)
			for i := range h.Runs {
				facts := maps.Clone(base)
				if i >= 3 {
					maps.Copy(facts, tt.change)
				}
				h.Runs[i].Environment = []contract.PastEnvironment{{Target: "db", Facts: contract.NewFacts(facts)}}
			}
			what := newCircumstances(h.Runs)
			got := what.changedIn("n-03")
			if !strings.Contains(got, tt.want) || (got == "") != (tt.want == "") || len(got) > maxMessage || strings.ContainsAny(got, "\x1b\n") {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			want(t, "a later run", what.changedIn("n-04"), "")
			want(t, "the first run", what.changedIn("n-00"), "")
			want(t, "a run that is not there", what.changedIn("x"), "")

			w := World{Schedule: &v1alpha1.BenchmarkSchedule{}}
			w.Schedule.Spec.Alarm = &v1alpha1.Alarm{}
			slower, err := slowerIn(t.Context(), w, h)
			if err != nil {
				t.Fatal(err)
			}
			var texts []string
			for _, r := range slower {
				texts = append(texts, r.Text)
			}
			if len(texts) != 1 || !strings.Contains(texts[0], since+got) {
				t.Errorf("the alarm says %q, want %q", texts, since+got)
			}
		})
	}
	t.Run("an invalid run between", func(t *testing.T) {
		t.Parallel()
		h := nights("ppis", 100, 100, 100, 50)
		for i, version := range []string{"1", "1", "2", "2"} {
			h.Runs[i].Environment = []contract.PastEnvironment{{Target: "db", Facts: contract.NewFacts(map[string]string{"server/version": version})}}
		}
		want(t, "against the valid one", newCircumstances(h.Runs).changedIn("n-03"), ", where also server/version (1 to 2) changed")
	})
	t.Run("facts that are not known", func(t *testing.T) {
		t.Parallel()
		want(t, "nothing is said", newCircumstances(nights("ppps", 1, 1, 1, 1).Runs).changedIn("n-03"), "")
	})
}
