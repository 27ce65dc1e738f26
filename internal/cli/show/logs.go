package show

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/kube"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/internal/record/bundle"
	"github.com/assay-bench/assay/internal/record/stored"
)

const logsHelp = `Print what the tool of a trial printed, or the log of a server.

Of a trial that has ended it is the verbatim output that its result holds, file by file, and of one that failed the last lines of its
pod. Of a trial that runs it is the log of the container of its tool, which needs the right to read logs of pods: the tool itself
writes into files, which nobody reads before it has ended. Without --trial it is the trial that runs, or the last one that ended.

With --target it is the log of the database pod, which exists as long as the run has its servers.`

const logsExamples = `  kubectl assay logs demo
  kubectl assay logs demo --trial 3
  kubectl assay logs demo.assay.tar --trial 3
  kubectl assay logs demo --target mysql --follow`

// logs is what the flags say.
type logs struct {
	trial, attempt, client int32
	target                 string
	follow                 bool
}

// NewLogs is the command `logs`.
func NewLogs(config *kube.Config) *cobra.Command {
	var l logs
	cmd := &cobra.Command{
		Use: "logs RUN|BUNDLE", Short: "Print what a tool or a server printed", Long: logsHelp, Example: logsExamples, Args: cobra.ExactArgs(1),
		ValidArgsFunction: config.CompleteRuns(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if bundle.IsPath(args[0]) {
				return l.ofBundle(cmd.Context(), args[0], cmd.OutOrStdout())
			}
			to, err := config.Cluster()
			if err != nil {
				return err
			}
			run, err := runOf(cmd.Context(), to, args[0])
			if err != nil {
				return err
			}
			return l.print(cmd.Context(), to, run, cmd.OutOrStdout())
		},
	}
	flags := cmd.Flags()
	flags.Int32Var(&l.trial, "trial", -1, "index of the trial; default: the one that runs, or the last one")
	flags.Int32Var(&l.attempt, "attempt", -1, "attempt at the trial, from 0; default: the last one")
	flags.Int32Var(&l.client, "client", 0, "index of the client, where there are several")
	flags.StringVar(&l.target, "target", "", "name of a target: the log of its server")
	flags.BoolVar(&l.follow, "follow", false, "go on with a log that grows, as kubectl logs --follow does")
	cmd.MarkFlagsMutuallyExclusive("trial", "target")
	return cmd
}

// ofBundle prints what a bundle holds of a trial. It has no server.
func (l logs) ofBundle(ctx context.Context, path string, out io.Writer) error {
	if l.target != "" {
		return fmt.Errorf("%s is a bundle, which has no server: --target is for a run of the cluster", path)
	}
	b, err := bundle.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = b.Close() }() // it was only read
	run, err := b.Run(ctx)
	if err != nil {
		return err
	}
	trial, attempt, err := l.which(ctx, b, run)
	if err != nil {
		return err
	}
	return l.delivered(ctx, b, run, contract.ResultName(contract.TrialName(run.Name, trial, attempt), int(l.client)), out)
}

func (l logs) print(ctx context.Context, to kube.Cluster, run *v1alpha1.BenchmarkRun, out io.Writer) error {
	if l.target != "" {
		return l.server(ctx, to, run, out)
	}
	from := stored.InCluster(to.API, client.ObjectKeyFromObject(run))
	trial, attempt, err := l.which(ctx, from, run)
	if err != nil {
		return err
	}
	job := contract.TrialName(run.Name, trial, attempt)
	of := client.MatchingLabels{"batch.kubernetes.io/job-name": job, v1alpha1.LabelRunUID: string(run.UID)}
	runs := func(t v1alpha1.TrialStatus) bool {
		return t.State == v1alpha1.TrialRunning && t.Index == trial && t.Attempt == attempt
	}
	if run.Spec.Design.ClientPods == v1alpha1.ClientPodsStanding && slices.ContainsFunc(run.Status.Trials, runs) {
		// The log of clients that stand has their trials before this one, too.
		of = client.MatchingLabels{v1alpha1.LabelStanding: "true", v1alpha1.LabelRunUID: string(run.UID)}
	}
	var pods corev1.PodList
	err = to.API.List(ctx, &pods, client.InNamespace(run.Namespace), of)
	if err != nil && !apierrors.IsForbidden(err) {
		return fmt.Errorf("listing the pods of trial %d: %w", trial, err)
	}
	for _, pod := range pods.Items {
		if index := pod.Labels["batch.kubernetes.io/job-completion-index"]; index != "" && index != fmt.Sprint(l.client) {
			continue
		}
		if pod.Status.Phase == corev1.PodRunning {
			return l.stream(ctx, to, pod.Name, podContainer{run.Namespace, resources.RunnerContainer}, out)
		}
	}
	return l.delivered(ctx, from, run, contract.ResultName(job, int(l.client)), out)
}

// server is the log of a database pod.
func (l logs) server(ctx context.Context, to kube.Cluster, run *v1alpha1.BenchmarkRun, out io.Writer) error {
	switch t := run.Target(l.target); {
	case t.Name == "":
		return fmt.Errorf("BenchmarkRun %s has no target %q", run.Name, l.target)
	case t.MySQL == nil:
		return fmt.Errorf("target %s is no server that Assay provides: it has no pod", l.target)
	}
	return l.stream(ctx, to, contract.TargetName(run.Name, l.target)+"-0", podContainer{run.Namespace, resources.ServerContainer}, out)
}

