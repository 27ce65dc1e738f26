package quota

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/config"
)

// runOf two targets, one with two replicas, and three clients.
func runOf(change ...func(*v1alpha1.BenchmarkRun)) *v1alpha1.BenchmarkRun {
	run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "run", UID: "0123456789"}}
	shape := func(cpu, memory string) *v1alpha1.InstanceShapeSpec {
		return &v1alpha1.InstanceShapeSpec{CPU: resource.MustParse(cpu), Memory: resource.MustParse(memory)}
	}
	one := v1alpha1.MySQLTarget{Flavor: "MySQL", Version: "8.4", Storage: v1alpha1.Storage{Medium: v1alpha1.MediumVolume, Size: resource.MustParse("10Gi"), StorageClassName: new("fast")}}
	two := *one.DeepCopy()
	two.Storage.StorageClassName = nil
	two.Replication = &v1alpha1.Replication{Replicas: 2}
	run.Spec.Targets = []v1alpha1.Target{{Name: "one", MySQL: &one}, {Name: "two", MySQL: &two}}
	run.Spec.Clients.Count = 3
	run.Status.Resolved = &v1alpha1.Resolved{
		AgentResources: v1alpha1.AgentResources{CPU: resource.MustParse("250m"), Memory: resource.MustParse("512Mi")}, ClientShape: *shape("750m", "512Mi"),
		Targets: []v1alpha1.ResolvedTarget{{Name: "one", Shape: shape("2", "4Gi")}, {Name: "two", Shape: shape("1", "2Gi")}},
	}
	for _, c := range change {
		c(run)
	}
	return run
}

func inTurn(run *v1alpha1.BenchmarkRun) { run.Spec.Design.IdleTargets = v1alpha1.IdleStopped }

func retained(run *v1alpha1.BenchmarkRun) { run.Spec.Targets[0].MySQL.Storage.Retain = true }

func fromRun(run *v1alpha1.BenchmarkRun) {
	run.Spec.Targets[0].MySQL.Storage.FromRun = &v1alpha1.RetainedVolume{Name: "first"}
	run.Status.Resolved.Targets[0].Retained = &v1alpha1.ResolvedVolume{ClaimName: "data"}
}

func of(run *v1alpha1.BenchmarkRun) Demand { return Of(run, config.Default().Pods, false) }

// quotaOf a bound, of which some is used.
func quotaOf(name corev1.ResourceName, hard, used string, change ...func(*corev1.ResourceQuota)) []corev1.ResourceQuota {
	q := corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "q"}}
	q.Spec.Hard = corev1.ResourceList{name: resource.MustParse(hard)}
	q.Status.Used = corev1.ResourceList{name: resource.MustParse(used)}
	for _, c := range change {
		c(&q)
	}
	return []corev1.ResourceQuota{q}
}

func scoped(scopes ...corev1.ResourceQuotaScope) func(*corev1.ResourceQuota) {
	return func(q *corev1.ResourceQuota) { q.Spec.Scopes = scopes }
}

func selecting(scope corev1.ResourceQuotaScope, operator corev1.ScopeSelectorOperator) func(*corev1.ResourceQuota) {
	return func(q *corev1.ResourceQuota) {
		q.Spec.ScopeSelector = &corev1.ScopeSelector{MatchExpressions: []corev1.ScopedResourceSelectorRequirement{{ScopeName: scope, Operator: operator}}}
	}
}

