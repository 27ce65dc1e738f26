package trial

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	servers "github.com/assay-bench/assay/controllers/benchmarkrun/target"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/likeness"
)

// behindShop is a Service with one pod, which has a node and restarts; no pod without a name.
func behindShop(name, node string, restarts int32) decision.Behind {
	b := decision.Behind{Pods: map[string]*corev1.Pod{}, Service: &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "shop"}, Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 3306}}},
	}}
	if name == "" {
		return b
	}
	b.Endpoints = []decision.Endpoint{{Pod: name, UID: types.UID(name), Ports: map[string]int32{"": 3306}}}
	b.Pods[name] = &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)},
		Spec:       corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{Name: "mysql"}}},
		Status:     corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{{Name: "mysql", RestartCount: restarts}}},
	}
	return b
}

// onShop is a trial on the Service that began with the pod shop-0 on the node "held".
func onShop(t *testing.T) (Input, Execution, decision.Known) {
	t.Helper()
	c := newCluster()
	c.in.Run.Spec.Targets = []v1alpha1.Target{{Name: "db", External: &v1alpha1.ExternalTarget{ServiceRef: &v1alpha1.ServiceRef{Name: "shop"}, Port: 3306}}}
	c.in.Run.Status.Resolved.SeparateFromTargets = v1alpha1.SeparationRequired
	c.in.Run.Status.Placement.ServiceNodeNames = []string{"held"}
	c.begin()
	text := beganBehind(c.in, c.e, decision.Known{}.With(decision.ListBehind{Service: "shop"}, behindShop("shop-0", "held", 0)).Ask())
	if !strings.Contains(text, `"name":"shop-0"`) {
		t.Fatalf("the trial began with %q", text)
	}
	c.trial.Annotations = map[string]string{v1alpha1.AnnotationServicePods: text}
	return c.in, c.e, c.known()
}