// podContainer is a container of a pod in a namespace.
type podContainer struct{ namespace, container string }

// stream the log of a container.
func (l logs) stream(ctx context.Context, to kube.Cluster, pod string, in podContainer, out io.Writer) error {
	api, err := to.Logs()
	if err != nil {
		return err
	}
	log, err := api.Pods(in.namespace).GetLogs(pod, &corev1.PodLogOptions{Container: in.container, Follow: l.follow}).Stream(ctx)
	if apierrors.IsNotFound(err) {
		return fmt.Errorf("there is no pod %s: it exists only while the run has its servers", pod)
	}
	if err != nil {
		return fmt.Errorf("reading the log of pod %s: %w", pod, err)
	}
	defer func() { _ = log.Close() }() // it was only read
	return copyLines(out, log)
}

// which trial and attempt are printed.
func (l logs) which(ctx context.Context, from stored.Source, run *v1alpha1.BenchmarkRun) (trial, attempt int32, err error) {
	shown := run.Status.Trials
	switch {
	case l.trial < 0 && len(shown) == 0:
		return 0, 0, fmt.Errorf("BenchmarkRun %s has begun no trial: kubectl assay why %[1]s says what it waits for", run.Name)
	case l.trial < 0:
		last := shown[len(shown)-1]
		trial, attempt = last.Index, last.Attempt
	default:
		trial = l.trial
		for _, t := range shown {
			if t.Index == trial {
				attempt = max(attempt, t.Attempt)
			}
		}
		if p := run.Status.Plan; p == nil || trial >= p.TrialCount {
			return 0, 0, fmt.Errorf("the plan of BenchmarkRun %s has no trial %d", run.Name, trial)
		}
	}
	if l.attempt >= 0 {
		return trial, l.attempt, nil
	}
	// The status has the last attempts only.
	for attempt >= 0 && attempt < run.Spec.Design.MaxRetries && run.Spec.Design.OnTrialFailure == v1alpha1.OnFailureRetry {
		next := attempt + 1
		cm, err := from.ConfigMap(ctx, contract.ResultName(contract.TrialName(run.Name, trial, next), int(l.client)))
		if err != nil {
			return 0, 0, err
		}
		if cm == nil {
			break
		}
		attempt = next
	}
	return trial, attempt, nil
}

// delivered output of a client of a trial that has ended.
func (l logs) delivered(ctx context.Context, from stored.Source, run *v1alpha1.BenchmarkRun, name string, out io.Writer) error {
	cm, err := from.ConfigMap(ctx, name)
	if err != nil {
		return err
	}
	if cm == nil {
		return fmt.Errorf("there is no ConfigMap %s: the trial has not begun, or there is no such attempt or client", name)
	}
	if !metav1.IsControlledBy(cm, run) {
		return fmt.Errorf("ConfigMap %s belongs to another object", name)
	}
	raw, log := cm.BinaryData[contract.KeyRaw], cm.Data[contract.KeyLog]
	if len(raw) > 0 {
		if err := printFiles(out, raw); err != nil {
			return fmt.Errorf("ConfigMap %s: %w", name, err)
		}
	}
	if log != "" {
		_, err := fmt.Fprintf(out, "==> %s <==\n%s\n", contract.KeyLog, log)
		return err
	}
	switch {
	case len(raw) > 0:
		return nil
	case cm.Annotations[contract.AnnotationUploads] != "" && run.Status.Results != nil:
		return fmt.Errorf("the output is in the object store: %s", run.Status.Results.Store)
	}
	return fmt.Errorf("ConfigMap %s has no output: the trial delivered none yet, or failed before", name)
}

// maxOutput is printed of an archive, which a tenant made.
const maxOutput = 16 << 20

// printFiles of an archive, each with its name.
func printFiles(out io.Writer, raw []byte) error {
	gz, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return fmt.Errorf("its output cannot be read: %w", err)
	}
	limited := &io.LimitedReader{R: gz, N: maxOutput}
	files := tar.NewReader(limited)
	for {
		header, err := files.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case limited.N == 0:
			return fmt.Errorf("its output has more than %d MiB", maxOutput>>20)
		case err != nil:
			return fmt.Errorf("its output cannot be read: %w", err)
		}
		if _, err := fmt.Fprintf(out, "==> %s <==\n", contract.Line(header.Name)); err != nil {
			return err
		}
		if err := copyLines(out, files); err != nil {
			if limited.N == 0 {
				return fmt.Errorf("its output has more than %d MiB", maxOutput>>20)
			}
			return err
		}
	}
}

// maxPiece of a line is written at once, in bytes.
const maxPiece = 32 << 10

// copyLines of a text. What cleans a text must not get half of a character: so it gets lines, and of long ones pieces
// that end between two characters. Bytes that are no UTF-8 become U+FFFD.
func copyLines(out io.Writer, in io.Reader) error {
	reader := bufio.NewReader(in)
	var piece []byte
	for {
		r, _, err := reader.ReadRune()
		if err == nil {
			piece = utf8.AppendRune(piece, r)
		}
		if len(piece) > 0 && (err != nil || r == '\n' || len(piece) > maxPiece) {
			if _, err := out.Write(piece); err != nil {
				return err
			}
			piece = piece[:0]
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
