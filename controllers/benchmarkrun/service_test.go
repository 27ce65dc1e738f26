package benchmarkrun

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/kubelet"
)

// operatorsDatabase is what an operator of databases makes: a pod with its labels, a Service, and what Kubernetes makes of the Service. It runs
// nothing.
func operatorsDatabase(t *testing.T, ns string) *corev1.Pod {
	t.Helper()
	if err := nodes(); err != nil {
		t.Fatal(err)
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "login"}, StringData: map[string]string{"username": "u", "password": "p"}}
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "shop-primary"}, Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Name: "mariadb", Port: 3306}}}}
	for _, o := range []client.Object{secret, service} {
		if err := server.API.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	return shopPod(t, ns, "node-target")
}

// shopPod is made on a node and leads the Service to itself, in the place of the one before it.
func shopPod(t *testing.T, ns, node string) *corev1.Pod {
	t.Helper()
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "shop-0", Labels: map[string]string{"app.kubernetes.io/name": "mariadb", "app.kubernetes.io/instance": "shop"}},
		Spec: corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{
			Name: "mariadb", Image: "mariadb:11.8", Ports: []corev1.ContainerPort{{ContainerPort: 3306}},
			Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2"), corev1.ResourceMemory: resource.MustParse("1Gi")}},
		}}},
	}
	if err := server.API.Create(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
	setRestarts(t, pod, 0)
	slice := shopSlice(ns)
	if err := client.IgnoreNotFound(server.API.Delete(t.Context(), slice.DeepCopy())); err != nil {
		t.Fatal(err)
	}
	slice.Endpoints = []discoveryv1.Endpoint{
		{Addresses: []string{"10.1.2.3"}, TargetRef: &corev1.ObjectReference{Kind: "Pod", Namespace: ns, Name: pod.Name, UID: pod.UID}},
		{Addresses: []string{"10.1.2.4"}, Conditions: discoveryv1.EndpointConditions{Ready: new(false)}},
	}
	if err := server.API.Create(t.Context(), slice); err != nil {
		t.Fatal(err)
	}
	return pod
}

// shopSlice leads nowhere yet.
func shopSlice(ns string) *discoveryv1.EndpointSlice {
	return &discoveryv1.EndpointSlice{
		ObjectMeta:  metav1.ObjectMeta{Namespace: ns, Name: "shop-primary-abc", Labels: map[string]string{discoveryv1.LabelServiceName: "shop-primary"}},
		AddressType: discoveryv1.AddressTypeIPv4, Ports: []discoveryv1.EndpointPort{{Name: new("mariadb"), Port: new(int32(3306)), Protocol: new(corev1.ProtocolTCP)}},
	}
}

// setRestarts of the server in the pod.
func setRestarts(t *testing.T, pod *corev1.Pod, restarts int32) {
	pod = pod.DeepCopy()
	pod.Status.Phase, pod.Status.QOSClass = corev1.PodRunning, corev1.PodQOSGuaranteed
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "mariadb", Image: "mariadb:11.8", ImageID: "mariadb@sha256:1", RestartCount: restarts}}
	pod.ResourceVersion = ""
	if err := server.API.Status().Update(t.Context(), pod); err != nil {
		t.Error(err)
	}
}

// onService measures behind the Service, with clients that any node may have.
func onService(r *v1alpha1.BenchmarkRun) {
	r.Spec.Targets = []v1alpha1.Target{{Name: "db", External: &v1alpha1.ExternalTarget{
		ServiceRef: &v1alpha1.ServiceRef{Name: "shop-primary"}, TLS: v1alpha1.TLSDisabled, InsecureSkipVerify: true, Credentials: corev1.LocalObjectReference{Name: "login"},
	}}}
	r.Spec.Clients.Shape.Inline.NodeSelector = nil
}

