package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"strings"
	"time"

	"github.com/spf13/cobra"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/kube"
	"github.com/assay-bench/assay/internal/record/rerun"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/internal/verdict/analysis"
	"github.com/assay-bench/assay/internal/verdict/baseline"
)

const promoteHelp = `Write a BenchmarkBaseline with the numbers of a run, to be committed.

The run is verified first, as by "kubectl assay verify". It has to be complete and valid, and where it
has a gate, it has to have passed; a gate without its baseline, which there is none of at first, is
no objection. --force promotes it all the same, and the manifest says what spoke against it. With
--from, tolerances and name stay, and the promotion before goes into the history.

With further runs, which repeat the first one, the manifest also has the median of each of them: a gate
with a prediction judges by how they differ. That takes at least three runs in all, each as sound as the first one, of
one experiment. What else differs between them, such as a version, is said beside.

The manifest goes to stdout, or to a file. Nothing in the cluster is changed.

Exit codes:
  0  the manifest is written
  1  nothing is written: the output says why
  6  what the run has stored was changed or is gone: it is never promoted`

// maxManifest is the size of a manifest, in bytes: it is there to be read in a commit.
const maxManifest = 512 << 10

// promotion is what the flags say.
type promotion struct {
	name, reason, author, from, output string
	measurements                       []string
	force                              bool
}

func newBaseline(k *kube.Config) *cobra.Command {
	var p promotion
	promote := &cobra.Command{
		Use: "promote RUN|BUNDLE...", Short: "Write the numbers of a run as a BenchmarkBaseline", Long: promoteHelp, Args: cobra.MinimumNArgs(1),
		Example: `  kubectl assay baseline promote nightly-1 --reason "release 1.4" > baseline.yaml
  kubectl assay baseline promote nightly-9 nightly-8 nightly-7 nightly-6 nightly-5 --reason "release 1.4" > baseline.yaml`, ValidArgsFunction: k.CompleteRuns(0),
		RunE: onRuns(k, func(ctx context.Context, runs []stored.Source, to streams) error {
			return p.run(ctx, promoting{from: runs[0], repetitions: runs[1:], now: time.Now()}, to)
		}),
	}
	flags := promote.Flags()
	flags.StringVar(&p.name, "name", "", "name of the baseline; default: that of --from, of the run's gate, or of the run")
	flags.StringVar(&p.reason, "reason", "", "why these numbers are the expected ones (required)")
	flags.StringVar(&p.author, "author", "", "who says so; default: $GIT_AUTHOR_EMAIL, or the user of this machine")
	flags.StringVar(&p.from, "from", "", "manifest of the baseline that is replaced; its history goes on")
	flags.StringVarP(&p.output, "output", "o", "", "file for the manifest; default: stdout")
	flags.StringArrayVar(&p.measurements, "measurement", nil, "one more measurement, such as latency.percentile{p=99}; several times for several")
	flags.BoolVar(&p.force, "force", false, "promote a run that is not complete, not valid, or has not passed its gate")
	group := &cobra.Command{Use: "baseline", Short: "Make the expected numbers of a gate"}
	group.AddCommand(promote)
	return group
}

// promoting is the run, its repetitions, and the time of the promotion.
type promoting struct {
	from        stored.Source
	repetitions []stored.Source
	now         time.Time
}

func (p promotion) run(ctx context.Context, of promoting, to streams) error {
	if strings.TrimSpace(p.reason) == "" {
		return errors.New("--reason is missing: say why these numbers are the expected ones")
	}
	before, err := p.before()
	if err != nil {
		return err
	}
	first, against, err := p.sound(ctx, of.from, to)
	if err != nil {
		return err
	}
	run := first.stored.Object
	source := baseline.Source{Run: run, Recorded: first.analysis}
	further, err := p.repetitions(ctx, first, of.repetitions, to)
	if err != nil {
		return err
	}
	for _, r := range further {
		source.Repetitions = append(source.Repetitions, baseline.Repetition{Run: r.stored.Object, Recorded: r.analysis})
		against = cmp.Or(against, r.against)
	}
	source.Promotion = v1alpha1.Promotion{
		Time: metav1.NewTime(of.now.UTC().Truncate(time.Second)), Author: p.authorOr(), Reason: p.reason, Forced: against,
	}
	if before != nil {
		source.Before = &before.Spec
	}
	for _, text := range p.measurements {
		m, err := measurementOf(text)
		if err != nil {
			return err
		}
		source.More = append(source.More, m)
	}
	spec, err := baseline.Make(source)
	if err != nil {
		return fmt.Errorf("%s: %w", of.from, err)
	}
	return p.write(&v1alpha1.BenchmarkBaseline{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: kindBaseline},
		ObjectMeta: metav1.ObjectMeta{Name: p.nameFor(run, before), Namespace: run.Namespace}, Spec: spec,
	}, to)
}

// sound is a run that is verified, with what speaks against its promotion where that is forced.
func (p promotion) sound(ctx context.Context, from stored.Source, to streams) (out read, against string, err error) {
	run, err := verified(ctx, from, to.problems)
	if err != nil {
		return out, "", err
	}
	against = objectionsTo(run.Object)
	if against != "" && !p.force {
		return out, "", fmt.Errorf("%s is not promoted: %s; --force promotes it, and the manifest says so", from, against)
	}
	recorded, err := run.Analysis()
	if err != nil {
		return out, "", fmt.Errorf("%s: %w", from, err)
	}
	return read{run, recorded}, against, nil
}

