package benchmarkschedule

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// A schedule that is only to be judged does not read its history while another one is judged.
func TestWaitsForTurn(t *testing.T) {
	now := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	waits := inTurn{version: "7", ended: 1, until: now.Add(time.Minute)}
	tests := map[string]struct {
		waits  *inTurn
		change func(*World)
		judged bool // another one
		want   bool
	}{
		"another one is judged":       {waits: &waits, judged: true, want: true},
		"nobody is judged":            {waits: &waits},
		"it never waited":             {judged: true},
		"it was found, and no more":   {waits: &inTurn{}, judged: true},
		"it was changed":              {waits: &waits, change: func(w *World) { w.Schedule.ResourceVersion = "8" }, judged: true},
		"another of its runs ended":   {waits: &waits, change: func(w *World) { w.Runs = append(w.Runs, Run{Ended: true}) }, judged: true},
		"a run of it was started":     {waits: &waits, change: func(w *World) { w.Runs = append(w.Runs, Run{}) }, judged: true, want: true},
		"something else is to be due": {waits: &waits, change: func(w *World) { w.Now = now.Add(time.Minute) }, judged: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := &Reconciler{}
			w := World{Now: now, Runs: []Run{{Ended: true}, {}}, Schedule: &v1alpha1.BenchmarkSchedule{ObjectMeta: metav1.ObjectMeta{Name: "s", ResourceVersion: "7"}}}
			if tt.change != nil {
				tt.change(&w)
			}
			if tt.waits != nil {
				r.waiting.Store(client.ObjectKeyFromObject(w.Schedule), *tt.waits)
			}
			if tt.judged {
				r.judging.Lock()
			}
			if got := r.waitsForTurn(w); got != tt.want {
				t.Errorf("waitsForTurn = %t, want %t", got, tt.want)
			}
			if !tt.judged && !r.judging.TryLock() {
				t.Error("it took the turn, and did not give it back")
			}
		})
	}
}