// What is behind a Service stands in the status, clients stay off its node, and a restart during a trial disturbs this trial alone.
func TestADatabaseBehindAService(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	pod := operatorsDatabase(t, ns)
	startManager(t, ns, nil)
	var told diary
	good := delivers(always(1))
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: told.of(func(trial contract.Trial) *contract.Result {
		if isTrial(trial, 1) {
			setRestarts(t, pod, 1)
		}
		return good(trial)
	})})
	run := newRun(t, ns, onService)
	create(t, run)
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))

	found := got.Status.Resolved.Targets[0].Service
	if found == nil || len(found.ClusterIPs) != 1 {
		t.Fatalf("nothing is resolved, or no address: %+v", found)
	}
	want := &v1alpha1.ResolvedService{Name: "shop-primary", ClusterIPs: found.ClusterIPs, PodPorts: []int32{3306}, Pods: []v1alpha1.ServicePod{{
		Name: "shop-0", UID: string(pod.UID), NodeName: "node-target", Labels: map[string]string{"name": "mariadb", "instance": "shop"}, QOSClass: "Guaranteed",
		Container: "mariadb", Image: "mariadb:11.8", ImageID: "mariadb@sha256:1", CPURequest: "2", CPULimit: "2", MemoryRequest: "1Gi", MemoryLimit: "1Gi", RestartCount: new(int32(0)),
	}}}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
	st := got.TargetStatus("db")
	if st.Address != "shop-primary."+ns+".svc:3306" || st.NodeName != "node-target" || st.ImageID != "mariadb@sha256:1" {
		t.Errorf("status of the target %+v", st)
	}
	if first := told.phase(contract.PhaseRun)[0].Endpoint; first.Host != "shop-primary."+ns+".svc" || first.Port != 3306 {
		t.Errorf("clients connect to %+v", first)
	}
	p := got.Status.Placement
	if !slices.Equal(p.ServiceNodeNames, []string{"node-target"}) || slices.Contains(p.ClientNodeNames, "node-target") || got.Status.Resolved.SeparateFromTargets != v1alpha1.SeparationRequired {
		t.Errorf("placement %+v: the node of the server is not held, or has a client", p)
	}
	if !slices.ContainsFunc(got.Status.Nodes, func(n v1alpha1.NodeInfo) bool { return n.Name == "node-target" && n.InstanceType == "type-t" }) {
		t.Errorf("nodes %+v lack that of the server", got.Status.Nodes)
	}
	recs := records(t, got)
	for i, disturbed := range []bool{false, true, false} {
		at := slices.IndexFunc(recs[i].Findings, func(f contract.RecordedFinding) bool { return f.Check == "service-pods-changed" })
		if recs[i].Disturbed != disturbed || (at >= 0) != disturbed || recs[i].TargetNodeName != "node-target" {
			t.Errorf("trial %d: disturbed %v on %q, findings %+v", i, recs[i].Disturbed, recs[i].TargetNodeName, recs[i].Findings)
		}
		if text := "container mariadb of pod shop-0 started again: 0 restarts became 1"; disturbed && !strings.Contains(recs[i].Findings[max(at, 0)].Message, text) {
			t.Errorf("findings %+v lack %q", recs[i].Findings, text)
		}
	}
	checkReachesPods(t, got)
}

// checkReachesPods: the policy of the clients allows the address of the Service, and the port of pods of the namespace.
func checkReachesPods(t *testing.T, run *v1alpha1.BenchmarkRun) {
	t.Helper()
	var policy networkingv1.NetworkPolicy
	if err := server.API.Get(t.Context(), client.ObjectKey{Namespace: run.Namespace, Name: contract.ClientName(run.Name)}, &policy); err != nil {
		t.Fatal(err)
	}
	ip := run.Status.Resolved.Targets[0].Service.ClusterIPs[0] + "/32"
	for what, is := range map[string]func(networkingv1.NetworkPolicyPeer) bool{
		"the address of the Service": func(p networkingv1.NetworkPolicyPeer) bool { return p.IPBlock != nil && p.IPBlock.CIDR == ip },
		"pods of the namespace": func(p networkingv1.NetworkPolicyPeer) bool {
			return p.PodSelector != nil && len(p.PodSelector.MatchLabels) == 0 && p.NamespaceSelector == nil
		},
	} {
		if !slices.ContainsFunc(policy.Spec.Egress, func(r networkingv1.NetworkPolicyEgressRule) bool {
			return slices.ContainsFunc(r.To, is) && len(r.Ports) == 1 && r.Ports[0].Port.IntVal == 3306
		}) {
			t.Errorf("%s: no rule of %+v", what, policy.Spec.Egress)
		}
	}
}

