package benchmarkschedule

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/internal/experiment/queue"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/show/readout"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/internal/verdict/history"
	"github.com/assay-bench/assay/runners"
	"github.com/assay-bench/assay/test/helpers/apiserver"
)

var server apiserver.Server

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard())
	os.Exit(apiserver.Main(m, &server))
}

// template is the spec of a small run, with the name of its shape to be filled in.
const template = `{targets: [{name: db, shape: {name: %s}, mysql: {flavor: MariaDB, version: "10.11"}}], clients: {shape: {inline: {cpu: 1, memory: 1Gi}}}, workload: {sysbench: {test: oltp_read_only}}}`

// stage is a schedule on a real API server, a clock that the test sets, and a manager that the test
// lets look, and kills.
type stage struct {
	t         *testing.T
	namespace string
	clock     *clocktesting.FakePassiveClock
	api       *fakeCache
	events    *events.FakeRecorder
	r         *Reconciler
	// began is the time of the creation.
	began time.Time
}

// fakeCache lists runs by their schedule as the cache of a manager does, counts writes, and fails when
// the test wants it.
type fakeCache struct {
	client.Client
	writes int
	// dies after so many writes; negative for never.
	dies int
	// rejects every status; nil for none.
	rejects error
	// refuses ConfigMaps with this key; empty for none.
	refuses string
	// lists that were asked for since the last look of the test.
	lists atomic.Int32
	// blind: the cache has not seen any run yet.
	blind bool
}

var errKilled = errors.New("the manager is killed")

// write counts one that succeeded.
func (c *fakeCache) write(do func() error) error {
	if c.dies == 0 {
		return errKilled
	}
	c.dies--
	err := do()
	if err == nil {
		c.writes++
	}
	return err
}

func (c *fakeCache) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	defer c.lists.Add(1)
	var o client.ListOptions
	o.ApplyOptions(opts)
	uid, _ := o.FieldSelector.RequiresExactMatch(indexSchedule)
	if err := c.Client.List(ctx, list, client.InNamespace(o.Namespace)); err != nil {
		return err
	}
	runs := list.(*v1alpha1.BenchmarkRunList)
	runs.Items = slices.DeleteFunc(runs.Items, func(r v1alpha1.BenchmarkRun) bool { return c.blind || !slices.Contains(scheduleUID(&r), uid) })
	return nil
}

func (c *fakeCache) Create(ctx context.Context, o client.Object, opts ...client.CreateOption) error {
	if cm, is := o.(*corev1.ConfigMap); is && c.refuses != "" && cm.BinaryData[c.refuses] != nil {
		return apierrors.NewInvalid(schema.GroupKind{Kind: "ConfigMap"}, cm.Name, nil)
	}
	return c.write(func() error { return c.Client.Create(ctx, o, opts...) })
}

func (c *fakeCache) Update(ctx context.Context, o client.Object, opts ...client.UpdateOption) error {
	return c.write(func() error { return c.Client.Update(ctx, o, opts...) })
}

func (c *fakeCache) Delete(ctx context.Context, o client.Object, opts ...client.DeleteOption) error {
	return c.write(func() error { return c.Client.Delete(ctx, o, opts...) })
}

func (c *fakeCache) Status() client.SubResourceWriter { return fakeStatus{c.Client.Status(), c} }

type fakeStatus struct {
	client.SubResourceWriter
	c *fakeCache
}

func (s fakeStatus) Update(ctx context.Context, o client.Object, opts ...client.SubResourceUpdateOption) error {
	if s.c.rejects != nil {
		return s.c.rejects
	}
	return s.c.write(func() error { return s.SubResourceWriter.Update(ctx, o, opts...) })
}

