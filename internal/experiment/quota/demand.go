package quota

import (
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	podresources "k8s.io/component-helpers/resource"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
)

// Demand is what a run needs at the same time.
type Demand struct {
	groups []group
	// inTurn: the databases of one target run at a time.
	inTurn bool
	// total of each resource at the same time: a run may be counted beside a thousand others.
	total corev1.ResourceList
}

// group of pods that are alike.
type group struct {
	what string
	// role and target of the pods, as their labels have them; the clients have no target.
	role, target string
	count        int
	spec         corev1.PodSpec
	claims       []corev1.PersistentVolumeClaim
	// pod is what each pod needs while it runs, kept what its volume needs, also while it is stopped.
	pod, kept corev1.ResourceList
}

// Of is the demand of a run that was accepted. Pods is what they may use beside their shapes. OwnImage: the clients have an image of
// the user.
func Of(run *v1alpha1.BenchmarkRun, pods config.Pods, ownImage bool) Demand {
	d := Demand{inTurn: run.Spec.Design.IdleTargets == v1alpha1.IdleStopped}
	for _, t := range run.Provided() {
		of := resources.Primary(run, t)
		of.Pods = pods
		d.groups = append(d.groups, databases("target "+t.Name, 1, of))
		if n := run.Spec.FurtherServers(t); n > 0 {
			of.Replica = new(0)
			what := "replica"
			if t.OwnServers() {
				what = "further server"
			}
			d.groups = append(d.groups, databases(counted(n, what)+" of target "+t.Name, n, of))
		}
	}
	c := resources.Client{
		Run: run, Shape: run.Status.Resolved.ClientShape, Pods: pods, Trial: contract.Trial{Clients: run.ClientCount()},
		Agent: resources.Agent{Image: run.Status.Resolved.AgentImage, Shape: resources.AgentShape(run)},
	}
	if ownImage {
		c.UseImage(corev1.PullIfNotPresent, nil)
	}
	spec := c.Job().Spec.Template.Spec
	d.groups = append(d.groups, group{what: counted(run.ClientCount(), "client"), role: v1alpha1.RoleClient, count: run.ClientCount(), spec: spec, pod: needs(spec)})
	d.total = corev1.ResourceList{}
	for _, g := range d.groups {
		for _, list := range []corev1.ResourceList{g.pod, g.kept} {
			for name := range list {
				d.total[name] = d.sum(name)
			}
		}
	}
	return d
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func databases(what string, n int, of resources.Target) group {
	set := of.StatefulSet()
	role := set.Labels[v1alpha1.LabelRole]
	spec, claims := set.Spec.Template.Spec, set.Spec.VolumeClaimTemplates
	if of.Spec.OwnsClaim() { // that of another run is there already
		claims = append(claims, *resources.Volume{Of: of}.Claim())
	}
	return group{what: what, role: role, target: of.Spec.Name, count: n, spec: spec, claims: claims, pod: needs(spec), kept: stored(claims)}
}

var one = resource.MustParse("1")

// needs of a pod, under the names of quotas. Each of its containers has a request and a limit for CPU, memory and ephemeral storage, and a
// server one for huge pages, where its shape has some.
func needs(spec corev1.PodSpec) corev1.ResourceList {
	pod := &corev1.Pod{Spec: spec}
	requests := podresources.PodRequests(pod, podresources.PodResourcesOptions{})
	limits := podresources.PodLimits(pod, podresources.PodResourcesOptions{})
	out := corev1.ResourceList{corev1.ResourcePods: one}
	for name, request := range requests {
		out[name], out["requests."+name], out["limits."+name] = request, request, limits[name]
	}
	return out
}

// stored is what claims need.
func stored(claims []corev1.PersistentVolumeClaim) corev1.ResourceList {
	out := corev1.ResourceList{}
	for _, c := range claims {
		size := c.Spec.Resources.Requests[corev1.ResourceStorage]
		add(out, corev1.ResourcePersistentVolumeClaims, one)
		add(out, corev1.ResourceRequestsStorage, size)
		if class := c.Spec.StorageClassName; class != nil { // admission decides the class of the others
			add(out, corev1.ResourceName(*class+ofClass)+corev1.ResourcePersistentVolumeClaims, one)
			add(out, corev1.ResourceName(*class+ofClass)+corev1.ResourceRequestsStorage, size)
		}
	}
	return out
}

// ofClass stands between a storage class and the resource that a quota limits for it.
const ofClass = ".storageclass.storage.k8s.io/"

func add(to corev1.ResourceList, name corev1.ResourceName, more resource.Quantity) {
	sum := to[name]
	sum.Add(more)
	to[name] = sum
}

func times(n int, q resource.Quantity) resource.Quantity {
	q = q.DeepCopy()
	q.Mul(int64(n))
	return q
}

// sum of a resource that is needed at the same time.
func (d Demand) sum(name corev1.ResourceName) (sum resource.Quantity) {
	var largest resource.Quantity
	turns := corev1.ResourceList{}
	for _, g := range d.groups {
		sum.Add(times(g.count, g.kept[name]))
		if running := times(g.count, g.pod[name]); d.inTurn && g.target != "" {
			add(turns, corev1.ResourceName(g.target), running) // its further servers run with it
		} else {
			sum.Add(running)
		}
	}
	for _, turn := range turns {
		if turn.Cmp(largest) > 0 {
			largest = turn
		}
	}
	sum.Add(largest)
	return sum
}

// by whom a resource is needed, in words.
func (d Demand) by(name corev1.ResourceName) string {
	var parts []string
	turns := false
	for _, g := range d.groups {
		running, all := g.pod[name], times(g.count, g.pod[name])
		all.Add(times(g.count, g.kept[name]))
		if !all.IsZero() {
			parts = append(parts, g.what+" "+all.String())
		}
		turns = turns || d.inTurn && g.target != "" && !running.IsZero()
	}
	text := strings.Join(parts, ", ")
	if turns {
		text += "; the targets take turns"
	}
	return text
}

// Taking is a run that has its nodes, with the pods and StatefulSets of it that exist: a quota has counted these.
type Taking struct {
	Demand Demand
	Pods   []corev1.Pod
	Sets   []appsv1.StatefulSet
}

// pending of a resource is what the run will need beside what a quota has counted.
func (t Taking) pending(name corev1.ResourceName) resource.Quantity {
	rest := t.Demand.total[name].DeepCopy()
	for _, g := range t.Demand.groups {
		for i := range t.Pods {
			if p := &t.Pods[i]; g.has(p.Labels) && p.Status.Phase != corev1.PodSucceeded && p.Status.Phase != corev1.PodFailed {
				rest.Sub(g.pod[name])
			}
		}
		for i := range t.Sets {
			// Its controller makes the claims before it says that it has seen the set.
			if g.has(t.Sets[i].Labels) && t.Sets[i].Status.ObservedGeneration > 0 {
				rest.Sub(g.kept[name])
			}
		}
	}
	if rest.Sign() < 0 {
		return resource.Quantity{}
	}
	return rest
}

// has an object with these labels. A placeholder takes what the pod will whose place it keeps; those of further servers are as large as that of
// the first.
func (g group) has(labels map[string]string) bool {
	if labels[v1alpha1.LabelRole] == v1alpha1.RolePlaceholder {
		return g.role != v1alpha1.RoleReplica && g.role != v1alpha1.RoleTenant && labels[v1alpha1.LabelTarget] == g.target
	}
	return labels[v1alpha1.LabelRole] == g.role && (g.target == "" || labels[v1alpha1.LabelTarget] == g.target)
}
