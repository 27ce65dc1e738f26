package browser

import (
	"context"
	"fmt"
	"io"
	"math"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli"
	"github.com/assay-bench/assay/internal/cli/exit"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/verdict/history"
	"github.com/assay-bench/assay/test/helpers/finished"
	"github.com/assay-bench/assay/test/helpers/hang"
)

// uiOf starts the command `ui` on a cluster with these objects, and returns the address that it prints. The command ends with
// the test.
func uiOf(t *testing.T, objects ...client.Object) *url.URL {
	t.Helper()
	address, _ := startUI(t, objects...)
	return address
}

// startUI is uiOf, and what ends the command.
func startUI(t *testing.T, objects ...client.Object) (*url.URL, func()) {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	config := kubeconfig(t, objects...)
	out, to := io.Pipe()
	ended := make(chan int, 1)
	var problems strings.Builder
	go func() {
		ended <- cli.Run(ctx, []string{"ui", "--no-browser", "--kubeconfig", config}, cli.Streams{Out: to, Problems: &problems})
		_ = to.Close()
	}()
	end := sync.OnceFunc(func() {
		stop()
		if code := <-ended; code != exit.OK {
			t.Errorf("exit %d: %s", code, problems.String())
		}
	})
	t.Cleanup(end)
	text := ""
	if _, err := fmt.Fscanln(out, &text); err != nil {
		t.Fatal(err)
	}
	address, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return address, end
}

// going is a run that has not ended.
func going(t *testing.T) *finished.Run {
	return finished.New(t, finished.Options{Name: "going", Change: func(run *v1alpha1.BenchmarkRun) {
		run.CreationTimestamp = metav1.NewTime(time.Now().Add(-time.Hour))
		run.Status.CompletionTime, run.Status.Conditions = nil, nil
		for _, step := range []string{v1alpha1.ConditionAccepted, v1alpha1.ConditionPlaced, v1alpha1.ConditionTargetsReady, v1alpha1.ConditionDataLoaded} {
			run.Status.Conditions = append(run.Status.Conditions, metav1.Condition{Type: step, Status: metav1.ConditionTrue})
		}
		ends := metav1.NewTime(time.Now().Add(20 * time.Minute))
		run.Status.Phase = v1alpha1.PhaseMeasuring
		run.Status.Progress.Planned, run.Status.Progress.Current, run.Status.Progress.EstimatedCompletionTime = 40, "b threads=64 block 7", &ends
	}})
}

func ended(t *testing.T, name string, level float64) *finished.Run {
	return finished.New(t, finished.Options{Name: name, Level: level, Change: func(run *v1alpha1.BenchmarkRun) {
		run.CreationTimestamp = metav1.NewTime(time.Now().Add(-26 * time.Hour))
		run.Status.Phase = v1alpha1.PhaseComplete
		run.Status.Progress.Planned = 24
	}})
}

// failedGate is a run whose gate failed, and whose servers differ in two settings.
func failedGate(t *testing.T) *finished.Run {
	run := finished.New(t, finished.Options{Name: "gate", Blocks: 12, Change: func(run *v1alpha1.BenchmarkRun) {
		run.Spec.Gate = &v1alpha1.Gate{Baseline: "expected"}
		run.Status.Conditions = append(run.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionPassed, Status: metav1.ConditionFalse, Reason: "Slower", Message: "throughput of b: -9.1 % against baseline expected, and the gate allows -5 %"})
	}})
	run.Object.Status.Differences = []v1alpha1.SideDifferences{{Value: "b", Baseline: "a", Differences: []v1alpha1.SideDifference{
		{Name: "log_bin", Value: "OFF", Baseline: "ON", Faster: v1alpha1.FasterValue}, {Name: "optimizer_switch", Value: "index_merge=on,index_merge_union=on,index_merge_sort_union=on", Baseline: "index_merge=on"},
	}}}
	return run
}

func uiObjects(t *testing.T) (out []client.Object) {
	for _, run := range []*finished.Run{going(t), ended(t, "run", 1), ended(t, "other", 1.1), failedGate(t)} {
		out = append(out, run.Objects()...)
	}
	return append(out, scheduled(t)...)
}

// uiPages are what a user sees, with the number of pictures.
var uiPages = map[string]struct {
	path     string
	pictures int
}{
	"runs": {"/", 0}, "run": {"/run/ns/run", 3}, "gate": {"/run/ns/gate", 3}, "gate-report": {"/report/ns/gate", 6}, "going": {"/run/ns/going", 2}, "report": {"/report/ns/run", 6},
	"schedules": {"/schedules", 0}, "schedule": {"/schedule/ns/nightly", 1}, "compare": {"/compare?run=ns/run&run=ns/other", 1},
}

