package quota

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Exceeds are the bounds of quotas that the run exceeds alone, whatever else is in its namespace.
func (d Demand) Exceeds(quotas []corev1.ResourceQuota) (out []string) {
	for what, b := range bounds(quotas) {
		if need := d.total[b.name]; need.Cmp(b.hard) > 0 {
			out = append(out, fmt.Sprintf("%s: the run needs %s at a time (%s), and %s is allowed", what, need.String(), d.by(b.name), b.hard.String()))
		}
	}
	slices.Sort(out)
	return out
}

// Waits are the bounds of quotas in which there is no room for the run now: beside what the quota has counted, what runs with nodes will
// need beside that, and what those in front of it wait for. Its own pods are placeholders, which a quota has counted.
func (d Demand) Waits(quotas []corev1.ResourceQuota, own []corev1.Pod, with []Taking, before []Demand) (out []string) {
	for what, b := range bounds(quotas) {
		need := Taking{Demand: d, Pods: own}.pending(b.name)
		if need.IsZero() {
			continue
		}
		taken := b.used.DeepCopy()
		for _, t := range with {
			taken.Add(t.pending(b.name))
		}
		for _, o := range before {
			taken.Add(o.total[b.name])
		}
		sum := taken.DeepCopy()
		sum.Add(need)
		if sum.Cmp(b.hard) > 0 {
			out = append(out, fmt.Sprintf("%s: the run needs %s, and of %s others have or wait for %s", what, need.String(), b.hard.String(), taken.String()))
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

// bound of a quota on a resource.
type bound struct {
	name       corev1.ResourceName
	hard, used resource.Quantity
}

// bounds of quotas that count the pods of runs, by what people call them.
func bounds(quotas []corev1.ResourceQuota) map[string]bound {
	out := map[string]bound{}
	for _, q := range quotas {
		if !counts(q.Spec) {
			continue
		}
		for name, hard := range q.Spec.Hard {
			out[fmt.Sprintf("ResourceQuota %s: %s", q.Name, name)] = bound{name: name, hard: hard, used: q.Status.Used[name]}
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
