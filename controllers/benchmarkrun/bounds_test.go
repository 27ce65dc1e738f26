package benchmarkrun

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/apischema"
)

// enums have a value of each enumeration of the status, by the type or the name of the field.
var enums = map[string]string{
	"Phase": "Measuring", "TrialState": "Failed", "LimitKind": "CPU", "SpeedSide": "Client", "SpeedKernel": "Integer", "SettingSource": "Spec",
	"QuotedStage": "Run", "LeftOutReason": "Failed", "ConditionStatus": "True", "Severity": "Warning", "Direction": "HigherIsBetter", "Reason": "Reason",
	"ComparisonFamily": "Primary", "ComparisonVerdict": "Faster",
	"GateOutcome": "Slower", "DifferenceEffect": "Value", "BaselineEffect": "Inform", "SearchOutcome": "Found", "NotificationType": "gate.undecided", "NotificationOutcome": "Delivered",
	"Separation": "Required", "DataOrigin": "Restored",
}

var overlong = strings.Repeat("ö", 20_000)

// overfill sets every field of a value to more than any bound.
func overfill(v reflect.Value, name string) {
	switch v.Interface().(type) {
	case metav1.Time, metav1.MicroTime, metav1.Duration:
		v.FieldByIndex([]int{0}).Set(reflect.Zero(v.Field(0).Type()))
		return
	case intstr.IntOrString:
		v.Set(reflect.ValueOf(intstr.FromString(strings.Repeat("v", 512))))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		overfill(v.Elem(), name)
	case reflect.String:
		text, is := enums[v.Type().Name()]
		if !is {
			text, is = enums[name]
		}
		if !is {
			text = overlong
		}
		v.SetString(text)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 130, 130))
		for i := range v.Len() {
			overfill(v.Index(i), name)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for i := range 9 {
			value := reflect.New(v.Type().Elem()).Elem()
			overfill(value, name)
			v.SetMapIndex(reflect.ValueOf(fmt.Sprintf("%060d", i)), value)
		}
	case reflect.Struct:
		if v.Type().String() == "resource.Quantity" {
			return
		}
		for i := range v.NumField() {
			overfill(v.Field(i), v.Type().Field(i).Name)
		}
	case reflect.Bool:
		v.SetBool(true)
	default:
		v.Set(reflect.ValueOf(1).Convert(v.Type()))
	}
}

// A status of which every field has more than its bound is written, beside the largest spec and
// metadata that a run may have. Without the bounds the API server refuses it.
func TestNoStatusIsTooLarge(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	run := newRun(t, ns, func(r *v1alpha1.BenchmarkRun) {
		r.Annotations = map[string]string{"big": strings.Repeat("a", 250<<10)}
		config := map[string]string{}
		for i := range 90 {
			config[fmt.Sprintf("name_%d", i)] = strings.Repeat("x", 4096)
		}
		r.Spec.Targets[0].MySQL.Config = config
	})
	create(t, run)
	st := &v1alpha1.BenchmarkRunStatus{}
	overfill(reflect.ValueOf(st).Elem(), "")
	unique(st)
	if err := apischema.FitStatus(st); err != nil {
		t.Fatal(err)
	}
	whole := run.DeepCopy()
	whole.Status = *st
	if err := server.API.Status().Update(t.Context(), whole.DeepCopy()); !isTooLarge(err) {
		t.Fatalf("the API server says to a status whose fields are at their bounds: %v: this proves nothing", err)
	}
	var err error
	if whole.Status, err = bounded(whole); err != nil {
		t.Fatal(err)
	}
	if err := server.API.Status().Update(t.Context(), whole); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", len(data))
	last := whole.Status.Findings[len(whole.Status.Findings)-1]
	if last.Check != checkStatusCut || !strings.Contains(last.Message, "left out of the status: values of earlier trials") {
		t.Errorf("nothing says what was left out: %+v", last)
	}
	again, err := bounded(whole)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(again.Resolved, whole.Status.Resolved) || len(again.Findings) != len(whole.Status.Findings) {
		t.Error("a status that fits is cut again")
	}
}

// unique gives the entries of lists by key the keys that they have.
func unique(st *v1alpha1.BenchmarkRunStatus) {
	st.Conditions = nil
	for _, kind := range v1alpha1.ConditionTypes() {
		st.Conditions = append(st.Conditions, metav1.Condition{
			Type: kind, Status: metav1.ConditionTrue, Reason: "Reason", Message: strings.Repeat("m", 40_000), LastTransitionTime: metav1.Time{Time: time.Unix(1, 0)},
		})
	}
	name := func(i int) string { return fmt.Sprintf("%0253d", i) }
	for i := range st.Nodes {
		st.Nodes[i].Name = name(i)
	}
	for i := range st.Notifications {
		st.Notifications[i].Receiver, st.Notifications[i].Time = fmt.Sprintf("%040d", i), metav1.Time{Time: time.Unix(1, 0)}
	}
	st.Gate.Baselines = st.Gate.Baselines[:4]
	for i := range st.Gate.Baselines {
		st.Gate.Baselines[i].Name = name(i)
	}
	st.Resolved.RunnerImages = st.Resolved.RunnerImages[:16]
	for i := range st.Resolved.RunnerImages {
		st.Resolved.RunnerImages[i].Name = name(i)
	}
	shape := v1alpha1.InstanceShapeSpec{CPU: resource.MustParse("1"), Memory: resource.MustParse("1Gi"), Annotations: map[string]string{}}
	for i := range 14 {
		shape.Annotations[fmt.Sprint("a", i)] = strings.Repeat("x", 4096)
	}
	st.Resolved.ClientShape = shape
	// What decides is bounded where it is accepted: accept.checkSettings and accept.CheckResolved.
	st.Resolved.Targets, st.Targets, st.Placement.Targets = st.Resolved.Targets[:8], st.Targets[:8], st.Placement.Targets[:8]
	for i := range 8 {
		st.Resolved.Targets[i].Name, st.Targets[i].Name, st.Placement.Targets[i].Name = name(i), name(i), name(i)
		st.Resolved.Targets[i].Settings = st.Resolved.Targets[i].Settings[:13]
		// A target with a Service has none of these.
		st.Resolved.Targets[i].Shape, st.Resolved.Targets[i].Retained, st.Resolved.Targets[i].Snapshot = nil, nil, nil
		st.Targets[i].Data.Writer, st.Targets[i].Snapshot = "", nil
		st.Targets[i].Data.MadeTime = metav1.Time{Time: time.Unix(1, 0)}
		behind := st.Resolved.Targets[i].Service
		behind.Pods = behind.Pods[:1]
		behind.Pods[0].Labels = map[string]string{"name": strings.Repeat("n", 63)}
	}
	for i := range st.Trials {
		st.Trials[i].LimitedBy = st.Trials[i].LimitedBy[:1]
	}
	for i := range st.Summary {
		st.Summary[i].LimitedBy, st.Summary[i].LeftOut = st.Summary[i].LimitedBy[:1], st.Summary[i].LeftOut[:1]
	}
}

// A run whose metadata grew fails with a reason, before nothing can be written any more.
func TestAGrownRunEnds(t *testing.T) {
	w := placedWorld(t, decision.Known{}.With(decision.GetRecords{Name: "run-records-0000"}, decision.Absent{}))
	w.Run.Labels = map[string]string{"a": strings.Repeat("x", maxAdded)}
	p := decide(w)
	for _, c := range p.steps {
		if failed, is := c.state.(decision.Failed); is && failed.Reason == v1alpha1.ReasonSpecTooLarge {
			return
		}
	}
	t.Errorf("it goes on: %+v", p.last().state)
}
