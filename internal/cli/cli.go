package cli

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/assay-bench/assay/internal/cli/design"
	"github.com/assay-bench/assay/internal/cli/exit"
	"github.com/assay-bench/assay/internal/cli/follow"
	"github.com/assay-bench/assay/internal/cli/kube"
	"github.com/assay-bench/assay/internal/cli/output"
	"github.com/assay-bench/assay/internal/cli/schedule"
	"github.com/assay-bench/assay/internal/cli/show"
	"github.com/assay-bench/assay/internal/cli/ui"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/bundle"
	"github.com/assay-bench/assay/internal/record/stored"
)

// Main runs a command and returns its exit code. Ctrl-C ends the command.
func Main(args []string, out, problems io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return Run(ctx, args, Streams{os.Stdin, out, problems})
}

// Streams of the program.
type Streams struct {
	// In is standard input.
	In io.Reader
	// Out has the result, Problems errors and progress.
	Out, Problems io.Writer
}

// Run a command until it ends, or the context does, and return its exit code.
func Run(ctx context.Context, args []string, streams Streams) int {
	log.SetLogger(logr.Discard()) // what the client library says to itself is nothing for a terminal
	cmd := NewCommand()
	cmd.SetArgs(args)
	out, problems := contract.CleanWriter{To: streams.Out}, contract.CleanWriter{To: streams.Problems} // tenants wrote a part of it
	cmd.SetIn(streams.In)
	cmd.SetOut(out)
	cmd.SetErr(problems)
	page := output.NewPage(problems)
	defer func() { _ = page.Flush() }() // there is nobody else to tell
	if err := exit.UnknownCommand(cmd, args); err != nil {
		page.Prose("error: " + err.Error())
		return exit.Problem
	}
	called, err := cmd.ExecuteContextC(ctx)
	code, text := exit.CodeOf(exit.InWords(called, err))
	if text != "" {
		if code != exit.Interrupted {
			text = "error: " + text
		}
		page.Prose(text)
	}
	return code
}

const rootHelp = `Run benchmarks of databases in a cluster, and look at them.

Every command works with your own rights, as kubectl does. Exit codes of all commands:
  0    it is done, or it holds; a run that was followed has passed
  1    wrong usage, or an error of the API, as with kubectl
  2    run, watch: the run has failed
  3    run, watch: the run is not valid
  4    run, watch: the gate of the run has failed
  5    run, watch: the gate of the run could not decide
  6    verify, compare, export, import, rerun, baseline promote: what a run has stored was changed or is gone, or a bundle is damaged
  7    rerun --check: the repetition does not lie within what the earlier runs predict
  130  Ctrl-C`

// NewCommand is the command with all that are below it.
func NewCommand() *cobra.Command {
	root := &cobra.Command{
		Use: "kubectl-assay", Short: "Run benchmarks of databases, and read their results", Long: rootHelp,
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl assay"},
		SilenceErrors: true, SilenceUsage: true,
	}
	output.AddColorTo(root.PersistentFlags())
	root.SetHelpFunc(help)
	k := kube.New(root.PersistentFlags())
	root.AddCommand(
		newTry(k), follow.NewRun(k), follow.NewWatch(k), show.NewGet(k), show.NewWhy(k), show.NewLogs(k), show.NewExplain(), design.NewPlan(), design.NewNew(), design.NewShapes(k),
		newVerify(k), newCompare(k), newBaseline(k),
		newExport(k), newImport(), newReport(k), newRerun(k), newVersion(k), schedule.New(k),
		ui.NewUI(k, ui.Reading{Compare: comparisonOf, Report: writePage}),
	)
	return root
}

// streams of a command: its result, and what is told besides.
type streams struct{ out, problems io.Writer }

// onRuns is a command that does something with the runs and bundles that its arguments name.
func onRuns(k *kube.Config, do func(ctx context.Context, runs []stored.Source, to streams) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		runs, err := sources(k, args)
		if err != nil {
			return err
		}
		return do(cmd.Context(), runs, streams{cmd.OutOrStdout(), cmd.ErrOrStderr()})
	}
}

// sources of the runs that a command names: runs of the namespace that the user is in, and bundles by
// their paths. Bundles stay open until the program ends. Without a run of the cluster none is asked.
func sources(k *kube.Config, names []string) (out []stored.Source, err error) {
	var to kube.Cluster
	for _, name := range names {
		if bundle.IsPath(name) {
			b, err := bundle.Open(name)
			if err != nil {
				return nil, err
			}
			out = append(out, b)
			continue
		}
		if to.API == nil {
			if to, err = k.Cluster(); err != nil {
				return nil, err
			}
		}
		out = append(out, stored.InCluster(to.API, to.Key(name)))
	}
	return out, nil
}
