package follow

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/exit"
	"github.com/assay-bench/assay/internal/cli/kube"
	"github.com/assay-bench/assay/internal/cli/manifest"
)

const runWithScripts = `
apiVersion: v1
kind: ConfigMap
metadata: {name: scripts}
data: {my.lua: "print(1)"}
---
apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {name: nightly}
`

func cluster(t *testing.T, objects ...client.Object) kube.Cluster {
	t.Helper()
	scheme := runtime.NewScheme()
	add := runtime.NewSchemeBuilder(v1alpha1.AddToScheme, corev1.AddToScheme)
	if err := add.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	kinds := apimeta.NewDefaultRESTMapper(nil)
	kinds.Add(corev1.SchemeGroupVersion.WithKind("ConfigMap"), apimeta.RESTScopeNamespace)
	kinds.Add(v1alpha1.GroupVersion.WithKind("BenchmarkRun"), apimeta.RESTScopeNamespace)
	return kube.Cluster{API: fake.NewClientBuilder().WithScheme(scheme).WithRESTMapper(kinds).WithObjects(objects...).Build(), Namespace: "ns"}
}

func nightly(uid types.UID, conditions ...string) *v1alpha1.BenchmarkRun {
	run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "nightly", UID: uid}}
	for _, condition := range conditions {
		run.Status.Conditions = append(run.Status.Conditions, metav1.Condition{Type: condition, Status: metav1.ConditionTrue, Reason: condition})
	}
	return run
}

// The verdict of a run that has ended before is not that of this command: nothing is applied, and that is an error.
func TestARunThatHasEndedIsNotStarted(t *testing.T) {
	tests := map[string]struct {
		there   []client.Object
		refused bool
	}{
		"none there":                  {nil, false},
		"it goes on":                  {[]client.Object{nightly("1")}, false},
		"it was complete":             {[]client.Object{nightly("1", v1alpha1.ConditionComplete)}, true},
		"it had failed":               {[]client.Object{nightly("1", v1alpha1.ConditionFailed)}, true},
		"one of another namespace is": {[]client.Object{func() client.Object { r := nightly("1", v1alpha1.ConditionComplete); r.Namespace = "other"; return r }()}, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			to := cluster(t, tc.there...)
			objects, run, err := manifest.Objects([]byte(runWithScripts))
			if err != nil {
				t.Fatal(err)
			}
			err = start(t.Context(), to, objects, run)
			made := to.API.Get(t.Context(), client.ObjectKey{Namespace: "ns", Name: "scripts"}, &corev1.ConfigMap{})
			if !tc.refused {
				if err != nil || made != nil || run.GetNamespace() != "ns" || run.GetName() != "nightly" || len(tc.there) > 0 && tc.there[0].GetNamespace() == "ns" && run.GetUID() != "1" {
					t.Errorf("%v, %v, %v", run, err, made)
				}
				return
			}
			if err == nil || !apierrors.IsNotFound(made) {
				t.Fatalf("%v, %v", err, made)
			}
			for _, want := range []string{"nothing was started", "metadata.generateName", "kubectl delete bmr nightly -n ns", "kubectl assay get nightly -n ns"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q lacks %q", err, want)
				}
			}
		})
	}
}

// A run that was deleted and made again between two looks is another one, whose verdict is nobody's here.
func TestAnotherRunOfTheNameIsNotFollowed(t *testing.T) {
	for name, started := range map[string]types.UID{"run": "1", "watch": ""} {
		t.Run(name, func(t *testing.T) {
			looks := []*v1alpha1.BenchmarkRun{nightly("1"), nightly("2", v1alpha1.ConditionComplete)}
			looked := 0
			to := cluster(t)
			api := interceptor.NewClient(to.API.(client.WithWatch), interceptor.Funcs{Get: func(_ context.Context, _ client.WithWatch, _ client.ObjectKey, into client.Object, _ ...client.GetOption) error {
				looks[min(looked, len(looks)-1)].DeepCopyInto(into.(*v1alpha1.BenchmarkRun))
				looked++
				return nil
			}})
			var out bytes.Buffer
			f := following{api: api, key: to.Key("nightly"), uid: started, interval: time.Millisecond, answer: time.Minute, patience: time.Minute, progress: &progress{out: &out, width: func() int { return 0 }}}
			if run, err := f.toTheEnd(t.Context()); err == nil || !strings.Contains(err.Error(), "another run has its name") {
				t.Errorf("%v, %v", run, err)
			}
			if looks[1].UID = "1"; looked != 2 {
				t.Errorf("%d looks", looked)
			}
			looked = 0
			if run, err := f.toTheEnd(t.Context()); err != nil || !run.Finished() {
				t.Errorf("its own end: %v, %v", run, err)
			}
		})
	}
}

