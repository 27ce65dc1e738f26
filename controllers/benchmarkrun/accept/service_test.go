package accept

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/config"
)

// onService has the target behind a Service, whose endpoints are what the test says.
func onService(behind *decision.Behind) change {
	return func(w *world) {
		w.in.Run.Spec.Targets[0] = v1alpha1.Target{Name: "db", External: &v1alpha1.ExternalTarget{
			ServiceRef: &v1alpha1.ServiceRef{Name: "shop"}, Port: 3306, TLS: v1alpha1.TLSDisabled, InsecureSkipVerify: true, Credentials: corev1.LocalObjectReference{Name: "login"},
		}}
		w.objects[decision.Named[*corev1.Secret]("login")] = &corev1.Secret{Data: map[string][]byte{"username": []byte("x"), "password": []byte("x")}}
		if behind != nil {
			w.objects[decision.ListBehind{Service: "shop"}] = *behind
		}
	}
}

// endpoints of a Service, one for each pod on its node.
func endpoints(component string, nodes ...string) *decision.Behind {
	b := &decision.Behind{Pods: map[string]*corev1.Pod{}, Service: &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "shop"}, Spec: corev1.ServiceSpec{ClusterIP: "10.0.0.9", Ports: []corev1.ServicePort{{Port: 3306}}},
	}}
	for _, node := range nodes {
		name := "shop-" + node
		b.Endpoints = append(b.Endpoints, decision.Endpoint{Pod: name, UID: types.UID(name), Ports: map[string]int32{"": 3306}})
		b.Pods[name] = &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), Labels: map[string]string{"app.kubernetes.io/component": component}},
			Spec: corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{
				Name: "server", Image: "server:1", Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2")}},
			}}},
			Status: corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{{Name: "server", ImageID: "server@sha256:1"}}},
		}
	}
	return b
}

// What is behind the Service is pinned and told, and its nodes are asked for.
func TestAServiceIsResolved(t *testing.T) {
	stranger := endpoints("pxc", "a")
	stranger.Endpoints = append(stranger.Endpoints, decision.Endpoint{Ports: map[string]int32{"": 3306}})
	for name, tt := range map[string]struct {
		behind *decision.Behind
		nodes  []string
		status v1alpha1.TargetStatus
		// said by each check, without what all say.
		said map[string]string
	}{
		"one server": {endpoints("pxc", "a"), []string{"a"}, v1alpha1.TargetStatus{Name: "db", NodeName: "a", ImageID: "server@sha256:1"},
			map[string]string{"service-pods": "Note 1 pod behind Service shop: shop-a on a with cpu limit 2; nobody can read"}},
		"a cluster": {endpoints("pxc", "a", "b"), []string{"a", "b"}, v1alpha1.TargetStatus{Name: "db", ImageID: "server@sha256:1"},
			map[string]string{"service-pods": "Note 2 pods behind Service shop: shop-a on a with cpu limit 2, shop-b on b with cpu limit 2; which of them answers a connection is not known; nobody"}},
		"proxies": {endpoints("haproxy", "a"), []string{"a"}, v1alpha1.TargetStatus{Name: "db", NodeName: "a", ImageID: "server@sha256:1"},
			map[string]string{"service-pods": "Note 1 pod behind Service shop: shop-a on a with cpu limit 2; by their labels they are proxies: of the servers behind these nothing is known"}},
		"and a stranger": {stranger, []string{"a"}, v1alpha1.TargetStatus{Name: "db"}, map[string]string{
			"service-pods":   "Note 1 pod behind Service shop",
			"service-unseen": "Warning not all that answers behind Service shop is known: 1 of its 2 ready endpoints are no pods of the namespace: its nodes are not kept",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(onService(tt.behind))
			got := w.decide(t)
			if !decision.IsDone(got.State) {
				t.Fatal(words(got.State))
			}
			w.in.Run.Status.Resolved, w.in.Run.Status.AcceptedTime = got.Status.Resolved, got.Status.AcceptedTime
			if need := NodeRequest(w.in.Run, w.in.Catalogue.Config).Need; !slices.Equal(need.Beside, tt.nodes) {
				t.Errorf("asks for the nodes %v, want %v", need.Beside, tt.nodes)
			}
			if diff := cmp.Diff([]v1alpha1.TargetStatus{tt.status}, got.Status.Targets); diff != "" {
				t.Errorf("status of the target (-want +got):\n%s", diff)
			}
			said := map[string]bool{}
			for _, f := range got.Findings {
				if want, is := tt.said[f.Check]; is && f.Target == "db" && strings.HasPrefix(f.Severity+" "+f.Message, want) {
					said[f.Check] = true
				}
			}
			if len(said) != len(tt.said) {
				t.Errorf("findings %+v, want %v", got.Findings, tt.said)
			}
		})
	}
}

// What is found is no input of the experiment: a pod that was made anew leaves the hash as it was.
func TestPodsAreNotPartOfTheHash(t *testing.T) {
	a, b := newWorld(onService(endpoints("pxc", "a"))).decide(t), newWorld(onService(endpoints("pxc", "b"))).decide(t)
	if a.Status.SpecHash == "" || a.Status.SpecHash != b.Status.SpecHash {
		t.Errorf("hashes %q and %q", a.Status.SpecHash, b.Status.SpecHash)
	}
}