func TestUI(t *testing.T) {
	program, address := axe(t), uiOf(t, uiObjects(t)...)
	inEachLook(t, func(t *testing.T, l look) {
		v := &visit{}
		ctx := tab(t, v)
		l.wear(t, ctx)
		if err := chromedp.Do(ctx, chromedp.Navigate(address.String()), chromedp.WaitReady(chromedp.CSS("h1"))); err != nil {
			t.Fatal(err)
		}
		for name, p := range uiPages {
			if err := chromedp.Do(ctx, chromedp.Navigate(home(address)+p.path), chromedp.WaitReady(chromedp.CSS("h1"))); err != nil {
				t.Fatal(name, err)
			}
			l.inspect(t, ctx, subject{name: "ui-" + name, pictures: p.pictures, axe: program})
		}
		v.check(t, home(address))
	})
}

// home is the server of an address.
func home(address *url.URL) string { return address.Scheme + "://" + address.Host }

// A run is reached from the list by the keyboard alone, and each place shows where the keyboard is.
func TestUIKeyboard(t *testing.T) {
	axe(t)
	address := uiOf(t, uiObjects(t)...)
	ctx := tab(t, &visit{})
	if err := chromedp.Do(ctx, chromedp.Navigate(address.String()), chromedp.WaitVisible(chromedp.CSS("table"))); err != nil {
		t.Fatal(err)
	}
	press := func(key string) {
		if err := chromedp.Do(ctx, chromedp.KeyEvent(key)); err != nil {
			t.Fatal(err)
		}
	}
	const here = `document.activeElement.getAttribute("href") || document.activeElement.tagName`
	for range 30 {
		press("\t")
		if outline := ask[string](t, ctx, `getComputedStyle(document.activeElement).outlineStyle`); outline == "none" {
			t.Errorf("nothing shows that the keyboard is at %s", ask[string](t, ctx, here))
		}
		if ask[string](t, ctx, here) == "/run/ns/run" {
			press("\r")
			if err := chromedp.Do(ctx, chromedp.WaitVisible(chromedp.CSS(`a[href="/report/ns/run"]`))); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Error("the keyboard does not reach the run")
}

// A run that goes on changes in place, with what was open, until it has ended; and the page says when nobody answers.
func TestUILive(t *testing.T) {
	axe(t)
	objects := going(t).Objects()
	at := slices.IndexFunc(objects, func(o client.Object) bool { _, is := o.(*v1alpha1.BenchmarkRun); return is })
	address, end := startUI(t, objects...)
	v := &visit{}
	ctx := tab(t, v)
	page := home(address) + "/run/ns/going"
	if err := chromedp.Do(ctx, chromedp.Navigate(address.String()), chromedp.WaitVisible(chromedp.CSS("table")), chromedp.Navigate(page), chromedp.WaitVisible(chromedp.CSS("progress"))); err != nil {
		t.Fatal(err)
	}
	ask[bool](t, ctx, `window.stayed = true; document.querySelector("#behind-trials").open = true`)
	change := func(of func(*v1alpha1.BenchmarkRun)) {
		changing.Lock()
		defer changing.Unlock()
		of(objects[at].(*v1alpha1.BenchmarkRun))
	}
	until := func(what, expression string) {
		t.Helper()
		for end := time.Now().Add(hang.Limit); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
			if ask[bool](t, ctx, expression) {
				return
			}
		}
		t.Fatalf("%s: %s", what, ask[string](t, ctx, `document.body.innerText`))
	}
	change(func(r *v1alpha1.BenchmarkRun) { r.Status.Progress.Done = 30 })
	until("progress", `document.querySelector("progress").value == 30`)
	if !ask[bool](t, ctx, `window.stayed && document.querySelector("#behind-trials").open`) {
		t.Error("the page was loaded anew, or what was open is not")
	}
	v.check(t, home(address))
	end()
	until("nobody answers", `!document.getElementById("lost").hidden`)
}

// A run that has ended is not asked for again.
func TestUILiveEnds(t *testing.T) {
	axe(t)
	objects := going(t).Objects()
	at := slices.IndexFunc(objects, func(o client.Object) bool { _, is := o.(*v1alpha1.BenchmarkRun); return is })
	address := uiOf(t, objects...)
	v := &visit{}
	ctx := tab(t, v)
	if err := chromedp.Do(ctx, chromedp.Navigate(address.String()), chromedp.WaitVisible(chromedp.CSS("table")),
		chromedp.Navigate(home(address)+"/run/ns/going"), chromedp.WaitVisible(chromedp.CSS("progress"))); err != nil {
		t.Fatal(err)
	}
	changing.Lock()
	st := &objects[at].(*v1alpha1.BenchmarkRun).Status
	st.Phase, st.Conditions = v1alpha1.PhaseComplete, []metav1.Condition{{Type: v1alpha1.ConditionComplete, Status: metav1.ConditionTrue}, {Type: v1alpha1.ConditionValid, Status: metav1.ConditionTrue}}
	changing.Unlock()
	if err := chromedp.Do(ctx, chromedp.WaitVisible(chromedp.CSS(`#live table`)), chromedp.WaitNotPresent(chromedp.CSS("progress"))); err != nil {
		t.Fatal(err)
	}
	v.mu.Lock()
	before := len(v.requests)
	v.mu.Unlock()
	time.Sleep(4 * time.Second) // more than the time between two looks
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.requests) != before {
		t.Errorf("the page asked again: %v", v.requests[before:])
	}
}