// A server that does not answer is asked again, and one that stays silent is given up in the end, however it is silent.
func TestAServerThatDoesNotAnswer(t *testing.T) {
	refused := func(context.Context) error { return errors.New("connection refused") }
	silent := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	for name, tt := range map[string]struct {
		looks    int
		fails    func(context.Context) error
		patience time.Duration
		want     string
	}{
		"refused for a while": {3, refused, time.Minute, ""},
		"silent for a while":  {3, silent, time.Minute, ""},
		"refused for good":    {1 << 30, refused, 50 * time.Millisecond, "reading BenchmarkRun ns/nightly: connection refused"},
		"silent for good":     {1 << 30, silent, 50 * time.Millisecond, "reading BenchmarkRun ns/nightly: context deadline exceeded"},
	} {
		t.Run(name, func(t *testing.T) {
			looked := 0
			to := cluster(t)
			api := interceptor.NewClient(to.API.(client.WithWatch), interceptor.Funcs{Get: func(ctx context.Context, _ client.WithWatch, _ client.ObjectKey, into client.Object, _ ...client.GetOption) error {
				if looked++; looked <= tt.looks {
					return tt.fails(ctx)
				}
				nightly("1", v1alpha1.ConditionComplete).DeepCopyInto(into.(*v1alpha1.BenchmarkRun))
				return nil
			}})
			var out bytes.Buffer
			f := following{api: api, key: to.Key("nightly"), interval: time.Millisecond, answer: 10 * time.Millisecond, patience: tt.patience, progress: &progress{out: &out, width: func() int { return 0 }}}
			run, err := f.toTheEnd(t.Context())
			if tt.want == "" && (err != nil || !run.Finished()) || tt.want != "" && (err == nil || err.Error() != tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
			// On a slow machine the first silence may outlast the patience: then there is nothing to ask again.
			if tt.want == "" && !strings.Contains(out.String(), "the API server does not answer, asking again") {
				t.Errorf("%q", out.String())
			}
		})
	}
}

// With -o name the name is there before the run has ended, and nothing else is printed: scripts take it.
func TestRunPrintsTheName(t *testing.T) {
	for name, tt := range map[string]struct{ format, want string }{
		"name":  {"name", "benchmarkrun.assay.dev/nightly\n"},
		"table": {"table", "ns/nightly: "},
	} {
		t.Run(name, func(t *testing.T) {
			to := cluster(t, nightly("1"))
			var out, problems bytes.Buffer
			cmd := newRun(func() (kube.Cluster, error) { return to, nil })
			cmd.SetOut(&out)
			cmd.SetErr(&problems)
			cmd.SetIn(strings.NewReader(runWithScripts))
			cmd.SetArgs([]string{"-f", "-", "-o", tt.format, "--interval", "1ms"})
			cmd.SilenceErrors, cmd.SilenceUsage = true, true
			ended := nightly("1", v1alpha1.ConditionComplete)
			to.API = interceptor.NewClient(to.API.(client.WithWatch), interceptor.Funcs{Get: func(_ context.Context, _ client.WithWatch, _ client.ObjectKey, into client.Object, _ ...client.GetOption) error {
				run, is := into.(*v1alpha1.BenchmarkRun)
				if is && out.Len() > 0 || tt.format == "table" && problems.Len() > 0 {
					ended.DeepCopyInto(run)
				} else {
					nightly("1").DeepCopyInto(run)
				}
				return nil
			}})
			var coded exit.Coded
			if err := cmd.ExecuteContext(t.Context()); !errors.As(err, &coded) || coded.Code != exit.Invalid || !strings.HasPrefix(out.String(), tt.want) || tt.format == "name" && out.String() != tt.want {
				t.Errorf("%v: %q", err, out.String())
			}
		})
	}
}
