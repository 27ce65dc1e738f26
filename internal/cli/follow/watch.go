package follow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/exit"
	"github.com/assay-bench/assay/internal/cli/kube"
	"github.com/assay-bench/assay/internal/cli/output"
	"github.com/assay-bench/assay/internal/cli/show"
	"github.com/assay-bench/assay/internal/show/readout"
)

const watchHelp = `Follow a run to its end.

Progress goes to standard error: a bar on a terminal, lines elsewhere. At the end the numbers and the verdict go to
standard output. A run that has ended already is shown at once.

` + exitHelp

const watchExamples = `  kubectl assay watch demo
  kubectl assay watch demo --timeout 2h -o json > result.json`

// NewWatch is the command `watch`.
func NewWatch(config *kube.Config) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use: "watch RUN", Short: "Follow a run to its end", Long: watchHelp, Example: watchExamples, Args: cobra.ExactArgs(1),
		ValidArgsFunction: config.CompleteRuns(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			to, err := config.Cluster()
			if err != nil {
				return err
			}
			return o.follow(cmd, following{api: to.API, key: to.Key(args[0])})
		},
	}
	o.addTo(cmd)
	o.format.AddTo(cmd)
	return cmd
}

// options of the commands that follow a run.
type options struct {
	timeout  time.Duration
	interval time.Duration
	format   output.Format
}

func (o *options) addTo(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&o.timeout, "timeout", 0, "give up following after this time; the run goes on. 0: never")
	cmd.Flags().DurationVar(&o.interval, "interval", 2*time.Second, "time between two reads of the run")
}

// follow a run to its end, and show it.
func (o *options) follow(cmd *cobra.Command, f following) error {
	if o.interval <= 0 {
		return fmt.Errorf("--interval %s: it has to be above 0s", o.interval)
	}
	ctx := cmd.Context()
	if o.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.timeout)
		defer cancel()
	}
	f.interval, f.answer, f.patience, f.progress = o.interval, answer, patience, newProgress(cmd.ErrOrStderr())
	run, err := f.toTheEnd(ctx)
	f.progress.done()
	switch {
	case ctx.Err() != nil && cmd.Context().Err() == nil:
		return fmt.Errorf("BenchmarkRun %s has not ended within %s, and goes on: kubectl assay watch %s -n %s follows it again", f.key, o.timeout, f.key.Name, f.key.Namespace)
	case errors.Is(err, context.Canceled):
		return exit.Coded{Code: exit.Interrupted, Text: fmt.Sprintf(
			"interrupted; the run goes on. Follow it again with\n  kubectl assay watch %[1]s -n %[2]s\nor end it, with all that it has measured, with\n  kubectl delete bmr %[1]s -n %[2]s", f.key.Name, f.key.Namespace)}
	case err != nil:
		return err
	}
	doc := readout.FromStatus(run)
	out := cmd.OutOrStdout()
	if o.format == output.Name {
		out = io.Discard // it was printed when the run was started
	}
	if err := o.format.Write(out, doc, func(out io.Writer) error { return show.Tell(out, doc, false) }); err != nil {
		return err
	}
	if doc.ExitCode != exit.OK {
		return exit.Coded{Code: doc.ExitCode}
	}
	return nil
}

// following is a run that is followed.
type following struct {
	api      client.Reader
	key      client.ObjectKey
	interval time.Duration
	// answer is how long one reading may take, and patience how long none has to have succeeded before it is an error.
	answer, patience time.Duration
	progress         *progress
	// uid of the run; empty: that of the first reading.
	uid types.UID
}

const (
	// patience with an API server that does not answer.
	patience = time.Minute
	// answer of one reading: a connection that nobody closes, and nobody answers on, is given up then.
	answer = 20 * time.Second
)

// toTheEnd of the run, and of no other one that gets its name. A server that does not answer for a while is asked again.
func (f following) toTheEnd(ctx context.Context) (*v1alpha1.BenchmarkRun, error) {
	answered, seen := time.Now(), false
	for {
		run, err := f.read(ctx)
		now := time.Now()
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err == nil:
			if f.uid == "" {
				f.uid = run.UID
			}
			if run.UID != f.uid {
				return nil, fmt.Errorf("BenchmarkRun %s was deleted before it ended, and another run has its name now: kubectl assay watch %s -n %s follows that one", f.key, f.key.Name, f.key.Namespace)
			}
			if answered, seen = now, true; run.Finished() {
				return run, nil
			}
			f.progress.show(run, now)
		case apierrors.IsNotFound(err) && seen:
			return nil, fmt.Errorf("BenchmarkRun %s was deleted before it ended", f.key)
		case !mayPass(err) || now.Sub(answered) > f.patience:
			return nil, show.Unread(f.key, err)
		default:
			f.progress.note("the API server does not answer, asking again: " + err.Error())
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(f.interval):
		}
	}
}

// read at the run once.
func (f following) read(ctx context.Context) (*v1alpha1.BenchmarkRun, error) {
	ctx, cancel := context.WithTimeout(ctx, f.answer)
	defer cancel()
	run := &v1alpha1.BenchmarkRun{}
	return run, f.api.Get(ctx, f.key, run)
}

// mayPass says whether an error may go away by itself: the server is busy, or was not reached. An answer of it
// that says no does not.
func mayPass(err error) bool {
	var said apierrors.APIStatus
	return !errors.As(err, &said) || apierrors.IsServerTimeout(err) || apierrors.IsTimeout(err) || apierrors.IsTooManyRequests(err) ||
		apierrors.IsInternalError(err) || apierrors.IsServiceUnavailable(err)
}
