package quota

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	podresources "k8s.io/component-helpers/resource"
)

// Outside are the bounds of limit ranges that pods, containers or claims of the run are outside of.
func (d Demand) Outside(ranges []corev1.LimitRange) (out []string) {
	for _, r := range ranges {
		for _, item := range r.Spec.Limits {
			for _, g := range d.groups {
				for _, of := range g.items(item.Type) {
					for _, problem := range of.outside(item) {
						out = append(out, fmt.Sprintf("LimitRange %s: %s: %s", r.Name, of.what, problem))
					}
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// item is something that a limit range bounds.
type item struct {
	what             string
	requests, limits corev1.ResourceList
}

// items of a group, of the type that a limit range names.
func (g group) items(of corev1.LimitType) (out []item) {
	switch of {
	case corev1.LimitTypePod:
		pod := &corev1.Pod{Spec: g.spec}
		none := podresources.PodResourcesOptions{}
		out = append(out, item{"a pod of " + g.what, podresources.PodRequests(pod, none), podresources.PodLimits(pod, none)})
	case corev1.LimitTypeContainer:
		for _, c := range slices.Concat(g.spec.InitContainers, g.spec.Containers) {
			out = append(out, item{fmt.Sprintf("container %s in a pod of %s", c.Name, g.what), c.Resources.Requests, c.Resources.Limits})
		}
	case corev1.LimitTypePersistentVolumeClaim:
		for _, c := range g.claims {
			out = append(out, item{"the volume of " + g.what, c.Spec.Resources.Requests, c.Spec.Resources.Limits})
		}
	}
	return out
}

// outside of the bounds of a limit range. Containers of runs have a request and a limit for CPU, memory and ephemeral storage, so that
// defaults never apply; a claim has a request only.
func (i item) outside(of corev1.LimitRangeItem) (out []string) {
	for name, least := range of.Min {
		if has, is := i.requests[name]; is && has.Cmp(least) < 0 {
			out = append(out, fmt.Sprintf("%s is %s, and at least %s is allowed (min)", name, has.String(), least.String()))
		}
	}
	for name, most := range of.Max {
		has, is := i.limits[name]
		if !is {
			has, is = i.requests[name]
		}
		if is && has.Cmp(most) > 0 {
			out = append(out, fmt.Sprintf("%s is %s, and at most %s is allowed (max)", name, has.String(), most.String()))
		}
	}
	for name, most := range of.MaxLimitRequestRatio {
		request, limit := i.requests[name], i.limits[name]
		if !request.IsZero() && ratio(limit, request) > ratio(most, resource.MustParse("1")) {
			out = append(out, fmt.Sprintf("%s has a limit of %s over a request of %s, and at most %s times it is allowed (maxLimitRequestRatio)",
				name, limit.String(), request.String(), most.String()))
		}
	}
	return out
}

func ratio(a, b resource.Quantity) float64 {
	return a.AsApproximateFloat64() / b.AsApproximateFloat64()
}
