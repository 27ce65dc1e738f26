package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// Schedules of the row: those of each minute, whose runs are refused at once, a third of each policy; one whose runs are
// measured; one that is told to start now, again and again; one whose template changes.
const (
	minutely     = 20
	measuredName = "measured"
	orderedName  = "ordered"
	changingName = "changing"
)

// timetable kills the manager while schedules start runs.
type timetable struct {
	*tally
	// kill the manager; nil for the schedules of another release, which are not told to do anything either.
	kill   func() bool
	random *rand.Rand
	// from and until are the minutes, both excluded and included, whose times have to have a run.
	from, until time.Time
	// orders and changes that were given.
	orders, changes int
	// near counts the kills within two seconds after a full minute or an order.
	near int
	// next is when to kill, and asked when something was to start last.
	next, asked time.Time

	mu sync.Mutex
	// seen are the UIDs of runs, by name.
	seen map[string]map[types.UID]bool
}

// killedWhileSchedulesFire: the manager is killed at any instant, and most of all when runs are to start. Each time has one
// run, which is in the history, although the limits delete all but the last.
func killedWhileSchedulesFire(t *testing.T, c *tally) {
	node := freshManager(t).Spec.NodeName
	relaxBackOff(t, node)
	playTimetables(t, newTimetable(c, newKiller(t, node).kill))
}

func newTimetable(c *tally, kill func() bool) *timetable {
	return &timetable{tally: c, random: rand.New(rand.NewPCG(16, uint64(time.Now().UnixNano()))), kill: kill, seen: map[string]map[types.UID]bool{}}
}

// playTimetables side by side, each in a namespace of its own. The first one kills.
func playTimetables(t *testing.T, all ...*timetable) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	var watching sync.WaitGroup
	for _, tt := range all {
		watching.Go(func() { follow(ctx, tt.ns, &v1alpha1.BenchmarkRunList{}, tt.see) })
		tt.create(t)
	}
	minutes := 5
	if testing.Short() {
		minutes = 2
	}
	until := all[len(all)-1].from.Add(time.Duration(minutes) * time.Minute)
	for _, tt := range all {
		tt.until = until
	}
	all[0].play(t, until.Add(10*time.Second))
	// The manager has the rest of the minute to start what it owes.
	time.Sleep(time.Until(until.Add(50 * time.Second)))
	for _, tt := range all {
		for _, name := range tt.names() {
			tt.patch(t, name, `{"spec":{"suspend":true}}`)
		}
	}
	for _, tt := range all {
		tt.rest(t)
	}
	stop()
	watching.Wait()
	for _, tt := range all {
		tt.judgeAll(t)
	}
}

// policyOf a schedule by its place in names.
func policyOf(i int) v1alpha1.ConcurrencyPolicy {
	return []v1alpha1.ConcurrencyPolicy{v1alpha1.AllowConcurrent, v1alpha1.ForbidConcurrent, v1alpha1.ReplaceConcurrent}[i%3]
}

func (tt *timetable) see(run *v1alpha1.BenchmarkRun) {
	tt.mu.Lock()
	defer tt.mu.Unlock()
	if tt.seen[run.Name] == nil {
		tt.seen[run.Name] = map[types.UID]bool{}
	}
	tt.seen[run.Name][run.UID] = true
}

func (tt *timetable) names() []string {
	out := []string{measuredName, orderedName, changingName}
	for i := range minutely {
		out = append(out, fmt.Sprintf("minutely-%02d", i))
	}
	return out
}

// create the schedules within one minute, far from its ends.
func (tt *timetable) create(t *testing.T) {
	t.Helper()
	now := time.Now()
	if s := now.Second(); s < 5 || s > 35 {
		time.Sleep(time.Until(now.Truncate(time.Minute).Add(65 * time.Second)))
	}
	tt.from = time.Now().Truncate(time.Minute)
	for i, name := range tt.names() {
		spec := map[string]any{"successfulRunsHistoryLimit": 0, "failedRunsHistoryLimit": 1, "concurrencyPolicy": policyOf(i)}
		shape, version := "no-such-shape", "10.11"
		switch name {
		case measuredName:
			shape = "kind-client"
			spec["schedule"], spec["concurrencyPolicy"], spec["successfulRunsHistoryLimit"], spec["failedRunsHistoryLimit"] = "* * * * *", "Forbid", 100, 100
		case changingName:
			// onChange waits for a shape that is not there: its runs are refused for their version.
			shape, version, spec["onChange"], spec["concurrencyPolicy"] = "kind-client", "0.1", true, v1alpha1.AllowConcurrent
		case orderedName:
			spec["concurrencyPolicy"] = v1alpha1.AllowConcurrent
		default:
			spec["schedule"] = "* * * * *"
		}
		var run map[string]any
		text := cluster.RunYAML("x", "", "  design: {blocks: 1, warmup: 0s, duration: 2s, onTrialFailure: Retry, maxRetries: 5}\n")
		if err := yaml.Unmarshal([]byte(strings.Replace(text, "10.11", version, 1)), &run); err != nil {
			t.Fatal(err)
		}
		run["spec"].(map[string]any)["clients"] = map[string]any{"shape": map[string]any{"name": shape}}
		spec["runTemplate"] = map[string]any{"spec": run["spec"]}
		o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "assay.dev/v1alpha1", "kind": "BenchmarkSchedule", "spec": spec}}
		o.SetNamespace(tt.ns)
		o.SetName(name)
		if err := cluster.API.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	if !tt.from.Equal(time.Now().Truncate(time.Minute)) {
		t.Fatal("the schedules were not created within a minute")
	}
}