// newStage with a schedule of these fields.
func newStage(t *testing.T, fields string) *stage {
	t.Helper()
	s := &stage{t: t, namespace: server.Namespace(t)}
	s.api = &fakeCache{Client: server.API, dies: -1}
	s.shape("1")
	text := fmt.Sprintf(`{apiVersion: assay.dev/v1alpha1, kind: BenchmarkSchedule, metadata: {name: nightly, namespace: %s}, spec: {%s}}`,
		s.namespace, strings.TrimPrefix(fields+", runTemplate: {spec: "+fmt.Sprintf(template, s.namespace)+"}", ", "))
	o := &unstructured.Unstructured{}
	s.must(yaml.Unmarshal([]byte(text), &o.Object))
	s.must(server.API.Create(t.Context(), o))
	s.began = o.GetCreationTimestamp().Time
	s.clock = clocktesting.NewFakePassiveClock(s.began)
	s.restart()
	return s
}

// shape that the template names, with so many CPUs.
func (s *stage) shape(cpu string) {
	s.t.Helper()
	o := &v1alpha1.InstanceShape{ObjectMeta: metav1.ObjectMeta{Name: s.namespace}}
	s.must(yaml.Unmarshal([]byte(`{spec: {cpu: `+cpu+`, memory: 1Gi}}`), o))
	spec := o.Spec
	if err := server.API.Get(s.t.Context(), client.ObjectKeyFromObject(o), o); err != nil {
		s.must(server.API.Create(s.t.Context(), o))
		return
	}
	o.Spec = spec
	s.must(server.API.Update(s.t.Context(), o))
}

// restart is another manager: all that the one before it had in memory is gone.
func (s *stage) restart() {
	c := config.Default()
	c.Engines = map[string]map[string]config.Image{"MariaDB": {"10.11": {Image: "mariadb:10.11"}}}
	c.Runners = map[string]config.Image{"sysbench": {Image: "sysbench:1"}}
	s.events = events.NewFakeRecorder(1000)
	s.r = &Reconciler{Client: s.api, Live: server.API, Clock: s.clock, Events: s.events, Config: c, Engine: engines.Find, Runner: runners.Find, Queue: queue.NewLedger()}
}

func (s *stage) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// at a time after the creation.
func (s *stage) at(after time.Duration) *stage {
	s.clock.SetTime(s.began.Add(after))
	return s
}

func (s *stage) reconcile() (ctrl.Result, error) {
	return s.r.Reconcile(s.t.Context(), ctrl.Request{NamespacedName: client.ObjectKey{Namespace: s.namespace, Name: "nightly"}})
}

// pass of the manager; it must leave nothing to do at this time.
func (s *stage) pass() *v1alpha1.BenchmarkSchedule {
	s.t.Helper()
	for range 20 {
		result, err := s.reconcile()
		s.must(err)
		if result.RequeueAfter <= 0 {
			s.t.Fatalf("nothing will look again: %+v", result)
		}
		if result.RequeueAfter > time.Second {
			break
		}
	}
	before := s.api.writes
	_, err := s.reconcile()
	s.must(err)
	if n := s.api.writes - before; n != 0 {
		s.t.Fatalf("a second look wrote %d times", n)
	}
	return s.get()
}

func (s *stage) get() *v1alpha1.BenchmarkSchedule {
	s.t.Helper()
	o := &v1alpha1.BenchmarkSchedule{}
	s.must(server.API.Get(s.t.Context(), client.ObjectKey{Namespace: s.namespace, Name: "nightly"}, o))
	return o
}

// change the schedule.
func (s *stage) change(f func(*v1alpha1.BenchmarkSchedule)) {
	s.t.Helper()
	o := s.get()
	f(o)
	s.must(server.API.Update(s.t.Context(), o))
}

// runs of the namespace by name.
func (s *stage) runs() []string {
	s.t.Helper()
	var list v1alpha1.BenchmarkRunList
	s.must(server.API.List(s.t.Context(), &list, client.InNamespace(s.namespace)))
	var out []string
	for _, run := range list.Items {
		out = append(out, run.Name)
	}
	slices.Sort(out)
	return out
}

