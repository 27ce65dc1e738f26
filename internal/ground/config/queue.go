package config

import (
	"fmt"
	"path"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Queue says what the runs of a namespace may ask of the queue for nodes, and how long a run
// keeps nodes that it does not use.
type Queue struct {
	// Hold of nodes by runs that do not use them.
	Hold Hold `json:"hold"`
	// Bounds of every namespace that no rule names.
	Bounds Bounds `json:"bounds"`
	// Rules for namespaces. The first one that names a namespace replaces the bounds that it gives, and no other ones.
	Rules []QueueRule `json:"rules,omitempty"`
}

// Hold is how long a run keeps nodes that it does not use. None is negative.
type Hold struct {
	// Suspended: all suspensions of the run together, without what still runs when one begins.
	// Then the databases go, and a run that is resumed loads its data again. Default 1h.
	Suspended metav1.Duration `json:"suspended"`
	// Retained: from the end of a run that keeps its pods for inspection. Default 24h.
	Retained metav1.Duration `json:"retained"`
}

// Bounds of what the runs of a namespace may ask for. All fields are set, but for those of a
// rule that leaves them alone.
type Bounds struct {
	// Priority that a run may have. Default -1000 to 10.
	Priority *PriorityRange `json:"priority,omitempty"`
	// Nodes that the runs may hold at once; 0 is no limit, the default.
	Nodes *int `json:"nodes,omitempty"`
	// Runs that may hold nodes at once; 0 is no limit, the default.
	Runs *int `json:"runs,omitempty"`
	// Deadline that a run may have at most, 1m to 720h. Default 720h.
	Deadline *metav1.Duration `json:"deadline,omitempty"`
}

// PriorityRange has its bounds in it, each -1000 to 1000.
type PriorityRange struct {
	Min int32 `json:"min"`
	Max int32 `json:"max"`
}

// Has says whether a priority is within the range.
func (p PriorityRange) Has(priority int32) bool { return p.Nearest(priority) == priority }

// Nearest priority within the range.
func (p PriorityRange) Nearest(priority int32) int32 { return min(max(priority, p.Min), p.Max) }

// QueueRule has bounds of some namespaces.
type QueueRule struct {
	// Namespaces by their names, or by patterns such as team-*.
	Namespaces []string `json:"namespaces"`
	// Bounds that differ from those of the others.
	Bounds `json:",inline"`
}

// widestPriority and the deadlines of the API.
const (
	widestPriority = 1000
	leastDeadline  = time.Minute
	mostDeadline   = 720 * time.Hour
)

// defaultQueue lets a run go ahead of those of others that wait for less than ten hours longer:
// of what a namespace may do without being asked, that is worth a working day.
func defaultQueue() Queue {
	return Queue{
		Hold:   Hold{Suspended: metav1.Duration{Duration: time.Hour}, Retained: metav1.Duration{Duration: 24 * time.Hour}},
		Bounds: Bounds{Priority: &PriorityRange{Min: -widestPriority, Max: 10}, Nodes: new(int), Runs: new(int), Deadline: &metav1.Duration{Duration: mostDeadline}},
	}
}

// For a namespace: all fields are set.
func (q Queue) For(namespace string) Bounds {
	out := q.Bounds
	i := slices.IndexFunc(q.Rules, func(r QueueRule) bool {
		return matchesAny(r.Namespaces, namespace)
	})
	if i < 0 {
		return out
	}
	r := q.Rules[i]
	if r.Priority != nil {
		out.Priority = r.Priority
	}
	if r.Nodes != nil {
		out.Nodes = r.Nodes
	}
	if r.Runs != nil {
		out.Runs = r.Runs
	}
	if r.Deadline != nil {
		out.Deadline = r.Deadline
	}
	return out
}

// matchesAny of the patterns, such as team-*. check refuses malformed ones.
func matchesAny(patterns []string, namespace string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		matches, err := path.Match(pattern, namespace)
		return matches && err == nil
	})
}

func (q Queue) check() error {
	for name, v := range map[string]metav1.Duration{"suspended": q.Hold.Suspended, "retained": q.Hold.Retained} {
		if v.Duration < 0 {
			return fmt.Errorf("queue.hold.%s must not be negative, such as 1h", name)
		}
	}
	if b := q.Bounds; b.Priority == nil || b.Nodes == nil || b.Runs == nil || b.Deadline == nil {
		return fmt.Errorf("queue.bounds needs priority, nodes, runs and deadline: leave out what shall have its default, and do not set it to null")
	}
	if err := q.Bounds.check("queue.bounds"); err != nil {
		return err
	}
	for i, r := range q.Rules {
		name := fmt.Sprintf("queue.rules[%d]", i)
		if len(r.Namespaces) == 0 {
			return fmt.Errorf("%s.namespaces is empty: name namespaces, or patterns such as team-*", name)
		}
		for _, pattern := range r.Namespaces {
			if _, err := path.Match(pattern, ""); err != nil {
				return fmt.Errorf("%s.namespaces: %q is no pattern: %w", name, pattern, err)
			}
		}
		if err := r.check(name); err != nil {
			return err
		}
	}
	return nil
}

func (b Bounds) check(name string) error {
	if p := b.Priority; p != nil && (p.Min > p.Max || p.Min < -widestPriority || p.Max > widestPriority) {
		return fmt.Errorf("%s.priority must have min <= max, both -%d to %d", name, widestPriority, widestPriority)
	}
	if d := b.Deadline; d != nil && (d.Duration < leastDeadline || d.Duration > mostDeadline) {
		return fmt.Errorf("%s.deadline must be %s to %s, such as 168h", name, leastDeadline, mostDeadline)
	}
	for field, v := range map[string]*int{"nodes": b.Nodes, "runs": b.Runs} {
		if v != nil && *v < 0 {
			return fmt.Errorf("%s.%s must not be negative; 0 is no limit", name, field)
		}
	}
	return nil
}