// play gives orders and changes templates, and kills the manager, until a time.
func (tt *timetable) play(t *testing.T, until time.Time) {
	t.Helper()
	minute := tt.from
	for ; time.Now().Before(until); time.Sleep(20 * time.Millisecond) {
		if m := time.Now().Truncate(time.Minute); m.After(minute) {
			minute = m
			tt.aim(time.Now(), 1500*time.Millisecond)
		}
		// The rest of the minute is long enough for what is due: a manager that is killed again and again has no time to start
		// what it then reports as missed.
		if s := time.Now().Second(); s >= 40 && s < 57 {
			continue
		}
		tt.order(t)
		if time.Now().Before(tt.next) {
			continue
		}
		if !tt.kill() {
			tt.next = time.Now().Add(100 * time.Millisecond)
			continue
		}
		tt.Injected++
		if time.Since(tt.asked) < 2*time.Second {
			tt.near++
		}
		tt.next = time.Now().Add(time.Second + time.Duration(tt.random.Int64N(int64(*pause))))
	}
}

// aim the next kill at what starts now.
func (tt *timetable) aim(now time.Time, within time.Duration) {
	tt.asked = now
	tt.next = now.Add(time.Duration(tt.random.Int64N(int64(within))))
}

// order a run, and change a template, when the ones before were started.
func (tt *timetable) order(t *testing.T) {
	t.Helper()
	if time.Since(tt.asked) < 3*time.Second {
		return
	}
	if s := tt.status(t, orderedName); s != nil && s.RunNow == value(tt.orders) {
		tt.orders++
		tt.patch(t, orderedName, fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, v1alpha1.AnnotationRunNow, value(tt.orders)))
		tt.aim(time.Now(), 300*time.Millisecond)
		return
	}
	if s := tt.status(t, changingName); s != nil && s.Change != nil && s.ObservedGeneration == int64(tt.changes+1) {
		tt.changes++
		tt.patch(t, changingName, fmt.Sprintf(`{"spec":{"runTemplate":{"spec":{"deadline":"%dm"}}}}`, 20+tt.changes))
		tt.aim(time.Now(), 300*time.Millisecond)
	}
	tt.asked = time.Now().Add(-2500 * time.Millisecond) // asked again in half a second
}

// value of the annotation for an order; empty for none.
func value(order int) string {
	if order == 0 {
		return ""
	}
	return fmt.Sprint(order)
}

func (tt *timetable) patch(t *testing.T, name, patch string) {
	t.Helper()
	o := &v1alpha1.BenchmarkSchedule{}
	o.Namespace, o.Name = tt.ns, name
	if err := cluster.API.Patch(t.Context(), o, client.RawPatch(types.MergePatchType, []byte(patch))); err != nil {
		t.Fatalf("changing schedule %s: %v", name, err)
	}
}

// status of a schedule; nil where it cannot be read now.
func (tt *timetable) status(t *testing.T, name string) *v1alpha1.BenchmarkScheduleStatus {
	t.Helper()
	o := &v1alpha1.BenchmarkSchedule{}
	if err := cluster.API.Get(t.Context(), client.ObjectKey{Namespace: tt.ns, Name: name}, o); err != nil {
		t.Logf("reading schedule %s: %v", name, err)
		return nil
	}
	return &o.Status
}

// rest waits until no run is active.
func (tt *timetable) rest(t *testing.T) {
	t.Helper()
	eventually(t, 5*time.Minute, func() string {
		for _, name := range tt.names() {
			if s := tt.status(t, name); s == nil || len(s.Active) > 0 || !apimeta.IsStatusConditionTrue(s.Conditions, v1alpha1.ConditionSuspended) {
				return "schedule " + name + " has active runs, or has not seen that it is suspended"
			}
		}
		return ""
	})
}