// A run holds the node of a server that somebody else runs: another run that measures the same server waits for it.
func TestRunsOnOneServiceTakeTurns(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	operatorsDatabase(t, ns)
	startManager(t, ns, nil)
	gated, open := gatedClient(t, delivers(always(1)))
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: gated})
	first, second := newRun(t, ns, onService), newRun(t, ns, onService, func(r *v1alpha1.BenchmarkRun) { r.Name = "second" })
	create(t, first)
	await(t, first, "measuring", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Phase == v1alpha1.PhaseMeasuring })
	create(t, second)
	await(t, second, "queued behind the node of the server", func(r *v1alpha1.BenchmarkRun) bool {
		c := apimeta.FindStatusCondition(r.Status.Conditions, v1alpha1.ConditionPlaced)
		return c != nil && c.Reason == v1alpha1.ReasonQueued && strings.Contains(c.Message, "node node-target is held by "+ns+"/run")
	})
	open()
	await(t, first, "Complete", isTrue(v1alpha1.ConditionComplete))
	await(t, second, "Complete", isTrue(v1alpha1.ConditionComplete))
}

// unready says whether a condition of a run waits for the Service.
func unready(condition string) func(*v1alpha1.BenchmarkRun) bool {
	return func(r *v1alpha1.BenchmarkRun) bool {
		c := apimeta.FindStatusCondition(r.Status.Conditions, condition)
		return c != nil && c.Status == metav1.ConditionFalse && c.Reason == v1alpha1.ReasonServiceNotReady && strings.Contains(c.Message, `external.serviceRef: Service "shop-primary" cannot be measured`)
	}
}

// A run that is created together with its database waits until this is ready.
func TestARunIsCreatedBeforeItsDatabaseIsReady(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	pod := operatorsDatabase(t, ns)
	if err := server.API.Delete(t.Context(), shopSlice(ns)); err != nil {
		t.Fatal(err)
	}
	startManager(t, ns, nil)
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: delivers(always(1))})
	run := newRun(t, ns, onService)
	create(t, run)
	await(t, run, "waiting for the Service", unready(v1alpha1.ConditionAccepted))
	removePod(t, pod)
	pod = shopPod(t, ns, "node-target")
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	if found := got.Status.Resolved.Targets[0].Service; found == nil || len(found.Pods) != 1 || found.Pods[0].UID != string(pod.UID) {
		t.Errorf("found %+v, not the pod %s", found, pod.UID)
	}
}

// removePod at once.
func removePod(t *testing.T, pod *corev1.Pod) {
	t.Helper()
	if err := server.API.Delete(t.Context(), pod.DeepCopy(), client.GracePeriodSeconds(0)); err != nil {
		t.Fatal(err)
	}
}