func TestPodsBehindAServiceAreComparedWithTheirBeginning(t *testing.T) {
	in, e, known := onShop(t)
	const changed, moved = "service-pods-changed", "service-pods-moved"
	const unseen, notSeen = "service-unseen Warning: which pods are behind Service shop was not known ", ": a change of them during the trial is not seen"
	edited, cut := behindShop("shop-0", "held", 0), behindShop("shop-0", "held", 0)
	edited.Service.Spec.Ports[0].Port, cut.Cut = 3307, true
	for name, tt := range map[string]struct {
		now  any
		want []string
	}{
		"as it began": {behindShop("shop-0", "held", 0), nil},
		"a restart":   {behindShop("shop-0", "held", 1), []string{changed + " Disturbed: behind Service shop between the beginning of the trial and its record: container mysql of pod shop-0 started again: 0 restarts became 1"}},
		"a failover to a node that is not held": {behindShop("shop-1", "other", 0), []string{
			changed + " Disturbed: behind Service shop between the beginning of the trial and its record: pod shop-0 is no longer ready behind it, pod shop-1 came behind it",
			moved + " Warning: pods behind Service shop are on nodes that the run does not hold, so that other runs may be there: shop-1 on other",
		}},
		"a failover to the node of a client": {behindShop("shop-1", "client", 0), []string{
			changed + " Disturbed: behind Service shop between the beginning of the trial and its record: pod shop-0 is no longer ready behind it, pod shop-1 came behind it",
			moved + " Disturbed: a pod behind Service shop came to a node of a client of this trial: shop-1 on client",
		}},
		"nobody is left":      {behindShop("", "", 0), []string{changed + " Disturbed: behind Service shop between the beginning of the trial and its record: pod shop-0 is no longer ready behind it"}},
		"the Service is gone": {decision.Absent{}, []string{changed + " Disturbed: behind Service shop between the beginning of the trial and its record: pod shop-0 is no longer ready behind it"}},
		"nobody may look there": {decision.Behind{Service: behindShop("", "", 0).Service, Forbidden: true}, []string{
			unseen + "when the trial ended: the manager may not list endpointslices in the namespace: update its roles with the chart" + notSeen}},
		"its port was edited": {edited, []string{unseen + "when the trial ended: it has no TCP port 3306, but 3307: set external.port" + notSeen}},
		"some are not read":   {cut, []string{unseen + "when the trial ended: it has more EndpointSlices than are read" + notSeen}},
	} {
		t.Run(name, func(t *testing.T) {
			ask := known.With(decision.ListBehind{Service: "shop"}, tt.now).Ask()
			var got []string
			for _, f := range checkBehind(in, e, contract.Record{ClientNodeNames: []string{"client"}}, ask) {
				got = append(got, f.Check+" "+f.Severity+": "+f.Message)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || !ask.Complete() {
				t.Errorf("findings (-want +got), open questions %v:\n%s", ask.Missing(), diff)
			}
		})
	}
}

// A trial whose pods are others than those that the run found says so: the trials of a run are compared with each other.
func TestPodsThatChangeBetweenTrialsAreTold(t *testing.T) {
	for name, tt := range map[string]struct {
		// found when the run got its nodes.
		found decision.Behind
		want  []string
	}{
		"the same":            {behindShop("shop-0", "held", 0), nil},
		"a restart before it": {behindShop("shop-0", "held", 3), nil},
		"a failover before it": {behindShop("shop-1", "held", 0), []string{
			"service-pods-others Warning: behind Service shop, since the run got its nodes and before the trial began: pod shop-1 is no longer ready behind it, pod shop-0 came behind it"}},
	} {
		t.Run(name, func(t *testing.T) {
			in, e, known := onShop(t)
			resolved := servers.Found(3306, tt.found).Service
			in.Run.Status.Resolved.Targets[0].Service = &resolved
			var got []string
			for _, f := range checkBehind(in, e, contract.Record{}, known.With(decision.ListBehind{Service: "shop"}, behindShop("shop-0", "held", 0)).Ask()) {
				got = append(got, f.Check+" "+f.Severity+": "+f.Message)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// A trial says where nobody saw what is behind the Service when it began; not where the run has said so.
func TestATrialWhoseBeginningWasNotSeen(t *testing.T) {
	in, e, known := onShop(t)
	cm := known.Ask().ConfigMap(e.Name).Value.DeepCopy()
	delete(cm.Annotations, v1alpha1.AnnotationServicePods)
	ask := known.With(decision.Named[*corev1.ConfigMap](e.Name), cm).With(decision.ListBehind{Service: "shop"}, behindShop("shop-0", "held", 0)).Ask()
	got := checkBehind(in, e, contract.Record{}, ask)
	if len(got) != 1 || got[0].Check != "service-unseen" || got[0].Message != "which pods are behind Service shop was not known when the trial began: a change of them during the trial is not seen" {
		t.Errorf("findings %+v", got)
	}
	in.Run.Status.Resolved.Targets[0].Service = &v1alpha1.ResolvedService{Unseen: "why"}
	if got := checkBehind(in, e, contract.Record{}, ask); got != nil {
		t.Errorf("findings %+v of what was never seen", got)
	}
}

// What a record says of the server is what runs now, and nothing where that is not known.
func TestFactsOfAServerBehindAService(t *testing.T) {
	in, e, known := onShop(t)
	in.Run.Status.Targets = []v1alpha1.TargetStatus{{Name: "db", ImageID: "server@sha256:old"}}
	now := behindShop("shop-0", "held", 0)
	pod := now.Pods["shop-0"]
	pod.Status.ContainerStatuses[0].ImageID = "server@sha256:new"
	pod.Spec.Containers[0].Resources.Limits = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1500m"), corev1.ResourceMemory: resource.MustParse("1Gi")}
	other := behindShop("shop-0", "held", 0)
	other.Endpoints = append(other.Endpoints, decision.Endpoint{Pod: "shop-1", Ports: map[string]int32{"": 3306}})
	other.Pods["shop-0"], other.Pods["shop-1"] = pod, pod.DeepCopy()
	other.Pods["shop-1"].Name = "shop-1"
	other.Pods["shop-1"].Spec.Containers[0].Resources.Limits[corev1.ResourceCPU] = resource.MustParse("4")
	other.Pods["shop-1"].Status.ContainerStatuses[0].ImageID = "server@sha256:old"
	for name, tt := range map[string]struct {
		now  any
		want map[string]string
	}{
		"one pod":             {now, map[string]string{"server/image": "server@sha256:new", "target/cpus": "1.5", "target/memory": "1073741824"}},
		"pods that differ":    {other, map[string]string{"target/memory": "1073741824"}},
		"the Service is gone": {decision.Absent{}, map[string]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			ask := known.With(decision.ListBehind{Service: "shop"}, tt.now).Ask()
			got := facts(in, e, contract.Record{Target: "db"}, End{Results: []contract.Result{{}}}, ask).Map()
			if diff := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("facts (-want +got):\n%s", diff)
			}
		})
	}
}

// A client that lost its server is told what became of the pod; where nothing is known yet, the cluster gets a moment.
func TestALostServerBehindAServiceIsExplained(t *testing.T) {
	in, e, known := onShop(t)
	lost := End{Reason: string(contract.ReasonConnectionLost), Message: "lost connection", At: in.Now}
	for name, tt := range map[string]struct {
		end   End
		now   decision.Behind
		after time.Duration
		want  string
		waits bool
	}{
		"it restarted":                {lost, behindShop("shop-0", "held", 1), 0, "lost connection; since the trial began, behind Service shop: container mysql of pod shop-0 started again: 0 restarts became 1", false},
		"nothing is known yet":        {lost, behindShop("shop-0", "held", 0), 0, "lost connection", true},
		"nothing is known after that": {lost, behindShop("shop-0", "held", 0), time.Minute, "lost connection", false},
		"another failure":             {lost.with("ToolFailed", "it failed"), behindShop("shop-0", "held", 0), 0, "it failed", false},
		"no failure":                  {End{}, behindShop("shop-0", "held", 1), 0, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			at := in
			at.Now = in.Now.Add(tt.after)
			got, wait := explain(at, e, tt.end, known.With(decision.ListBehind{Service: "shop"}, tt.now).Ask())
			if got.Message != tt.want || got.Reason != tt.end.Reason || (wait != nil) != tt.waits {
				t.Errorf("%s: %q, waits %v", got.Reason, got.Message, wait)
			}
		})
	}
}

// The pods that are measured are no neighbours of themselves.
func TestServersAreNoSecondWorkload(t *testing.T) {
	in, _, _ := onShop(t)
	in.Run.Status.Resolved.Targets[0].Service = &v1alpha1.ResolvedService{Pods: []v1alpha1.ServicePod{{Name: "shop-0"}}}
	if got := withoutServers(in, []string{"ns/shop-0", "ns/web", "other/shop-0"}); !cmp.Equal(got, []string{"ns/web", "other/shop-0"}) {
		t.Errorf("others are %v", got)
	}
}

// A name that leads to another server is told by what the server calls itself, against the last trial of the same target that said it.
func TestAnotherServerAnswers(t *testing.T) {
	of := func(index int32, target, hostname string) contract.Record {
		variables := map[string]string{"port": "3306"}
		if hostname != "" {
			variables["hostname"] = hostname
		}
		source := likeness.Source{ByAddress: true, Result: contract.Result{Server: &contract.Server{Variables: variables}}}
		return contract.Record{Index: index, Target: target, State: contract.Succeeded, Facts: likeness.FactsOf(source)}
	}
	failed := of(2, "db", "b")
	failed.State = contract.Failed
	before := []contract.Record{of(0, "db", "a"), of(1, "other", "b"), failed, {Index: 2, Target: "db", State: contract.Succeeded}}
	for name, tt := range map[string]struct {
		before []contract.Record
		now    contract.Record
		want   string
	}{
		"the first trial":              {nil, of(3, "db", "a"), ""},
		"the same one":                 {before, of(3, "db", "a"), ""},
		"another one":                  {before, of(3, "db", "b"), "server-changed Warning: another server answers at the address of the target than in trial 0: now hostname b, port 3306, and then hostname a, port 3306; trials before and after this are of different machines"},
		"the first of a second target": {before[1:2], of(3, "db", "a"), ""},
		"one that says nothing":        {before, contract.Record{Index: 3, Target: "db"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var got string
			for _, f := range anotherServer(Input{Recorded: tt.before}, tt.now) {
				got += f.Check + " " + f.Severity + ": " + f.Message
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