func (s *stage) run(name string) *v1alpha1.BenchmarkRun {
	s.t.Helper()
	run := &v1alpha1.BenchmarkRun{}
	s.must(server.API.Get(s.t.Context(), client.ObjectKey{Namespace: s.namespace, Name: name}, run))
	return run
}

// finish a run, with the values of two blocks.
func (s *stage) finish(name string, succeeded bool, values ...float64) {
	s.t.Helper()
	run := s.run(name)
	records := journal.BeginChain("x")
	for block, v := range values {
		records = records.Add(contract.Record{
			Index: int32(block), Block: int32(block), Target: "db", State: contract.Succeeded, Final: true, Valid: new(true),
			Values: []contract.RecordedValue{{Name: "throughput", Unit: "tx/s", Value: v, Direction: contract.HigherIsBetter}},
			Facts:  contract.NewFacts(map[string]string{"server/version": "10.11"}),
		})
	}
	data, err := records.Encode()
	s.must(err)
	s.must(server.API.Create(s.t.Context(), &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: s.namespace, Name: contract.RecordsName(name, 0),
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(run, v1alpha1.GroupVersion.WithKind("BenchmarkRun"))},
		},
		BinaryData: map[string][]byte{contract.KeyRecords: data},
	}))
	run.Status.Results = &v1alpha1.ResultsStatus{RecordConfigMapCount: 1}
	run.Status.Integrity = &v1alpha1.IntegrityStatus{PlanSHA256: "x", Head: records.Head(), RecordCount: records.Count(), RecordsSHA256: contract.Digest(data)}
	run.Status.Progress.Totals = v1alpha1.Totals(records.Totals())
	run.Status.Plan = &v1alpha1.PlanStatus{TrialCount: int32(len(values)), CellCount: 1, SHA256: "x", ConfigMapCount: 1}
	run.Status.Headline, run.Status.CompletionTime = "db "+fmt.Sprint(values), &metav1.Time{Time: s.clock.Now()}
	condition := func(name string, status metav1.ConditionStatus, reason string) {
		apimeta.SetStatusCondition(&run.Status.Conditions, metav1.Condition{Type: name, Status: status, Reason: reason, Message: "as the test wants"})
	}
	if succeeded {
		condition(v1alpha1.ConditionComplete, metav1.ConditionTrue, v1alpha1.ReasonSucceeded)
		condition(v1alpha1.ConditionValid, metav1.ConditionTrue, v1alpha1.ReasonSucceeded)
	} else {
		condition(v1alpha1.ConditionFailed, metav1.ConditionTrue, v1alpha1.ReasonAllTrialsFailed)
	}
	readout.SetWords(run)
	s.must(server.API.Status().Update(s.t.Context(), run))
}

// historyName of the schedule's ConfigMap.
func (s *stage) historyName() string { return contract.HistoryName("nightly", string(s.get().UID)) }

// history of the schedule, as it is stored.
func (s *stage) history() contract.History {
	s.t.Helper()
	cm := &corev1.ConfigMap{}
	s.must(server.API.Get(s.t.Context(), client.ObjectKey{Namespace: s.namespace, Name: s.historyName()}, cm))
	h, err := history.Decode(cm.BinaryData[contract.KeyHistory])
	s.must(err)
	return h
}

// condition of the schedule, as "Status Reason".
func condition(o *v1alpha1.BenchmarkSchedule, name string) string {
	c := apimeta.FindStatusCondition(o.Status.Conditions, name)
	if c == nil {
		return "absent"
	}
	return fmt.Sprintf("%s %s", c.Status, c.Reason)
}

// told are the events so far, by reason.
func (s *stage) told() []string {
	var out []string
	for {
		select {
		case e := <-s.events.Events:
			out = append(out, strings.Fields(e)[1])
		default:
			slices.Sort(out)
			return out
		}
	}
}