// A run that waited holds the node on which the server is when it gets its nodes, and not the one of its acceptance.
func TestAQueuedRunLooksBehindItsServiceAgain(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	pod := operatorsDatabase(t, ns)
	startManager(t, ns, nil)
	gated, open := gatedClient(t, delivers(always(1)))
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: gated})
	first, second := newRun(t, ns), newRun(t, ns, onService, func(r *v1alpha1.BenchmarkRun) { r.Name = "second" })
	create(t, first)
	await(t, first, "measuring", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Phase == v1alpha1.PhaseMeasuring })
	create(t, second)
	await(t, second, "queued", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Phase == v1alpha1.PhaseQueued })
	removePod(t, pod)
	open()
	await(t, first, "Complete", isTrue(v1alpha1.ConditionComplete))
	await(t, second, "waiting for the Service", unready(v1alpha1.ConditionPlaced))
	pod = shopPod(t, ns, "node-client")
	got := await(t, second, "Complete", isTrue(v1alpha1.ConditionComplete))
	if p := got.Status.Placement; !slices.Equal(p.ServiceNodeNames, []string{"node-client"}) || len(p.ClientNodeNames) != 1 || p.ClientNodeNames[0] == "node-client" { // other tests have nodes, too
		t.Errorf("placement %+v", p)
	}
	if found := got.Status.Resolved.Targets[0].Service.Pods; len(found) != 1 || found[0].UID != string(pod.UID) || found[0].NodeName != "node-client" {
		t.Errorf("found %+v, not the pod %s", found, pod.UID)
	}
	if st := got.TargetStatus("db"); st.NodeName != "node-client" || st.LoadResult == "" {
		t.Errorf("status of the target %+v", st)
	}
	var said []string
	for _, f := range got.Status.Findings {
		if strings.HasPrefix(f.Check, "service-") {
			said = append(said, f.Check+" "+f.Message)
		}
	}
	if len(said) != 1 || !strings.HasPrefix(said[0], "service-pods 1 pod behind Service shop-primary: shop-0 on node-client with cpu limit 2") {
		t.Errorf("findings %q", said)
	}
	for i, rec := range records(t, got) {
		if rec.Disturbed || rec.TargetNodeName != "node-client" {
			t.Errorf("trial %d: disturbed %v, on %q", i, rec.Disturbed, rec.TargetNodeName)
		}
	}
}

// Where InstanceShapes are fences, a run holds no node behind a Service that no shape offers.
func TestNodesThatNoShapeOffersAreNotHeld(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	operatorsDatabase(t, ns)
	shape := func(kind string) string {
		s := &v1alpha1.InstanceShape{ObjectMeta: metav1.ObjectMeta{Name: ns + "-" + kind}, Spec: *inline(kind).Inline}
		if err := server.API.Create(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		return s.Name
	}
	client := shape("c")
	startManager(t, ns, nil, func(r *Reconciler) { r.Config.Shapes.Inline = config.InlineDeny })
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: delivers(always(1))})
	run := newRun(t, ns, onService, func(r *v1alpha1.BenchmarkRun) { r.Spec.Clients.Shape = &v1alpha1.ShapeRef{Name: client} })
	create(t, run)
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	if p := got.Status.Placement; len(p.ServiceNodeNames) != 0 {
		t.Errorf("holds %v, which no shape offers", p.ServiceNodeNames)
	}
	for i, rec := range records(t, got) {
		if !slices.ContainsFunc(rec.Findings, func(f contract.RecordedFinding) bool {
			return f.Check == "service-pods-moved" && strings.HasSuffix(f.Message, "shop-0 on node-target")
		}) {
			t.Errorf("trial %d does not say it: %+v", i, rec.Findings)
		}
	}
	shape("t")
	other := newRun(t, ns, onService, func(r *v1alpha1.BenchmarkRun) {
		r.Name, r.Spec.Clients.Shape = "other", &v1alpha1.ShapeRef{Name: client}
	})
	create(t, other)
	if p := await(t, other, "Complete", isTrue(v1alpha1.ConditionComplete)).Status.Placement; !slices.Equal(p.ServiceNodeNames, []string{"node-target"}) {
		t.Errorf("holds %v, want node-target", p.ServiceNodeNames)
	}
}

// A Service that is not there is a refusal that names the field.
func TestAServiceThatIsNotThere(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	operatorsDatabase(t, ns)
	startManager(t, ns, nil)
	run := newRun(t, ns, onService, func(r *v1alpha1.BenchmarkRun) { r.Spec.Targets[0].External.ServiceRef.Name = "other" })
	create(t, run)
	got := await(t, run, "Failed", isTrue(v1alpha1.ConditionFailed))
	c := apimeta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionAccepted)
	if c == nil || c.Reason != v1alpha1.ReasonServiceNotFound || !strings.Contains(c.Message, `spec.targets[0].external.serviceRef: there is no Service "other" in namespace `+ns) {
		t.Errorf("Accepted %+v", c)
	}
}
