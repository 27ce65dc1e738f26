package benchmarkschedule

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/journal"
)

// Records that are not those that the run wrote give the history no values: it says what happened to them, and so does
// the schedule. The next run heals it.
func TestARunThatWasTamperedWith(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(s *stage, records *corev1.ConfigMap)
		reason string
	}{
		"a better value": {reason: v1alpha1.ReasonTampered, change: func(s *stage, cm *corev1.ConfigMap) {
			better := journal.BeginChain("x").Add(contract.Record{
				Target: "db", State: contract.Succeeded, Final: true, Valid: new(true),
				Values: []contract.RecordedValue{{Name: "throughput", Unit: "tx/s", Value: 9999, Direction: contract.HigherIsBetter}},
			})
			var err error
			cm.BinaryData[contract.KeyRecords], err = better.Encode()
			s.must(err)
			s.must(server.API.Update(s.t.Context(), cm))
		}},
		"no records": {reason: v1alpha1.ReasonJournalLost, change: func(s *stage, cm *corev1.ConfigMap) { s.must(server.API.Delete(s.t.Context(), cm)) }},
		"rubbish": {reason: v1alpha1.ReasonTampered, change: func(s *stage, cm *corev1.ConfigMap) {
			cm.BinaryData[contract.KeyRecords] = []byte("rubbish")
			s.must(server.API.Update(s.t.Context(), cm))
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, `schedule: "@hourly"`)
			s.atHour(1).pass()
			s.finish(s.name(1), true, 100)
			cm := &corev1.ConfigMap{}
			s.must(server.API.Get(t.Context(), client.ObjectKey{Namespace: s.namespace, Name: contract.RecordsName(s.name(1), 0)}, cm))
			tt.change(s, cm)
			o := s.pass()
			past := s.history().Runs[0]
			want(t, "the entry", []any{past.Outcome, past.Valid, past.Reason, len(past.Series), len(past.Environment), past.Headline},
				[]any{"Invalid", string(metav1.ConditionFalse), tt.reason, 0, 0, ""})
			if !strings.Contains(past.Message, cm.Name) {
				t.Errorf("the message is %q", past.Message)
			}
			want(t, "the last run", []any{o.Status.LastRun.Outcome, o.Status.LastRun.Reason}, []any{v1alpha1.OutcomeInvalid, tt.reason})
			want(t, "ready", condition(o, "Ready"), "False LastRunFailed")

			s.atHour(2).pass()
			s.finish(s.name(2), true, 101)
			o = s.pass()
			want(t, "the next run", []any{len(s.history().Runs[1].Series), condition(o, "Ready")}, []any{1, "True Succeeded"})
		})
	}
}
