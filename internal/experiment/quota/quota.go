package quota

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// sameAs are the names under which a quota may count objects that have a name of their own, too.
var sameAs = map[corev1.ResourceName]corev1.ResourceName{
	"count/pods": corev1.ResourcePods, "count/services": corev1.ResourceServices, "count/secrets": corev1.ResourceSecrets,
	"count/persistentvolumeclaims": corev1.ResourcePersistentVolumeClaims,
}

// Exceeds are the bounds of quotas that the run exceeds alone, whatever else is in its namespace.
func (d Demand) Exceeds(quotas []corev1.ResourceQuota) (out []string) {
	for name, bound := range bounds(quotas) {
		need, by := d.of(bound.counts)
		if need.Cmp(bound.hard) > 0 {
			out = append(out, fmt.Sprintf("%s: the run needs %s at a time (%s), and %s is allowed", name, need.String(), by, bound.hard.String()))
		}
	}
	slices.Sort(out)
	return out
}

// Waits are the bounds of quotas in which there is no room for the run now: beside what the quota counts already, or beside what
// other runs will need that have their nodes, where that is more. Whether what is counted is theirs is not known, so this is the
// least that is taken.
func (d Demand) Waits(quotas []corev1.ResourceQuota, others []Demand) (out []string) {
	for name, bound := range bounds(quotas) {
		need, _ := d.of(bound.counts)
		if need.IsZero() {
			continue
		}
		var taken resource.Quantity
		for _, o := range others {
			theirs, _ := o.of(bound.counts)
			taken.Add(theirs)
		}
		if bound.used.Cmp(taken) > 0 {
			taken = bound.used
		}
		sum := taken.DeepCopy()
		sum.Add(need)
		if sum.Cmp(bound.hard) > 0 {
			out = append(out, fmt.Sprintf("%s: the run needs %s, and %s of %s are taken", name, need.String(), taken.String(), bound.hard.String()))
		}
	}
	slices.Sort(out)
	return out
}

// Sentence has the first of what Exceeds, Waits or Outside say: a namespace may have hundreds of bounds.
func Sentence(problems []string) string {
	const most = 4
	if more := len(problems) - most; more > 0 {
		problems = append(slices.Clone(problems[:most]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(problems, "; ")
}

// bound of a quota on what runs need.
type bound struct {
	// counts is the resource under the name that demands have.
	counts     corev1.ResourceName
	hard, used resource.Quantity
}

// bounds of quotas that count the pods of runs, by what people call them.
func bounds(quotas []corev1.ResourceQuota) map[string]bound {
	out := map[string]bound{}
	for _, q := range quotas {
		if !counts(q.Spec) {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(q.Spec.Hard)) {
			b := bound{counts: name, hard: q.Spec.Hard[name], used: q.Status.Used[name]}
			if same, is := sameAs[name]; is {
				b.counts = same
			}
			out[fmt.Sprintf("ResourceQuota %s: %s", q.Name, name)] = b
		}
	}
	return out
}

// counts says whether a quota counts the pods of a run. They have requests, they may run for as long as they like, and which
// priority class admission gives them is not known here.
func counts(q corev1.ResourceQuotaSpec) bool {
	for _, scope := range q.Scopes {
		if scope != corev1.ResourceQuotaScopeNotBestEffort && scope != corev1.ResourceQuotaScopeNotTerminating {
			return false
		}
	}
	if q.ScopeSelector == nil {
		return true
	}
	for _, r := range q.ScopeSelector.MatchExpressions {
		is := r.ScopeName == corev1.ResourceQuotaScopeNotBestEffort || r.ScopeName == corev1.ResourceQuotaScopeNotTerminating
		if !is || r.Operator != corev1.ScopeSelectorOpExists {
			return false
		}
	}
	return true
}
