package benchmarkrun

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/kubelet"
)

// variedServer has the settings of its trial in force. Commits that nothing waits for are half as fast again.
func variedServer(trial contract.Trial) *contract.Result {
	variables := map[string]string{"innodb_flush_log_at_trx_commit": "1", "back_log": "80", "eq_range_index_dive_limit": "200"}
	for _, s := range trial.Settings {
		variables[s.Name] = s.Value
	}
	res := delivers(func(trial contract.Trial) float64 {
		v := twoSpeeds(trial)
		if variables["innodb_flush_log_at_trx_commit"] == "2" {
			v *= 1.5
		}
		return v
	})(trial)
	res.Server = &contract.Server{Version: "10.11.19-MariaDB", Variables: variables}
	return res
}

// A setting of the server is an axis like any other: each trial is told its value, its record has what was in force, and the values are
// compared. Other trials, such as the load, change nothing.
func TestASettingIsAnAxis(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	told := &diary{}
	k := startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: told.of(variedServer)})
	const axis, other = "config.innodb_flush_log_at_trx_commit", "config.eq_range_index_dive_limit"
	run := newRun(t, ns, func(r *v1alpha1.BenchmarkRun) {
		r.Spec.Design.Blocks = 6
		r.Spec.Matrix = []v1alpha1.Axis{
			{Name: axis, Target: "db", Values: texts("1", "2")}, {Name: other, Apply: v1alpha1.ApplyRestart, Values: ints(7)},
		}
		r.Spec.Analysis = &v1alpha1.Analysis{Comparisons: []v1alpha1.Comparison{{Factor: axis, Measurements: []v1alpha1.MeasurementRef{{Name: "throughput"}}}}}
	})
	create(t, run)
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	checkOnce(t, k, got, 12)

	if want := "FASTER 1.50"; !strings.HasPrefix(got.Status.Verdict, want) || !strings.Contains(got.Status.Verdict, axis) || strings.Contains(got.Status.Verdict, "differs in") {
		t.Errorf("verdict %q, want %q of the setting", got.Status.Verdict, want)
	}
	for _, load := range told.phase(contract.PhasePrepare) {
		// All values that a running server is to take: it is asked before anything is loaded.
		want := []contract.VariedSetting{{Name: "innodb_flush_log_at_trx_commit", Value: "1"}, {Name: "innodb_flush_log_at_trx_commit", Value: "2"}}
		if diff := cmp.Diff(want, load.Settings); diff != "" || load.Restart {
			t.Errorf("the load was told (-want +got):\n%s", diff)
		}
	}
	trials, all := told.phase(contract.PhaseRun), records(t, got)
	for i, trial := range trials {
		value := all[i].Parameters[axis].Text
		want := []contract.VariedSetting{{Name: "innodb_flush_log_at_trx_commit", Value: value}, {Name: "eq_range_index_dive_limit", Value: "7", Restart: true}}
		if diff := cmp.Diff(want, trial.Settings); diff != "" || value == "" || !trial.Restart {
			t.Errorf("trial %d, restart %v (-want +got):\n%s", i, trial.Restart, diff)
		}
		// They are parameters, and no circumstances: histories and baselines would take them for changes of the server.
		facts := all[i].Facts.Map()
		_, one := facts["innodb_flush_log_at_trx_commit"]
		_, other := facts["set/eq_range_index_dive_limit"]
		if one || other || len(facts) == 0 {
			t.Errorf("trial %d has the facts %v", i, facts)
		}
	}
}

// A server that refuses a value says so in its own words, before the load or in a trial, and the run has them.
func TestASettingThatIsRefused(t *testing.T) {
	t.Parallel()
	const words = "the server refuses a setting of spec.matrix: SET GLOBAL back_log = 9: Variable 'back_log' is a read only variable: set apply: Restart for this axis"
	for _, phase := range []contract.Phase{contract.PhasePrepare, contract.PhaseRun} {
		t.Run(string(phase), func(t *testing.T) {
			ns := server.Namespace(t)
			startManager(t, ns, nil)
			startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: func(trial contract.Trial) *contract.Result {
				if trial.Ref.Phase == string(phase) {
					return fails(variedServer(trial), contract.ReasonSettingNotInForce, words)
				}
				return variedServer(trial)
			}})
			run := newRun(t, ns, func(r *v1alpha1.BenchmarkRun) {
				r.Spec.Matrix = []v1alpha1.Axis{{Name: "config.back_log", Values: texts("9", "99")}}
				r.Spec.Design.OnTrialFailure = v1alpha1.OnFailureStop
			})
			create(t, run)
			got := await(t, run, "Failed", isTrue(v1alpha1.ConditionFailed))
			failed := apimeta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionFailed)
			if !strings.Contains(failed.Message, words) {
				t.Errorf("%s: %s", failed.Reason, failed.Message)
			}
			if phase == contract.PhasePrepare && failed.Reason != v1alpha1.ReasonSettingNotInForce {
				t.Errorf("reason %s", failed.Reason)
			}
			if phase == contract.PhaseRun {
				if rec := records(t, got)[0]; rec.Reason != v1alpha1.ReasonSettingNotInForce || rec.Message != words {
					t.Errorf("the record says %s: %s", rec.Reason, rec.Message)
				}
			}
		})
	}
}
