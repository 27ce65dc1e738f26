package show

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/kube"
	"github.com/assay-bench/assay/internal/cli/output"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/show/explain"
	"github.com/assay-bench/assay/internal/show/readout"
)

const whyHelp = `Say what a run waits for, or why it ended as it did, and who is to act.

It shows the position of a queued run and who holds the nodes, the pods of a starting run that are not ready, and the reason of a
run that has ended. kubectl assay explain REASON says more. Without the right to list pods it says so.`

const whyExamples = `  kubectl assay why demo
  kubectl assay why demo -o json | jq -r '.causes[0].do[]'`

// NewWhy is the command `why`.
func NewWhy(config *kube.Config) *cobra.Command {
	var format output.Format
	cmd := &cobra.Command{
		Use: "why RUN|BUNDLE", Short: "Say what a run waits for, and who is to act", Long: whyHelp, Example: whyExamples, Args: cobra.ExactArgs(1),
		ValidArgsFunction: config.CompleteRuns(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			known, err := read(cmd.Context(), config, args[0])
			if err != nil {
				return err
			}
			run := known.Object
			doc, err := whyOf(run)
			if err != nil {
				return err
			}
			if !run.Finished() { // and so of a cluster
				to, err := config.Cluster()
				if err != nil {
					return err
				}
				doc.addPods(cmd.Context(), to.API, run)
			}
			return format.Write(cmd.OutOrStdout(), doc.Why, func(out io.Writer) error { return tellWhy(out, doc.Why, time.Now()) })
		},
	}
	format.AddTo(cmd)
	return cmd
}

// why is the document while it is made.
type why struct{ output.Why }

// whyOf a run, from its status.
func whyOf(run *v1alpha1.BenchmarkRun) (why, error) {
	outcome := readout.OutcomeOf(run)
	doc := why{output.Why{
		Version: output.WhyVersion, Namespace: run.Namespace, Name: run.Name, Phase: string(run.Status.Phase), Outcome: outcome.Word,
		Causes: []output.Cause{}, Pods: []output.PendingPod{},
	}}
	for _, c := range readout.Deciding(run) {
		cause := output.Cause{Of: c.Type, Reason: c.Reason, Message: c.Message}
		if t := c.LastTransitionTime; !t.IsZero() {
			cause.Since = &t.Time
		}
		doc.Causes = append(doc.Causes, cause)
	}
	if outcome.Kind == readout.Failed {
		doc.addTrial(run)
	}
	for i := range doc.Causes {
		if err := explained(&doc.Causes[i]); err != nil {
			return doc, err
		}
	}
	return doc, nil
}

// addTrial that failed last, when its reason is not that of the run.
func (w *why) addTrial(run *v1alpha1.BenchmarkRun) {
	for _, t := range slices.Backward(run.Status.Trials) {
		if t.State == v1alpha1.TrialFailed {
			if len(w.Causes) == 0 || w.Causes[0].Reason != t.Reason {
				w.Causes = append(w.Causes, output.Cause{Of: fmt.Sprintf("trial %d of %s", t.Index, t.Target), Reason: t.Reason, Message: t.Message})
			}
			return
		}
	}
}

// explained says who is to act on a cause, and how, as far as its reason is known to this program.
func explained(c *output.Cause) error {
	entry, _, err := explain.Find(c.Reason)
	if err != nil {
		return err
	}
	c.Who = entry.Who
	for _, text := range entry.Remedies {
		c.Do = append(c.Do, explain.Plain(text))
	}
	return nil
}

// addPods of the run that are not ready.
func (w *why) addPods(ctx context.Context, api client.Reader, run *v1alpha1.BenchmarkRun) {
	var pods corev1.PodList
	if err := api.List(ctx, &pods, client.InNamespace(run.Namespace), client.MatchingLabels{v1alpha1.LabelRunUID: string(run.UID)}); err != nil {
		w.PodsUnknown = err.Error()
		return
	}
	for _, pod := range pods.Items {
		if message := pending(pod); message != "" {
			w.Pods = append(w.Pods, output.PendingPod{Name: pod.Name, Phase: string(pod.Status.Phase), Message: message})
		}
	}
}

// pending says why a pod is not ready; empty for one that is, or that has ended.
func pending(pod corev1.Pod) string {
	if pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
		return ""
	}
	if pod.DeletionTimestamp != nil {
		return "it is being deleted"
	}
	var words []string
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status != corev1.ConditionTrue {
			words = append(words, c.Message)
		}
	}
	for _, c := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		switch {
		case c.State.Waiting != nil:
			words = append(words, strings.TrimSpace(fmt.Sprintf("container %s: %s %s", c.Name, c.State.Waiting.Reason, c.State.Waiting.Message)))
		case c.State.Running != nil && !c.Ready:
			words = append(words, fmt.Sprintf("container %s runs and is not ready", c.Name))
		}
	}
	if len(words) == 0 && pod.Status.Phase == corev1.PodPending {
		return "it is not started yet"
	}
	return strings.Join(words, "; ")
}

// tellWhy to people.
func tellWhy(out io.Writer, doc output.Why, now time.Time) error {
	p := output.NewPage(out)
	of := doc.Namespace + "/" + doc.Name + ": "
	switch doc.Phase {
	case "":
		p.Line(of + "no manager has seen the run yet: does one run?")
		p.Prose("  kubectl get deployments -A -l app.kubernetes.io/name=assay")
	case doc.Outcome: // Failed is both
		p.Line(of + doc.Phase)
	default:
		p.Line(of + doc.Phase + ", " + doc.Outcome)
	}
	for _, c := range doc.Causes {
		head := c.Of + ": " + c.Reason
		if c.Since != nil {
			head += ", for " + figure.Duration(now.Sub(*c.Since))
		}
		p.Blank()
		p.Line(head)
		p.Item("  ", c.Message)
		if c.Who != "" {
			p.Item("  ", "who acts: "+c.Who)
		}
		for _, do := range c.Do {
			p.Item("  - ", do)
		}
	}
	if len(doc.Causes) == 0 && doc.Phase != "" {
		p.Blank()
		p.Line("It waits for nothing.")
	}
	var pods []string
	for _, pod := range doc.Pods {
		pods = append(pods, pod.Name+": "+pod.Message)
	}
	p.Section("pods that are not ready:", pods...)
	if doc.PodsUnknown != "" {
		p.Blank()
		p.Line("pods: not known: " + doc.PodsUnknown)
	}
	if len(doc.Causes) > 0 && doc.Causes[0].Reason != "" {
		p.Blank()
		p.Line("more: kubectl assay explain " + doc.Causes[0].Reason)
	}
	return p.Flush()
}