// nights of a schedule.
const nights = 60

// scheduled is a schedule with its history and the baseline of its gate: target a became slower at night 20, which is
// confirmed, and b at night 57, which is not. One night failed.
func scheduled(t *testing.T) []client.Object {
	s := &v1alpha1.BenchmarkSchedule{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "nightly", UID: "nightly-uid"}}
	s.Spec.Schedule, s.Spec.Alarm, s.Spec.RunTemplate.Spec.Gate = "0 2 * * *", &v1alpha1.Alarm{}, &v1alpha1.Gate{Baseline: "expected"}
	measured := v1alpha1.MeasurementKey{Target: "a", Name: contract.NameThroughput, Unit: "tx/s"}
	s.Status.Regressions = []v1alpha1.ScheduleRegression{{Source: v1alpha1.RegressionOfChangePoint, Measurement: measured, Since: "nightly-20", RunCount: 40, Confirmed: true, Text: "a throughput: the level changed by -9.1 %"}}
	of := measured
	of.Target = "b"
	s.Status.Regressions = append(s.Status.Regressions, v1alpha1.ScheduleRegression{Source: v1alpha1.RegressionOfGate, Measurement: of, Since: "nightly-57", RunCount: 3, Text: "b throughput: -5 % against the baseline"})
	s.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionRegressed, Status: metav1.ConditionTrue, Reason: "Regressed", Message: s.Status.Regressions[0].Text}}
	b := &v1alpha1.BenchmarkBaseline{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "expected"}}
	b.Spec.Measurements = []v1alpha1.ExpectedMeasurement{{MeasurementKey: measured, Blocks: []string{"99", "100", "101"}}}
	h := contract.History{ScheduleUID: string(s.UID)}
	for i := range nights {
		run := contract.PastRun{
			Name: fmt.Sprintf("nightly-%d", i), UID: fmt.Sprintf("u%d", i), Outcome: "Succeeded", Valid: "True", Trigger: "Schedule",
			CompletionTime: time.Now().AddDate(0, 0, i-nights), Verdict: "b 1.20x a",
		}
		if i == 40 {
			run.Outcome, run.Valid, run.Verdict, run.Reason, run.Message = "Failed", "False", "", "TargetNotReady", "target a: no login works"
			h.Runs = append(h.Runs, run)
			continue
		}
		for n, target := range []string{"a", "b"} {
			level := 100 + 20*float64(n) + math.Sin(float64(5*i+n))
			if i >= 20 && n == 0 {
				level -= 9
			}
			if i >= 57 && n == 1 {
				level -= 6
			}
			low, high := level-2, level+1.5
			run.Series = append(run.Series, contract.PastSeries{Target: target, Name: contract.NameThroughput, Unit: "tx/s", Direction: contract.HigherIsBetter, Values: []*float64{&low, &level, &high}})
		}
		h.Runs = append(h.Runs, run)
	}
	gz, _, err := history.Encode(h)
	if err != nil {
		t.Fatal(err)
	}
	s.Status.History = &v1alpha1.HistoryStatus{SHA256: contract.Digest(gz)}
	cm := &corev1.ConfigMap{BinaryData: map[string][]byte{contract.KeyHistory: gz}}
	cm.Namespace, cm.Name = "ns", contract.HistoryName(s.Name, string(s.UID))
	cm.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(s, v1alpha1.GroupVersion.WithKind("BenchmarkSchedule"))}
	return []client.Object{s, b, cm}
}