// repetition of a run that is promoted, and what speaks against it.
type repetition struct {
	read
	against string
}

// repetitions of the first run. Each counts once, and measured the same; what else differs is said, and does not decide.
func (p promotion) repetitions(ctx context.Context, first read, all []stored.Source, to streams) (out []repetition, err error) {
	seen := map[types.UID]bool{first.stored.Object.UID: true}
	pinned := first.analysis
	pinned.Spec = rerun.Pinned(first.stored)
	for _, from := range all {
		one, against, err := p.sound(ctx, from, to)
		if err != nil {
			return nil, err
		}
		if seen[one.stored.Object.UID] {
			return nil, fmt.Errorf("%s stands there twice: each run counts once", from)
		}
		seen[one.stored.Object.UID] = true
		other := one.analysis
		other.Spec = rerun.Pinned(one.stored)
		if err := analysis.MeasuredTheSame(pinned, other); err != nil {
			return nil, err
		}
		around, err := apartFrom(other, []analysis.Run{pinned})
		if err != nil {
			return nil, err
		}
		for _, text := range around.differ {
			if _, err := fmt.Fprintln(to.problems, "between the runs: "+text); err != nil {
				return nil, fmt.Errorf("writing what differs: %w", err)
			}
		}
		out = append(out, repetition{one, against})
	}
	return out, nil
}

// before is the manifest of --from; nil without one.
func (p promotion) before() (*v1alpha1.BenchmarkBaseline, error) {
	if p.from == "" {
		return nil, nil
	}
	data, err := os.ReadFile(p.from)
	if err != nil {
		return nil, fmt.Errorf("the baseline that is replaced (--from): %w", err)
	}
	b := &v1alpha1.BenchmarkBaseline{}
	if err := yaml.UnmarshalStrict(data, b); err != nil {
		return nil, fmt.Errorf("the baseline that is replaced (--from): %w", err)
	}
	if b.Kind != kindBaseline || b.Name == "" {
		return nil, fmt.Errorf("the baseline that is replaced (--from): %s is no BenchmarkBaseline", p.from)
	}
	return b, nil
}

const kindBaseline = "BenchmarkBaseline"

func (p promotion) nameFor(run *v1alpha1.BenchmarkRun, before *v1alpha1.BenchmarkBaseline) string {
	switch {
	case p.name != "":
		return p.name
	case before != nil:
		return before.Name
	case run.Spec.Gate != nil && run.Spec.Gate.Baseline != "":
		return run.Spec.Gate.Baseline
	}
	return run.Name
}

// authorOr is the author of the flags, of Git's environment, or the user of this machine.
func (p promotion) authorOr() string {
	name := ""
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	return cmp.Or(p.author, os.Getenv("GIT_AUTHOR_EMAIL"), name, "unknown")
}

// objectionsTo the promotion of a run; empty without any.
func objectionsTo(run *v1alpha1.BenchmarkRun) string {
	var out []string
	object := func(condition, what string) {
		c := apimeta.FindStatusCondition(run.Status.Conditions, condition)
		switch {
		case c == nil:
			out = append(out, "it "+what+" (nothing says so)")
		case c.Status != metav1.ConditionTrue:
			out = append(out, fmt.Sprintf("it %s (%s): %s", what, c.Reason, c.Message))
		}
	}
	object(v1alpha1.ConditionComplete, "is not complete")
	object(v1alpha1.ConditionValid, "is not valid")
	if c := apimeta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionPassed); run.Spec.Gate != nil && (c == nil || c.Reason != v1alpha1.ReasonBaselineNotFound) {
		object(v1alpha1.ConditionPassed, "has not passed its gate")
	}
	text := strings.Join(out, "; ")
	return text[:min(len(text), maxForced)]
}

// maxForced is the bound of spec.promotion.forced.
const maxForced = 2048

// measurementOf a flag such as latency.percentile{p=99}.
func measurementOf(text string) (analysis.Measurement, error) {
	name, labels, labelled := strings.Cut(text, "{")
	out := analysis.Measurement{Name: name}
	labels, closed := strings.CutSuffix(labels, "}")
	if name == "" || labelled != closed {
		return out, fmt.Errorf("--measurement: %q is no measurement: write it like latency.percentile{p=99}", text)
	}
	for _, label := range strings.Split(labels, ",") {
		if !labelled {
			break
		}
		key, value, ok := strings.Cut(label, "=")
		if !ok || key == "" {
			return out, fmt.Errorf("--measurement: %q in %q is no label: write it like p=99", label, text)
		}
		if out.Labels == nil {
			out.Labels = map[string]string{}
		}
		out.Labels[key] = value
	}
	return out, nil
}

// write the manifest.
func (p promotion) write(manifest *v1alpha1.BenchmarkBaseline, to streams) error {
	data, err := yaml.Marshal(manifest)
	if err != nil {
		return fmt.Errorf("writing the manifest: %w", err)
	}
	if len(data) > maxManifest {
		return fmt.Errorf("the manifest has %d bytes, more than the %d that a reader of a commit can check: declare the comparisons that matter with spec.analysis.comparisons", len(data), maxManifest)
	}
	return deliver(data, p.output, to.out)
}