func TestServicesAreRefused(t *testing.T) {
	other := endpoints("pxc", "a")
	other.Service.Spec.Ports[0].Port = 3307
	for name, tt := range map[string]struct {
		behind *decision.Behind
		want   string
	}{
		"there is none": {nil, `fail ServiceNotFound: spec.targets[0].external.serviceRef: there is no Service "shop" in namespace ns: name one of the namespace of the run`},
		"another port":  {other, `fail ServiceUnusable: spec.targets[0].external.serviceRef: Service "shop" cannot be measured: it has no TCP port 3306, but 3307: set external.port`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := words(newWorld(onService(tt.behind)).decide(t).State); !strings.HasPrefix(got, tt.want) {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// A run may be created together with its database: it waits until something is ready, for as long as a server of Assay has for that.
func TestARunWaitsForItsService(t *testing.T) {
	gone := endpoints("pxc", "a")
	delete(gone.Pods, "shop-a")
	const field = `spec.targets[0].external.serviceRef: Service "shop" cannot be measured`
	at := func(age time.Duration, more ...change) []change {
		return append(more, func(w *world) { w.in.Run.CreationTimestamp = metav1.NewTime(now.Add(-age)) })
	}
	resumed := func(w *world) {
		w.in.Run.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionSuspended, Status: metav1.ConditionFalse, LastTransitionTime: metav1.NewTime(now.Add(-time.Minute))}}
	}
	for name, tt := range map[string]struct {
		changes []change
		want    string
	}{
		"nothing is ready":             {at(19*time.Minute, onService(endpoints("pxc"))), "wait ServiceNotReady: " + field + " yet: nothing that is ready is behind it"},
		"a pod is being replaced":      {at(19*time.Minute, onService(gone)), "wait ServiceNotReady: " + field + " yet: an endpoint of it leads to pod shop-a, which is gone"},
		"for too long":                 {at(21*time.Minute, onService(endpoints("pxc"))), "fail ServiceUnusable: " + field + ", also after 20m0s (timeouts.targetReady): nothing that is ready is behind it"},
		"a suspended run has the time": {at(21*time.Minute, onService(endpoints("pxc")), suspended), "wait ServiceNotReady: " + field},
		"so has one that was resumed":  {at(time.Hour, onService(endpoints("pxc")), resumed), "wait ServiceNotReady: " + field},
		"what is wrong otherwise is said at once": {at(0, onService(endpoints("pxc")), func(w *world) { delete(w.objects, decision.Named[*corev1.Secret]("login")) }),
			"fail SecretNotFound: spec.targets[0].external.credentials"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(tt.changes...)
			w.in.Catalogue.Config.Timeouts = config.Default().Timeouts
			got := w.decide(t)
			if !strings.HasPrefix(words(got.State), tt.want) || got.Status.Resolved != nil || len(got.Actions) > 0 {
				t.Errorf("%s, resolved %v, actions %v; want %s", words(got.State), got.Status.Resolved, got.Actions, tt.want)
			}
		})
	}
}

// A run that was accepted waits for its Service as long as it may wait for nodes.
func TestAnAcceptedRunWaitsForItsService(t *testing.T) {
	cfg := config.Default()
	run := newWorld().in.Run
	for age, want := range map[time.Duration]string{
		cfg.Timeouts.Queue.Duration:               "wait ServiceNotReady: not ready",
		cfg.Timeouts.Queue.Duration + time.Second: "fail DeadlineExceeded: no nodes within 168h0m0s: not ready",
	} {
		run.Status.AcceptedTime = &metav1.Time{Time: now.Add(-age)}
		if got := words(AwaitService(run, "not ready", cfg, now)); got != want {
			t.Errorf("after %s: %s, want %s", age, got, want)
		}
	}
}

// Where the cluster chooses the shapes, clients are apart from the servers of others if any node is left for them.
func TestChosenShapesAreApartFromServices(t *testing.T) {
	sized := func(name, cpu, memory string) corev1.Node {
		return corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: corev1.NodeStatus{
			Conditions:  []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
			Allocatable: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory)},
		}}
	}
	node := func(name string) corev1.Node { return sized(name, "4", "8Gi") }
	for name, tt := range map[string]struct {
		nodes []corev1.Node
		want  v1alpha1.Separation
	}{
		"another node":                               {[]corev1.Node{node("a"), node("b")}, v1alpha1.SeparationRequired},
		"the node of the servers":                    {[]corev1.Node{node("a")}, v1alpha1.SeparationNone},
		"another node, without room for the clients": {[]corev1.Node{node("a"), sized("b", "500m", "1Gi")}, v1alpha1.SeparationNone},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(onService(endpoints("pxc", "a")), spec(func(s *v1alpha1.BenchmarkRunSpec) { s.Clients.Shape, s.Clients.Count = nil, 8 }))
			w.nodes = tt.nodes
			got := w.decide(t)
			if got.Status.Resolved == nil || got.Status.Resolved.SeparateFromTargets != tt.want {
				t.Errorf("%s: %+v, want %s", words(got.State), got.Status.Resolved, tt.want)
			}
		})
	}
}
