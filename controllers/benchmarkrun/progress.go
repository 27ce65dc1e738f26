package benchmarkrun

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/logbook"
	"github.com/assay-bench/assay/controllers/benchmarkrun/trial"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/internal/trial/validity"
)

// What the status shows of the trials is bounded, and decides nothing.
const (
	// maxTrials is how many attempts that ended stand in the status.
	maxTrials = 10
	// maxShown values of a trial stand in the status.
	maxShown = 60
)

// showBook puts into the status how far the records are, and what the last passes
// recorded but could not show.
func showBook(st *v1alpha1.BenchmarkRunStatus, book logbook.Book) {
	st.Progress.Totals = v1alpha1.Totals(book.Totals())
	showStop(st, book)
	st.Progress.Text = progressText(st.Progress)
	if book.Exists {
		resultsStatus(st).RecordConfigMapCount = book.Part + 1
	}
	anchor(st, book)
	all := book.Records.Records
	for _, rec := range all[max(0, len(all)-maxTrials):] {
		if !ended(st.Trials, trial.Shown(rec)) {
			showRecord(st, rec)
		}
	}
}

// showStop puts into the status what the run decided about its rest, and that it stopped early: the trials behind are not missing.
func showStop(st *v1alpha1.BenchmarkRunStatus, book logbook.Book) {
	last := book.Last()
	if last == nil || st.Plan == nil {
		return
	}
	stopped := book.Position().Stopped
	if stopped {
		st.Progress.Planned = st.Progress.Done
	}
	forecast := forecastOf(book)
	if st.Plan.Analysis == nil || forecast == nil && !stopped {
		return
	}
	st.Plan = st.Plan.DeepCopy()
	if forecast != nil {
		st.Plan.Analysis.Forecast = new(v1alpha1.Forecast(*forecast))
	}
	if stopped && last.Rate == 0 { // a search stops in another way
		st.Plan.Analysis.StoppedAfterBlocks = new(last.Block + 1)
	}
}

// forecastOf the rest of a run by its last records; nil without one.
func forecastOf(book logbook.Book) *contract.Forecast {
	for _, rec := range slices.Backward(book.Records.Records) {
		if rec.Decision != nil && rec.Decision.Forecast != nil {
			return rec.Decision.Forecast
		}
	}
	return nil
}

// anchor puts the head of the records into the status. Where it was removed, the chain goes on as it stands.
func anchor(st *v1alpha1.BenchmarkRunStatus, book logbook.Book) {
	in := st.Integrity
	if in == nil {
		return
	}
	if in.Head == "" && book.Exists {
		st.Findings = withFindings(st.Findings, v1alpha1.Finding{
			Check: "chain-anchored-again", Severity: string(validity.Warning), Message: fmt.Sprintf(
				"status.integrity was removed while the run went on. The chain of %d records was taken as it stood", book.Count()),
		})
	}
	in.Head, in.RecordCount = book.Head(), book.Count()
	if book.Exists {
		in.RecordsSHA256 = book.SHA256
	}
}

func showRecord(st *v1alpha1.BenchmarkRunStatus, rec contract.Record) {
	showTrial(st, trial.Shown(rec))
	st.Findings = withFindings(st.Findings, trial.ShownFindings(rec)...)
	st.Progress.CurrentTrial, st.Progress.Current = nil, ""
}

// showTrial puts an attempt into the status, in place of the one that it continues.
func showTrial(st *v1alpha1.BenchmarkRunStatus, t v1alpha1.TrialStatus) {
	trials := slices.DeleteFunc(st.Trials, func(o v1alpha1.TrialStatus) bool {
		return o.Index == t.Index && o.Attempt == t.Attempt
	})
	t.Values = t.Values[:min(len(t.Values), maxShown)]
	trials = append(trials, t)
	keep := maxTrials
	if t.State == v1alpha1.TrialRunning {
		keep++
	}
	st.Trials = trials[max(0, len(trials)-keep):]
}

// showsRunning says whether the status shows that an attempt is under way.
func showsRunning(st v1alpha1.BenchmarkRunStatus, at journal.Position) bool {
	n := len(st.Trials)
	if n == 0 {
		return false
	}
	last := st.Trials[n-1]
	return last.State == v1alpha1.TrialRunning && last.Index == at.Index && last.Attempt == at.Attempt
}

// apply puts an attempt that is under way into the status, once.
func (n runningChange) apply(t statusWriter) {
	st := &t.run.Status
	p := &st.Progress
	at := journal.Position{Index: n.planned.Index, Attempt: n.planned.Attempt}
	if p.CurrentTrial != nil && *p.CurrentTrial == at.Index && showsRunning(*st, at) {
		return
	}
	p.CurrentTrial, p.Current = new(at.Index), n.what
	running := trial.Shown(n.planned)
	running.State = v1alpha1.TrialRunning
	showTrial(st, running)
	p.EstimatedCompletionTime = &metav1.Time{Time: n.estimate(t.run, t.now).Truncate(time.Second)}
}

// estimate says when the last trial will end: the trials that are left, at the pace of
// those that have ended (from the start of one to the start of the next), or, before there
// is a pace, at the spec's own durations.
func (n runningChange) estimate(run *v1alpha1.BenchmarkRun, now time.Time) time.Time {
	var starts []time.Time
	for _, t := range run.Status.Trials {
		if t.WindowStartTime != nil {
			starts = append(starts, t.WindowStartTime.Time)
		}
	}
	left := n.expected(run) - int(run.Status.Progress.Done)
	pace, from := n.least+run.Spec.Design.Cooldown.Duration, now
	if last := len(starts) - 1; last > 0 {
		pace = starts[last].Sub(starts[0]) / time.Duration(last)
	}
	if last := len(starts) - 1; last >= 0 {
		from = starts[last].Add(n.least)
	}
	return from.Add(time.Duration(left) * pace)
}

// expected trials of a run: those of the plan or, once a forecast is made, of the blocks that it expects.
func (n runningChange) expected(run *v1alpha1.BenchmarkRun) int {
	p := run.Status.Plan
	if p == nil || p.Analysis == nil || p.Analysis.Forecast == nil {
		return n.trials
	}
	f, blocks := p.Analysis.Forecast, p.Analysis.Forecast.MostBlocks
	if f.ExpectedBlocks != nil {
		blocks = min(blocks, *f.ExpectedBlocks)
	}
	perBlock := n.trials / int(max(run.Spec.Design.Blocks, 1))
	return max(int(blocks)*perBlock, int(run.Status.Progress.Done)+1)
}

func progressText(p v1alpha1.Progress) string { return fmt.Sprintf("%d/%d", p.Done, p.Planned) }

// withFindings are the last findings with more. Notes go first, those of trials before those of the run, which no record has: they
// must not displace what is against a number. Those that invalidate a target go last, and stand in status.targets too.
func withFindings(shown []v1alpha1.Finding, more ...v1alpha1.Finding) []v1alpha1.Finding {
	all := slices.Concat(shown, more)
	for len(all) > v1alpha1.MaxFindings {
		note := func(f v1alpha1.Finding) bool { return f.Severity == string(validity.Note) }
		i := slices.IndexFunc(all, func(f v1alpha1.Finding) bool { return note(f) && f.Trial != nil })
		if i < 0 {
			i = slices.IndexFunc(all, note)
		}
		if i < 0 {
			i = slices.IndexFunc(all, func(f v1alpha1.Finding) bool { return f.Trial != nil || f.Target == "" || !f.IsInvalid() })
		}
		all = slices.Delete(all, max(i, 0), max(i, 0)+1)
	}
	return all
}