// judgeAll: each time, order and change has one run, which was created once, and is in the history once.
func (tt *timetable) judgeAll(t *testing.T) {
	t.Helper()
	for i, name := range tt.names() {
		if name == orderedName && tt.orders == 0 {
			continue // no run was wanted, and so there is no history
		}
		h, s := tt.history(t, name), tt.status(t, name)
		var missed int64
		if s != nil && s.Missed != nil {
			missed = s.Missed.Count
		}
		want := tt.wanted(name)
		var got []string
		for _, run := range h.Runs {
			got = append(got, run.Name)
		}
		if strings.HasPrefix(name, "minutely-") && policyOf(i) == v1alpha1.ReplaceConcurrent {
			got = tt.seenOf(name) // one that was replaced before it ended is not in the history
		}
		tt.Runs += len(got)
		slices.Sort(got)
		switch name {
		case orderedName, changingName:
			if once := slices.Compact(slices.Clone(got)); len(once) != want || len(got) != want {
				tt.count(t, len(once)-want, len(got)-len(once))
				t.Errorf("%s: %d starts were wanted, and the history has %v", name, want, got)
			}
		default:
			tt.judgeTimes(t, name, got, missed)
		}
	}
	tt.judgeRuns(t)
	tt.Note = fmt.Sprintf("%d schedules of each minute, a third each that may overlap, waits, or replaces, %d orders by annotation and %d changes of a template, over %.0f minutes; %d kills within two seconds after "+
		"something was to start. Lost counts times without a run in the history (or, of schedules that replace, that nobody saw), and doubled those with two",
		minutely+1, tt.orders, tt.changes+1, tt.until.Sub(tt.from).Minutes(), tt.near)
	if tt.kill != nil && (tt.Injected == 0 || tt.orders < 2 || tt.changes < 2) {
		t.Errorf("too little happened: %s", tt.Note)
	}
}

// seenOf a schedule are the names of the runs that were there.
func (tt *timetable) seenOf(name string) (out []string) {
	tt.mu.Lock()
	defer tt.mu.Unlock()
	for run := range tt.seen {
		if strings.HasPrefix(run, name+"-") {
			out = append(out, run)
		}
	}
	return out
}

// wanted starts of the schedule that is told, and of the one that changes: a new one has changed.
func (tt *timetable) wanted(name string) int {
	if name == orderedName {
		return tt.orders
	}
	return tt.changes + 1
}

// judgeTimes of a schedule. Runs that are measured take long, so their schedule may report that it missed a time; others
// may not.
func (tt *timetable) judgeTimes(t *testing.T, name string, got []string, missed int64) {
	t.Helper()
	lost := 0
	for at := tt.from.Add(time.Minute); !at.After(tt.until); at = at.Add(time.Minute) {
		run := name + "-" + at.UTC().Format("20060102-1504")
		if !slices.Contains(got, run) {
			lost++
		}
	}
	if name == measuredName {
		lost -= int(missed)
	} else if missed > 0 {
		t.Errorf("%s reports %d missed times", name, missed)
	}
	doubled := len(got) - len(slices.Compact(slices.Clone(got)))
	if lost != 0 || doubled != 0 {
		tt.count(t, -lost, doubled)
		t.Errorf("%s: of its times from %s to %s %d have no run, and %d two: %v", name, tt.from.Format(time.TimeOnly), tt.until.Format(time.TimeOnly), lost, doubled, got)
	}
}

// count what is too few as lost, and the rest as doubled.
func (tt *timetable) count(t *testing.T, more, doubled int) {
	t.Helper()
	if more < 0 {
		tt.Lost -= more
	} else {
		tt.Doubled += more
	}
	tt.Doubled += doubled
}

// judgeRuns: no name had two runs, one after the other; and those that were measured are whole.
func (tt *timetable) judgeRuns(t *testing.T) {
	t.Helper()
	tt.mu.Lock()
	for name, uids := range tt.seen {
		if len(uids) > 1 {
			tt.Doubled++
			t.Errorf("run %s was created %d times", name, len(uids))
		}
	}
	tt.mu.Unlock()
	var runs v1alpha1.BenchmarkRunList
	if err := cluster.API.List(t.Context(), &runs, client.InNamespace(tt.ns), client.MatchingLabels{v1alpha1.LabelSchedule: measuredName}); err != nil {
		t.Fatal(err)
	}
	all := tt.Runs
	for i := range runs.Items {
		tt.planned[runs.Items[i].Name] = 1
		tt.judge(t, &runs.Items[i])
	}
	tt.Runs = all // they are in the history, too
	if len(runs.Items) == 0 {
		t.Error("no run was measured")
	}
}

func (tt *timetable) history(t *testing.T, name string) contract.History {
	t.Helper()
	s := &v1alpha1.BenchmarkSchedule{}
	if err := cluster.API.Get(t.Context(), client.ObjectKey{Namespace: tt.ns, Name: name}, s); err != nil {
		t.Errorf("reading schedule %s: %v", name, err)
		return contract.History{}
	}
	h, why, err := stored.History(t.Context(), cluster.API, s)
	if err != nil || why != "" {
		t.Errorf("reading the history of %s: %s%v", name, why, err)
	}
	return h
}
