package accept

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/target"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/trial/validity"
)

// nodesBehind the Services of all external targets.
func (in references) nodesBehind() ([]string, error) {
	var out []string
	for i, t := range in.Run.Spec.Targets {
		if t.External == nil {
			continue
		}
		found, err := in.resolveService(fmt.Sprintf("spec.targets[%d].external", i), t)
		if err != nil {
			return nil, err
		}
		out = append(out, found.Nodes()...)
	}
	return out, nil
}

// resolveService looks behind the Service of an external target; nil for one without.
func (in references) resolveService(field string, t v1alpha1.Target) (*v1alpha1.ResolvedService, error) {
	ref := t.External.ServiceRef
	if ref == nil {
		return nil, nil
	}
	behind := in.ask.Behind(ref.Name)
	if !behind.Exists {
		return nil, experiment.Refuse(v1alpha1.ReasonServiceNotFound, "%s.serviceRef: there is no Service %q in namespace %s: name one of the namespace of the run",
			field, ref.Name, in.Run.Namespace)
	}
	found, problem := target.Found(t.External.Port, behind.Value)
	if problem != "" {
		return nil, experiment.Refuse(v1alpha1.ReasonServiceUnusable, "%s.serviceRef: Service %q cannot be measured: %s", field, ref.Name, problem)
	}
	return &found, nil
}

// behindServices are findings about what was found, and what was not.
func behindServices(r v1alpha1.Resolved) []v1alpha1.Finding {
	var out []v1alpha1.Finding
	for _, t := range r.Targets {
		if t.Service == nil {
			continue
		}
		if why := t.Service.Unseen; why != "" {
			out = append(out, v1alpha1.Finding{Target: t.Name, Check: "service-unseen", Severity: string(validity.Warning), Message: fmt.Sprintf(
				"not all that answers behind Service %s is known: %s: its nodes are not kept for the run, and no restart of it is seen", t.Service.Name, why)})
		}
		if len(t.Service.Pods) > 0 {
			out = append(out, v1alpha1.Finding{Target: t.Name, Check: "service-pods", Severity: string(validity.Note), Message: describePods(*t.Service)})
		}
	}
	return out
}

// mostPods of a Service stand in a finding; the status has all.
const mostPods = 4

// describePods in words.
func describePods(s v1alpha1.ResolvedService) string {
	var words []string
	for _, p := range s.Pods[:min(len(s.Pods), mostPods)] {
		limit := "an unknown CPU limit"
		switch {
		case p.CPULimit != "":
			limit = "cpu limit " + p.CPULimit
		case p.Container != "":
			limit = "no CPU limit"
		}
		words = append(words, fmt.Sprintf("%s on %s with %s", p.Name, cmp.Or(p.NodeName, "no node"), limit))
	}
	if more := len(s.Pods) - len(words); more > 0 {
		words = append(words, fmt.Sprintf("%d more", more))
	}
	text := fmt.Sprintf("%s behind Service %s: %s", figure.Counted(len(s.Pods), "pod"), s.Name, strings.Join(words, ", "))
	if len(s.Pods) > 1 {
		text += "; which of them answers a connection is not known"
	}
	if slices.ContainsFunc(s.Pods, target.IsProxy) {
		text += "; by their labels they are proxies: of the servers behind these nothing is known, so name the Service of the servers to have them recorded"
	}
	return text + "; nobody can read what their control groups count, so that throttling by a CPU limit is not seen"
}
