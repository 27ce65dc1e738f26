package placement

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// Cluster has the nodes at one moment, and caches which of them offer a shape. It never
// changes the nodes. It is not safe for concurrent use.
type Cluster struct {
	nodes  []*corev1.Node // sorted by name
	names  []string
	has    []room // allocatable
	offers map[string]Set
}

// room is CPU in thousandths, and memory and huge pages of each size in bytes. Huge pages are no part of the memory: a node sets them
// aside.
type room struct{ cpu, memory, pages2Mi, pages1Gi int64 }

func (r room) fits(into room) bool {
	return r.cpu <= into.cpu && r.memory <= into.memory && r.pages2Mi <= into.pages2Mi && r.pages1Gi <= into.pages1Gi
}

func (r room) plus(o room) room {
	return room{r.cpu + o.cpu, r.memory + o.memory, r.pages2Mi + o.pages2Mi, r.pages1Gi + o.pages1Gi}
}

func (r room) minus(o room) room {
	return room{r.cpu - o.cpu, r.memory - o.memory, r.pages2Mi - o.pages2Mi, r.pages1Gi - o.pages1Gi}
}

// or is the larger of two rooms, by each resource.
func (r room) or(o room) room {
	return room{max(r.cpu, o.cpu), max(r.memory, o.memory), max(r.pages2Mi, o.pages2Mi), max(r.pages1Gi, o.pages1Gi)}
}

func roomOf(s v1alpha1.InstanceShapeSpec) room {
	r := room{cpu: s.CPU.MilliValue(), memory: s.Memory.Value()}
	if h := s.HugePages; h != nil {
		size := h.Size()
		if h.PageSize == v1alpha1.HugePages1Gi {
			r.pages1Gi = size.Value()
		} else {
			r.pages2Mi = size.Value()
		}
	}
	return r
}

// roomIn a list of resources.
func roomIn(list corev1.ResourceList) room {
	pages := func(size v1alpha1.HugePageSize) int64 {
		has := list[size.Resource()]
		return has.Value()
	}
	return room{list.Cpu().MilliValue(), list.Memory().Value(), pages(v1alpha1.HugePages2Mi), pages(v1alpha1.HugePages1Gi)}
}

// NewCluster makes a Cluster of the nodes, which must not change while it is used.
func NewCluster(nodes []corev1.Node) *Cluster {
	c := &Cluster{nodes: make([]*corev1.Node, len(nodes)), offers: map[string]Set{}}
	for i := range nodes {
		c.nodes[i] = &nodes[i]
	}
	slices.SortFunc(c.nodes, func(a, b *corev1.Node) int { return strings.Compare(a.Name, b.Name) })
	c.names = make([]string, len(nodes))
	c.has = make([]room, len(nodes))
	for i, n := range c.nodes {
		c.names[i] = n.Name
		c.has[i] = roomIn(n.Status.Allocatable)
	}
	return c
}

// Names of the nodes, sorted; the members of a Set are indices into it.
func (c *Cluster) Names() []string { return c.names }

// namesOf the nodes with these indices, in this order.
func (c *Cluster) namesOf(nodes []int) []string {
	out := make([]string, len(nodes))
	for i, n := range nodes {
		out[i] = c.names[n]
	}
	return out
}

// NamesIn a set of nodes, sorted.
func (c *Cluster) NamesIn(s Set) []string { return c.namesOf(s.Members()) }

// Set is an empty set of nodes.
func (c *Cluster) Set() Set { return make(Set, (len(c.nodes)+63)/64) }

// SetOf the nodes with these names; unknown names are ignored.
func (c *Cluster) SetOf(names []string) Set {
	out := c.Set()
	for _, name := range names {
		if i, found := slices.BinarySearch(c.names, name); found {
			out.Add(i)
		}
	}
	return out
}

// Candidates are the nodes that any pod of the run could use, and those of servers that others run. The caller may
// change the set.
func (c *Cluster) Candidates(need Need) Set {
	out := slices.Clone(c.offering(need.Client))
	for _, t := range need.Targets {
		out.AddAll(c.offering(t.Shape))
	}
	out.AddAll(c.SetOf(need.Beside))
	return out
}

// offering is the set of nodes that offer a shape; read only.
func (c *Cluster) offering(shape v1alpha1.InstanceShapeSpec) Set {
	key := keyOf(shape)
	set, known := c.offers[key]
	if !known {
		set = c.Set()
		for i, n := range c.nodes {
			if lacks(n, &shape) == "" {
				set.Add(i)
			}
		}
		c.offers[key] = set
	}
	return set
}

// Key is equal for needs with the same candidates.
func (n Need) Key() string {
	keys := []string{keyOf(n.Client)}
	for _, t := range n.Targets {
		keys = append(keys, keyOf(t.Shape))
	}
	slices.Sort(keys)
	for _, node := range n.Beside {
		keys = append(keys, "beside "+strconv.Quote(node))
	}
	return strings.Join(slices.Compact(keys), "\n")
}

// keyOf is equal for shapes that the same nodes offer, regardless of runtime class and
// annotations.
func keyOf(s v1alpha1.InstanceShapeSpec) string {
	b := make([]byte, 0, 128)
	b = append(append(append(b, s.CPU.String()...), ' '), s.Memory.String()...)
	if h := s.HugePages; h != nil {
		b = strconv.AppendInt(append(append(append(b, ' '), h.PageSize.Resource()...), '='), int64(h.Count), 10)
	}
	for _, name := range slices.Sorted(maps.Keys(s.NodeSelector)) {
		b = strconv.AppendQuote(append(b, ' '), name)
		b = strconv.AppendQuote(append(b, '='), s.NodeSelector[name])
	}
	for _, t := range s.Tolerations {
		b = append(b, ' ')
		for _, part := range []string{t.Key, string(t.Operator), t.Value, string(t.Effect)} {
			b = strconv.AppendQuote(b, part)
		}
	}
	return string(b)
}

// maxBootID is the bound of the API. A boot ID has 36 characters; whoever may write nodes can write others.
const maxBootID = 64

// sharedMachines are the boot IDs that nodes of two groups have in common, sorted. Nodes of one machine have one boot ID: the kubelet
// reads that of the kernel.
func (c *Cluster) sharedMachines(a, b []int) []string {
	var out []string
	for _, i := range a {
		id := c.nodes[i].Status.NodeInfo.BootID
		same := func(other int) bool { return c.nodes[other].Status.NodeInfo.BootID == id }
		if id != "" && len(id) <= maxBootID && slices.ContainsFunc(b, same) {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