// A quota that is smaller than what the run has at a time is named with who needs how much of it; one that is as large is not.
func TestExceeds(t *testing.T) {
	for name, tt := range map[string]struct {
		run    *v1alpha1.BenchmarkRun
		quotas []corev1.ResourceQuota
		want   []string
	}{
		"none":                      {run: runOf()},
		"CPU that is enough":        {run: runOf(), quotas: quotaOf("requests.cpu", "8", "0")},
		"CPU":                       {run: runOf(), quotas: quotaOf("requests.cpu", "7999m", "0"), want: []string{"ResourceQuota q: requests.cpu: the run needs 8 at a time (target one 2, target two 1, 2 replicas of target two 2, 3 clients 3), and 7999m is allowed"}},
		"CPU, plainly":              {run: runOf(), quotas: quotaOf("cpu", "7", "0"), want: []string{"ResourceQuota q: cpu: the run needs 8 at a time (target one 2, target two 1, 2 replicas of target two 2, 3 clients 3), and 7 is allowed"}},
		"memory limits":             {run: runOf(), quotas: quotaOf("limits.memory", "12Gi", "0"), want: []string{"ResourceQuota q: limits.memory: the run needs 13Gi at a time (target one 4Gi, target two 2Gi, 2 replicas of target two 4Gi, 3 clients 3Gi), and 12Gi is allowed"}},
		"CPU of some in turn":       {run: runOf(inTurn), quotas: quotaOf("requests.cpu", "5", "0"), want: []string{"ResourceQuota q: requests.cpu: the run needs 6 at a time (target one 2, target two 1, 2 replicas of target two 2, 3 clients 3; the targets take turns), and 5 is allowed"}},
		"pods":                      {run: runOf(), quotas: quotaOf("pods", "6", "0"), want: []string{"ResourceQuota q: pods: the run needs 7 at a time (target one 1, target two 1, 2 replicas of target two 2, 3 clients 3), and 6 is allowed"}},
		"storage, in turn too":      {run: runOf(inTurn), quotas: quotaOf("requests.storage", "30Gi", "0"), want: []string{"ResourceQuota q: requests.storage: the run needs 40Gi at a time (target one 10Gi, target two 10Gi, 2 replicas of target two 20Gi), and 30Gi is allowed"}},
		"storage of a class":        {run: runOf(), quotas: quotaOf("fast.storageclass.storage.k8s.io/requests.storage", "5Gi", "0"), want: []string{"ResourceQuota q: fast.storageclass.storage.k8s.io/requests.storage: the run needs 10Gi at a time (target one 10Gi), and 5Gi is allowed"}},
		"claims":                    {run: runOf(), quotas: quotaOf("persistentvolumeclaims", "3", "0"), want: []string{"ResourceQuota q: persistentvolumeclaims: the run needs 4 at a time (target one 1, target two 1, 2 replicas of target two 2), and 3 is allowed"}},
		"claims that are retained":  {run: runOf(retained), quotas: quotaOf("requests.storage", "39Gi", "0"), want: []string{"ResourceQuota q: requests.storage: the run needs 40Gi at a time (target one 10Gi, target two 10Gi, 2 replicas of target two 20Gi), and 39Gi is allowed"}},
		"a claim of an earlier run": {run: runOf(fromRun), quotas: quotaOf("requests.storage", "29Gi", "0"), want: []string{"ResourceQuota q: requests.storage: the run needs 30Gi at a time (target two 10Gi, 2 replicas of target two 20Gi), and 29Gi is allowed"}},
		"all objects of a kind":     {run: runOf(), quotas: quotaOf("count/pods", "1", "0")},
		"what no run has":           {run: runOf(), quotas: quotaOf("requests.nvidia.com/gpu", "0", "0")},
		"that does not end":         {run: runOf(), quotas: quotaOf("pods", "1", "0", scoped(corev1.ResourceQuotaScopeNotTerminating, corev1.ResourceQuotaScopeNotBestEffort)), want: []string{"ResourceQuota q: pods: the run needs 7 at a time (target one 1, target two 1, 2 replicas of target two 2, 3 clients 3), and 1 is allowed"}},
		"of pods that end":          {run: runOf(), quotas: quotaOf("pods", "1", "0", scoped(corev1.ResourceQuotaScopeTerminating))},
		"of pods without a request": {run: runOf(), quotas: quotaOf("pods", "1", "0", selecting(corev1.ResourceQuotaScopeBestEffort, corev1.ScopeSelectorOpExists))},
		"of a priority class":       {run: runOf(), quotas: quotaOf("pods", "1", "0", selecting(corev1.ResourceQuotaScopePriorityClass, corev1.ScopeSelectorOpIn))},
		"of all with a request":     {run: runOf(), quotas: quotaOf("persistentvolumeclaims", "1", "0", selecting(corev1.ResourceQuotaScopeNotBestEffort, corev1.ScopeSelectorOpExists)), want: []string{"ResourceQuota q: persistentvolumeclaims: the run needs 4 at a time (target one 1, target two 1, 2 replicas of target two 2), and 1 is allowed"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, of(tt.run).Exceeds(tt.quotas)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What a run has of its pods and volumes, the quota has counted already; the rest it will still need. Those in front count whole.
func TestWaits(t *testing.T) {
	labels := func(role, target string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Labels: map[string]string{v1alpha1.LabelRole: role, v1alpha1.LabelTarget: target}}
	}
	pod := func(role, target string, phase corev1.PodPhase) corev1.Pod {
		return corev1.Pod{ObjectMeta: labels(role, target), Status: corev1.PodStatus{Phase: phase}}
	}
	fresh, turns := Taking{Demand: of(runOf())}, Taking{Demand: of(runOf(inTurn))}
	loading := fresh // its five CPUs of databases exist, and a client that has ended; its three clients do not
	loading.Pods = []corev1.Pod{
		pod(v1alpha1.RoleTarget, "one", corev1.PodRunning), pod(v1alpha1.RoleTarget, "two", corev1.PodPending), pod(v1alpha1.RoleReplica, "two", corev1.PodRunning),
		pod(v1alpha1.RoleReplica, "two", corev1.PodRunning), pod(v1alpha1.RoleClient, "one", corev1.PodSucceeded),
	}
	for _, meta := range []metav1.ObjectMeta{labels(v1alpha1.RoleTarget, "one"), labels(v1alpha1.RoleTarget, "two"), labels(v1alpha1.RoleReplica, "two")} {
		loading.Sets = append(loading.Sets, appsv1.StatefulSet{ObjectMeta: meta, Status: appsv1.StatefulSetStatus{ObservedGeneration: 1}})
	}
	loading.Sets = append(loading.Sets, appsv1.StatefulSet{ObjectMeta: labels(v1alpha1.RoleReplica, "two")}) // has no claim yet
	for name, tt := range map[string]struct {
		quotas []corev1.ResourceQuota
		with   []Taking
		before []Demand
		want   []string
	}{
		"room":                      {quotas: quotaOf("requests.cpu", "10", "2")},
		"none":                      {quotas: quotaOf("requests.cpu", "10", "3"), want: []string{"ResourceQuota q: requests.cpu: the run needs 8, and of 10 others have or wait for 3"}},
		"another has no pods yet":   {quotas: quotaOf("requests.cpu", "15", "0"), with: []Taking{fresh}, want: []string{"ResourceQuota q: requests.cpu: the run needs 8, and of 15 others have or wait for 8"}},
		"another lacks its clients": {quotas: quotaOf("requests.cpu", "15", "5"), with: []Taking{loading}, want: []string{"ResourceQuota q: requests.cpu: the run needs 8, and of 15 others have or wait for 8"}},
		"beside pods of no run":     {quotas: quotaOf("requests.cpu", "20", "13"), with: []Taking{loading}, want: []string{"ResourceQuota q: requests.cpu: the run needs 8, and of 20 others have or wait for 16"}},
		"room beside that one":      {quotas: quotaOf("requests.cpu", "16", "5"), with: []Taking{loading}},
		"volumes that exist":        {quotas: quotaOf("requests.storage", "70Gi", "30Gi"), with: []Taking{loading}, want: []string{"ResourceQuota q: requests.storage: the run needs 40Gi, and of 70Gi others have or wait for 40Gi"}},
		"targets that take turns":   {quotas: quotaOf("requests.cpu", "13", "0"), with: []Taking{turns}, want: []string{"ResourceQuota q: requests.cpu: the run needs 8, and of 13 others have or wait for 6"}},
		"one in front waits":        {quotas: quotaOf("requests.cpu", "10", "0"), before: []Demand{of(runOf())}, want: []string{"ResourceQuota q: requests.cpu: the run needs 8, and of 10 others have or wait for 8"}},
		"what it does not need":     {quotas: quotaOf("requests.nvidia.com/gpu", "1", "2")},
		"a quota for other pods":    {quotas: quotaOf("pods", "1", "1", scoped(corev1.ResourceQuotaScopeBestEffort))},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, of(runOf()).Waits(tt.quotas, nil, tt.with, tt.before)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Pods, containers and volumes outside of a limit range are named, those that Assay adds too.
func TestOutside(t *testing.T) {
	list := func(name corev1.ResourceName, q string) corev1.ResourceList {
		return corev1.ResourceList{name: resource.MustParse(q)}
	}
	for name, tt := range map[string]struct {
		item corev1.LimitRangeItem
		want []string
	}{
		"nothing":                 {},
		"a maximum that all keep": {item: corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, Max: list("cpu", "2"), Min: list("cpu", "100m")}},
		"a maximum":               {item: corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, Max: list("cpu", "1")}, want: []string{"LimitRange l: container server in a pod of target one: cpu is 2, and at most 1 is allowed (max)"}},
		"a minimum": {item: corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, Min: list("memory", "512Mi")}, want: []string{
			"LimitRange l: container agent in a pod of 2 replicas of target two: memory is 64Mi, and at least 512Mi is allowed (min)",
			"LimitRange l: container agent in a pod of target one: memory is 64Mi, and at least 512Mi is allowed (min)",
			"LimitRange l: container agent in a pod of target two: memory is 64Mi, and at least 512Mi is allowed (min)",
		}},
		"of whole pods": {item: corev1.LimitRangeItem{Type: corev1.LimitTypePod, Max: list("memory", "3Gi")}, want: []string{"LimitRange l: a pod of target one: memory is 4Gi, and at most 3Gi is allowed (max)"}},
		"of volumes": {item: corev1.LimitRangeItem{Type: corev1.LimitTypePersistentVolumeClaim, Max: list("storage", "8Gi"), Min: list("storage", "20Gi")}, want: []string{
			"LimitRange l: the volume of 2 replicas of target two: storage is 10Gi, and at least 20Gi is allowed (min)",
			"LimitRange l: the volume of 2 replicas of target two: storage is 10Gi, and at most 8Gi is allowed (max)",
			"LimitRange l: the volume of target one: storage is 10Gi, and at least 20Gi is allowed (min)",
			"LimitRange l: the volume of target one: storage is 10Gi, and at most 8Gi is allowed (max)",
			"LimitRange l: the volume of target two: storage is 10Gi, and at least 20Gi is allowed (min)",
			"LimitRange l: the volume of target two: storage is 10Gi, and at most 8Gi is allowed (max)",
		}},
		"a ratio that all keep": {item: corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, MaxLimitRequestRatio: list("cpu", "1")}},
		"a ratio": {item: corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, MaxLimitRequestRatio: list("ephemeral-storage", "3500m")}, want: []string{
			"LimitRange l: container agent in a pod of 2 replicas of target two: ephemeral-storage has a limit of 256Mi over a request of 64Mi, and at most 3500m times it is allowed (maxLimitRequestRatio)",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			l := corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Name: "l"}, Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{tt.item}}}
			got := of(runOf()).Outside([]corev1.LimitRange{l})
			if name == "a ratio" && len(got) > 1 { // of each container that has a limit of more than its request
				got = got[:1]
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The container that puts the agent into an image of the user is held against limit ranges, too.
func TestOutsideOfOwnImage(t *testing.T) {
	l := corev1.LimitRange{Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{Type: corev1.LimitTypeContainer, Min: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("200m")}}}}}
	run := runOf()
	run.Spec.Targets = nil
	if got := Of(run, config.Default().Pods, false).Outside([]corev1.LimitRange{l}); len(got) > 0 {
		t.Error(got)
	}
	if got := Of(run, config.Default().Pods, true).Outside([]corev1.LimitRange{l}); len(got) != 1 || !strings.Contains(got[0], "container install in a pod of 3 clients: cpu is 100m") {
		t.Error(got)
	}
}

// A namespace with very many bounds does not make a message of any length.
func TestSentence(t *testing.T) {
	for _, tt := range []struct {
		in   []string
		want string
	}{{nil, ""}, {[]string{"a", "b"}, "a; b"}, {[]string{"a", "b", "c", "d", "e", "f"}, "a; b; c; d; and 2 more"}} {
		if got := Sentence(tt.in); got != tt.want {
			t.Errorf("%q", got)
		}
	}
}
