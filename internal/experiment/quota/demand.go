package quota

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	podresources "k8s.io/component-helpers/resource"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
)

// Demand is what the objects of a run need at the same time.
type Demand struct {
	groups []group
	// inTurn: of the databases, one runs at a time.
	inTurn bool
}

// group of pods that are alike.
type group struct {
	what     string
	database bool
	spec     corev1.PodSpec
	// running is what all pods of the group need while they run, kept what stays when they are stopped.
	running, kept corev1.ResourceList
	claims        []corev1.PersistentVolumeClaim
}

// Of is the demand of a run that was accepted. Pods is what they may use beside their shapes.
func Of(run *v1alpha1.BenchmarkRun, pods config.Pods) Demand {
	d := Demand{inTurn: run.Spec.Design.IdleTargets == v1alpha1.IdleStopped}
	for _, t := range run.Provided() {
		of := resources.Primary(run, t)
		of.Pods = pods
		d.groups = append(d.groups, databases("target "+t.Name, 1, of))
		if n := t.Replicas(); n > 0 {
			of.Replica = new(0)
			d.groups = append(d.groups, databases(counted(n, "replica")+" of target "+t.Name, n, of))
		}
	}
	n := run.ClientCount()
	job := resources.Client{
		Run: run, Shape: run.Status.Resolved.ClientShape, Pods: pods, Trial: contract.Trial{Clients: n},
		Agent: resources.Agent{Image: run.Status.Resolved.AgentImage, Shape: resources.AgentShape(run)},
	}.Job()
	clients := group{what: counted(n, "client"), spec: job.Spec.Template.Spec}
	clients.running = times(n, needs(clients.spec))
	clients.running["count/jobs.batch"] = *resource.NewQuantity(1, resource.DecimalSI)
	d.groups = append(d.groups, clients)
	return d
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// databases of one target, each with the objects that Assay makes beside it.
func databases(what string, n int, of resources.Target) group {
	set := of.StatefulSet()
	g := group{what: what, database: true, spec: set.Spec.Template.Spec, claims: set.Spec.VolumeClaimTemplates}
	g.running, g.kept = times(n, needs(g.spec)), times(n, stays(g.claims))
	if of.Replica == nil {
		g.kept[corev1.ResourceSecrets] = *resource.NewQuantity(1, resource.DecimalSI) // replicas share it
	}
	return g
}

// sized are the resources that a pod requests and is limited by.
var sized = []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage}

// needs of a pod, under the names of quotas.
func needs(spec corev1.PodSpec) corev1.ResourceList {
	pod := &corev1.Pod{Spec: spec}
	requests := podresources.PodRequests(pod, podresources.PodResourcesOptions{})
	limits := podresources.PodLimits(pod, podresources.PodResourcesOptions{})
	out := corev1.ResourceList{corev1.ResourcePods: resource.MustParse("1")}
	for _, name := range sized {
		out[name], out["requests."+name], out["limits."+name] = requests[name], requests[name], limits[name]
	}
	return out
}

// stays of a database while it is stopped: its claims, its Service and its StatefulSet.
func stays(claims []corev1.PersistentVolumeClaim) corev1.ResourceList {
	one := resource.MustParse("1")
	out := corev1.ResourceList{corev1.ResourceServices: one, "count/statefulsets.apps": one}
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

func times(n int, each corev1.ResourceList) corev1.ResourceList {
	out := corev1.ResourceList{}
	for name, q := range each {
		q = q.DeepCopy()
		q.Mul(int64(n))
		out[name] = q
	}
	return out
}

// of a resource: what is needed at the same time, and by whom.
func (d Demand) of(name corev1.ResourceName) (resource.Quantity, string) {
	var sum, largest resource.Quantity
	var parts []string
	for _, g := range d.groups {
		running, kept := g.running[name], g.kept[name]
		sum.Add(kept)
		if d.inTurn && g.database {
			if running.Cmp(largest) > 0 {
				largest = running
			}
		} else {
			sum.Add(running)
		}
		running.Add(kept)
		if !running.IsZero() {
			parts = append(parts, g.what+" "+running.String())
		}
	}
	sum.Add(largest)
	by := strings.Join(parts, ", ")
	if !largest.IsZero() {
		by += "; the targets take turns"
	}
	return sum, by
}
