package cli

import (
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-bench/assay/internal/cli/design"
	"github.com/assay-bench/assay/internal/cli/follow"
	"github.com/assay-bench/assay/internal/cli/kube"
)

const tryHelp = `Take a first look at one server, or compare several with the first one.

A server is FLAVOR:VERSION, such as mysql:8.4, with settings behind a comma, as with kubectl assay new. Nothing else has to be
described: the manager chooses CPU and memory by the nodes of the cluster, and the result says which. The run is new each time, and is
followed as by kubectl assay run, with its exit codes.

A first look decides only large differences. For numbers to rely on, begin with the manifest of kubectl assay new, which names shapes.`

const tryExamples = `  kubectl assay try mysql:9.7 mariadb:11.8
  kubectl assay try mysql:9.7 slow=mysql:9.7,innodb_flush_log_at_trx_commit=2 --tool tpcc
  kubectl assay try mysql:8.4 mysql:9.7 --print > benchmark.yaml`

// newTry is the command `try`: the manifest of a first look, and the command `run` with it.
func newTry(k *kube.Config) *cobra.Command {
	tool, within, show := "sysbench", 5*time.Minute, false
	cmd := &cobra.Command{
		Use: "try SERVER...", Short: "Compare servers without writing a manifest", Long: tryHelp, Example: tryExamples, Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := design.FirstLook(args, tool, within)
			if err != nil {
				return err
			}
			if show {
				_, err = io.WriteString(cmd.OutOrStdout(), text)
				return err
			}
			run := follow.NewRun(k)
			run.SilenceErrors, run.SilenceUsage = true, true
			run.SetArgs([]string{"--filename=-"})
			run.SetIn(strings.NewReader(text))
			run.SetOut(cmd.OutOrStdout())
			run.SetErr(cmd.ErrOrStderr())
			return run.ExecuteContext(cmd.Context())
		},
	}
	cmd.Flags().StringVar(&tool, "tool", tool, "the tool, as with kubectl assay new")
	cmd.Flags().DurationVar(&within, "within", within, "how long several servers are measured, from the first trial on")
	cmd.Flags().BoolVar(&show, "print", false, "print the manifest, and start nothing")
	return cmd
}
