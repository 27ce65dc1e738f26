package accept

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/controllers/benchmarkrun/target"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/trial/validity"
)

// nodesBehind the Services of all external targets.
func (in references) nodesBehind() ([]string, error) {
	var out []string
	for i, t := range in.Run.Spec.Targets {
		if t.Service() == nil {
			continue
		}
		look, err := in.lookBehind(fmt.Sprintf("spec.targets[%d].external", i), t)
		if err != nil {
			return nil, err
		}
		out = append(out, look.Service.Nodes()...)
	}
	return out, nil
}

// lookBehind the Service of an external target. A problem that time may mend is no error.
func (in references) lookBehind(field string, t v1alpha1.Target) (target.Look, error) {
	ref := t.External.ServiceRef
	behind := in.ask.Behind(ref.Name)
	if !behind.Exists {
		return target.Look{}, experiment.Refuse(v1alpha1.ReasonServiceNotFound, "%s.serviceRef: there is no Service %q in namespace %s: name one of the namespace of the run",
			field, ref.Name, in.Run.Namespace)
	}
	look := target.Found(t.External.Port, behind.Value)
	if look.Problem != "" && !look.Passes {
		return look, experiment.Refuse(v1alpha1.ReasonServiceUnusable, "%s.serviceRef: Service %q cannot be measured: %s", field, ref.Name, look.Problem)
	}
	return look, nil
}

// resolveService adds what is behind the Service of an external target, and what of it the run has to wait for.
func (in references) resolveService(field string, t v1alpha1.Target, rt *v1alpha1.ResolvedTarget, r *resolution) error {
	if t.Service() == nil {
		return nil
	}
	look, err := in.lookBehind(field, t)
	if err != nil {
		return err
	}
	if look.Problem != "" && r.awaits == nil {
		r.awaits = in.unready(field, t.External.ServiceRef.Name, look.Problem)
	}
	rt.Service = &look.Service
	r.targets = append(r.targets, target.Common(t.Name, look.Service))
	return nil
}

// unready says that a run waits for its Service, or that it has waited long enough: a database and the runs on it may be created together.
func (in Input) unready(field, service, problem string) error {
	limit := in.Catalogue.Config.Timeouts.TargetReady.Duration
	if since := in.mayBegin(); !in.Run.Spec.Suspend && in.Now.Sub(since) > limit {
		return experiment.Refuse(v1alpha1.ReasonServiceUnusable, "%s.serviceRef: Service %q cannot be measured, also after %s (timeouts.targetReady): %s", field, service, limit, problem)
	}
	return &pending{decision.WaitFor(v1alpha1.ReasonServiceNotReady, "%s.serviceRef: Service %q cannot be measured yet: %s", field, service, problem)}
}

// mayBegin is when the run was created, or the end of its last suspension.
func (in Input) mayBegin() time.Time {
	since := in.Run.CreationTimestamp.Time
	if c := apimeta.FindStatusCondition(in.Run.Status.Conditions, v1alpha1.ConditionSuspended); c != nil && c.LastTransitionTime.After(since) {
		since = c.LastTransitionTime.Time
	}
	return since
}

// pending is the error of a run that cannot be accepted yet.
type pending struct{ wait decision.Waiting }

func (p *pending) Error() string { return p.wait.Message }

// Checks about what was found behind a Service.
const (
	checkPods   = "service-pods"
	checkUnseen = "service-unseen"
)

// IsAboutService says whether a finding is one of BehindServices.
func IsAboutService(f v1alpha1.Finding) bool {
	return f.Trial == nil && (f.Check == checkPods || f.Check == checkUnseen)
}

// BehindServices are findings about what was found, and what was not.
func BehindServices(r v1alpha1.Resolved) []v1alpha1.Finding {
	var out []v1alpha1.Finding
	for _, t := range r.Targets {
		if t.Service == nil {
			continue
		}
		if why := t.Service.Unseen; why != "" {
			out = append(out, v1alpha1.Finding{Target: t.Name, Check: checkUnseen, Severity: string(validity.Warning), Message: fmt.Sprintf(
				"not all that answers behind Service %s is known: %s: its nodes are not kept for the run, and no restart of it is seen", t.Service.Name, why)})
		}
		if len(t.Service.Pods) > 0 {
			out = append(out, v1alpha1.Finding{Target: t.Name, Check: checkPods, Severity: string(validity.Note), Message: describePods(*t.Service)})
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
