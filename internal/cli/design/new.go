package design

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/output"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/nearest"
	"github.com/assay-bench/assay/runners"
	"github.com/assay-bench/assay/runners/runner"
)

const newHelp = `Print a manifest of a run, with comments.

Flags say what it has; on a terminal what they leave open is asked for. The manifest is checked and planned as by kubectl assay
plan, and has as many blocks as its comparisons need. Nothing is written to the cluster, and none is needed.

A target is FLAVOR:VERSION, such as MySQL:9.7, or NAME=FLAVOR:VERSION; several are compared with the first one. Settings of the
server stand behind it, as NAME=VALUE, each after a comma; a value with commas is in quotes. A shape is the name of an InstanceShape, or cpu and memory, such as cpu=4,memory=16Gi, which takes the right to create pods. kubectl assay
shapes suggests some.

For tools of your own begin with the samples of docs/guide/custom-tools.md.`

const newExamples = `  kubectl assay new > benchmark.yaml
  kubectl assay new --target MySQL:8.4 --target MySQL:9.7 --tool sysbench --target-shape db-16 > benchmark.yaml
  kubectl assay new --target flush=MySQL:8.4,innodb_flush_log_at_trx_commit=1 --target lazy=MySQL:8.4,innodb_flush_log_at_trx_commit=2
  kubectl assay new --target 'strict=MySQL:9.7,sql_mode="STRICT_TRANS_TABLES,NO_ZERO_DATE"'
  kubectl assay new --name log --target off=MariaDB:10.11 --target on=MariaDB:11.8 --tool tpcc | kubectl assay plan -f -`

// draft of a run, as flags and answers say it.
type draft struct {
	name, tool               string
	targets                  []string
	targetShape, clientShape string
	storage, minimumEffect   string
	threads, blocks          int
	warmup, duration         time.Duration
}

// tools that a manifest can be made for.
func tools() (names []string) {
	for _, r := range runners.All() {
		if r.Design.Sample != "" {
			names = append(names, r.Name)
		}
	}
	return names
}

// toolOf a name.
func toolOf(name string) (runner.Runner, error) {
	r, is := runners.Find(name)
	switch {
	case !is:
		return r, fmt.Errorf("--tool %q%s: use one of %s", contract.Line(name), didYouMean(nearest.To(name, tools())), strings.Join(tools(), ", "))
	case r.Design.Sample == "":
		return r, fmt.Errorf("--tool %s needs what only you know: begin with a sample of docs/guide, such as docs/guide/custom-tools.md", r.Name)
	}
	return r, nil
}

// NewNew is the command `new`.
func NewNew() *cobra.Command {
	var d draft
	ask := false
	cmd := &cobra.Command{
		Use: "new", Short: "Print a manifest of a run, with comments", Long: newHelp, Example: newExamples, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			given := cmd.Flags().Changed
			asked := ask || isTerminal(cmd.InOrStdin())
			if asked {
				q := questions{in: bufio.NewReader(io.LimitReader(cmd.InOrStdin(), maxAnswers)), out: cmd.ErrOrStderr()}
				if err := d.ask(q, given); err != nil {
					return err
				}
			}
			text, warnings, err := d.manifest(given)
			if err != nil && asked {
				return fmt.Errorf("%w\nYour answers, to be corrected:\n  %s", err, d.command(given))
			}
			if err != nil {
				return err
			}
			p := output.NewPage(cmd.ErrOrStderr())
			for _, warning := range warnings {
				p.Line("warning: " + warning)
			}
			if err := p.Flush(); err != nil {
				return err
			}
			_, err = io.WriteString(cmd.OutOrStdout(), text)
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&d.name, "name", "benchmark", "name of the run; one that ends with - is a prefix, and each run gets a name of its own")
	flags.StringArrayVar(&d.targets, "target", nil, "a server with its settings, such as MySQL:9.7 or new=MySQL:9.7,max_connections=500; several times for several")
	flags.StringVar(&d.tool, "tool", "sysbench", "one of "+strings.Join(tools(), ", "))
	flags.StringVar(&d.targetShape, "target-shape", "cpu=2,memory=4Gi", "shape of the servers: its name, or cpu and memory")
	flags.StringVar(&d.clientShape, "client-shape", "cpu=2,memory=2Gi", "shape of the clients: its name, or cpu and memory")
	flags.StringVar(&d.storage, "storage", "10Gi", "size of the volume of each server")
	flags.StringVar(&d.minimumEffect, "minimum-effect", v1alpha1.DefaultMinimumEffect, "the smallest difference that matters to you; two servers that are shown to differ by less are Equivalent")
	flags.IntVar(&d.threads, "threads", 0, "threads of a tool that has threads (default: the CPUs of --target-shape, at least 1; 16 where that is a name)")
	flags.IntVar(&d.blocks, "blocks", 0, "repetitions; 0: 10, or as many as the comparisons need")
	flags.DurationVar(&d.warmup, "warmup", 30*time.Second, "time before each measurement; of a tool with many in each trial 1s unless it is given")
	flags.DurationVar(&d.duration, "duration", 5*time.Minute, "time of each measurement; of a tool with many in each trial 3s unless it is given")
	flags.BoolVar(&ask, "ask", false, "ask for what the flags leave open also where standard input is no terminal")
	_ = cmd.RegisterFlagCompletionFunc("tool", cobra.FixedCompletions(tools(), cobra.ShellCompDirectiveNoFileComp)) //nolint:errcheck // the flag exists
	return cmd
}

// shapeOf a text: the name of an InstanceShape, or cpu and memory.
func shapeOf(flag, text string) (string, error) {
	given, err := inlineShape(flag, text)
	switch {
	case err != nil:
		return "", err
	case given == nil:
		return fmt.Sprintf("{name: %s}", quoted(text)), nil
	}
	return fmt.Sprintf("{inline: {cpu: %s, memory: %s}}", quoted(given["cpu"]), quoted(given["memory"])), nil
}

// inlineShape has cpu and memory of a text; nil for the name of an InstanceShape.
func inlineShape(flag, text string) (map[string]string, error) {
	if !strings.Contains(text, "=") {
		return nil, nil
	}
	given := map[string]string{}
	for _, part := range strings.Split(text, ",") {
		key, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		if _, err := resource.ParseQuantity(value); err != nil || key != "cpu" && key != "memory" {
			return nil, fmt.Errorf("--%s: %q is neither the name of a shape nor cpu and memory, such as cpu=4,memory=16Gi", flag, text)
		}
		given[key] = value
	}
	if len(given) != 2 {
		return nil, fmt.Errorf("--%s: %q has not both cpu and memory, such as cpu=4,memory=16Gi", flag, text)
	}
	return given, nil
}
