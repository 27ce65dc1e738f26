package design

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/assay-bench/assay/internal/contract"
)

const newHelp = `Print a manifest of a run, with comments.

Flags say what it has; on a terminal what they leave open is asked for. What is printed was checked and planned as by kubectl
assay plan, and has as many blocks as its comparisons need. Nothing is written to the cluster, and none is needed.

A target is FLAVOR:VERSION, such as MySQL:9.7, or NAME=FLAVOR:VERSION; several are compared with the first one. A shape is the
name of an InstanceShape, or cpu and memory, such as cpu=4,memory=16Gi, which takes the right to create pods. kubectl assay
shapes suggests some.

For drivers of a language and for tools of your own, begin with the samples: docs/guide/compare.md, docs/guide/custom-tools.md.`

const newExamples = `  kubectl assay new > benchmark.yaml
  kubectl assay new --target MySQL:8.4 --target MySQL:9.7 --tool sysbench --target-shape db-16 > benchmark.yaml
  kubectl assay new --name log --target off=MariaDB:10.11 --target on=MariaDB:11.8 --tool tpcc | kubectl assay plan -f -`

// draft of a run, as flags and answers say it.
type draft struct {
	name, tool               string
	targets                  []string
	targetShape, clientShape string
	storage                  string
	threads, blocks          int
	warmup, duration         time.Duration
}

// tools that a manifest can be made for, with their workloads.
var tools = map[string]string{
	"sysbench": "sysbench: {test: oltp_read_write, threads: %d, tables: 8, tableSize: 100000}",
	"ycsb":     "ycsb: {workload: a, recordCount: 100000, threads: %d}",
	"tpcc":     "tpcc: {warehouses: 10, threads: %d}",
}

// NewNew is the command `new`.
func NewNew() *cobra.Command {
	var d draft
	ask := false
	cmd := &cobra.Command{
		Use: "new", Short: "Print a manifest of a run, with comments", Long: newHelp, Example: newExamples, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if ask || isTerminal(cmd.InOrStdin()) {
				q := questions{in: bufio.NewReader(io.LimitReader(cmd.InOrStdin(), maxAnswers)), out: cmd.ErrOrStderr()}
				if err := d.ask(q, cmd.Flags().Changed); err != nil {
					return err
				}
			}
			text, err := d.manifest()
			if err != nil {
				return err
			}
			_, err = io.WriteString(cmd.OutOrStdout(), text)
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&d.name, "name", "benchmark", "name of the run; one that ends with - is a prefix, and each run gets a name of its own")
	flags.StringArrayVar(&d.targets, "target", nil, "a server, such as MySQL:9.7 or new=MySQL:9.7; several times for several")
	flags.StringVar(&d.tool, "tool", "sysbench", "sysbench, ycsb or tpcc")
	flags.StringVar(&d.targetShape, "target-shape", "cpu=2,memory=4Gi", "shape of the servers: its name, or cpu and memory")
	flags.StringVar(&d.clientShape, "client-shape", "cpu=2,memory=2Gi", "shape of the clients: its name, or cpu and memory")
	flags.StringVar(&d.storage, "storage", "10Gi", "size of the volume of each server")
	flags.IntVar(&d.threads, "threads", 16, "threads of the tool")
	flags.IntVar(&d.blocks, "blocks", 0, "repetitions; 0: 10, or as many as the comparisons need")
	flags.DurationVar(&d.warmup, "warmup", 30*time.Second, "time before each measurement")
	flags.DurationVar(&d.duration, "duration", 5*time.Minute, "time of each measurement")
	flags.BoolVar(&ask, "ask", false, "ask for what the flags leave open also where standard input is no terminal")
	_ = cmd.RegisterFlagCompletionFunc("tool", cobra.FixedCompletions([]cobra.Completion{"sysbench", "ycsb", "tpcc"}, cobra.ShellCompDirectiveNoFileComp)) //nolint:errcheck // the flag exists
	return cmd
}

// maxAnswers are read of a standard input, in bytes.
const maxAnswers = 64 << 10

func isTerminal(in io.Reader) bool {
	file, is := in.(*os.File)
	return is && term.IsTerminal(int(file.Fd()))
}

// questions to the user.
type questions struct {
	in  *bufio.Reader
	out io.Writer
}

// ask for a text; an empty answer, and no answer, is the default.
func (q questions) ask(what, otherwise string) (string, error) {
	prompt := what
	if otherwise != "" {
		prompt += " [" + otherwise + "]"
	}
	if _, err := io.WriteString(q.out, prompt+": "); err != nil {
		return "", err
	}
	line, err := q.in.ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("reading the answer: %w", err)
	}
	if line = strings.TrimSpace(line); line == "" {
		return otherwise, nil
	}
	return line, nil
}

// ask for what the flags leave open.
func (d *draft) ask(q questions, given func(flag string) bool) error {
	for _, one := range []struct {
		flag, what string
		into       *string
	}{
		{"name", "Name of the run", &d.name},
		{"tool", "Tool (sysbench, ycsb, tpcc)", &d.tool},
		{"target-shape", "Shape of the servers (a name, or cpu=2,memory=4Gi)", &d.targetShape},
		{"client-shape", "Shape of the clients", &d.clientShape},
		{"storage", "Size of the volume of each server", &d.storage},
	} {
		if given(one.flag) {
			continue
		}
		answer, err := q.ask(one.what, *one.into)
		if err != nil {
			return err
		}
		*one.into = answer
	}
	for !given("target") {
		what := "A server, such as MySQL:9.7"
		if len(d.targets) > 0 {
			what = "Another one to compare with it (empty: no more)"
		}
		answer, err := q.ask(what, "")
		if err != nil || answer == "" {
			return err
		}
		if _, err := targetOf(answer); err != nil {
			fmt.Fprintln(q.out, err) //nolint:errcheck // the next question fails, too
			continue
		}
		d.targets = append(d.targets, answer)
	}
	return nil
}

// server of a manifest.
type server struct{ Name, Flavor, Version string }

// flavors by their names in lower case.
var flavors = map[string]string{"mysql": "MySQL", "mariadb": "MariaDB", "percona": "Percona", "tidb": "TiDB"}

// notInNames are characters that a name of a target cannot have.
var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// targetOf a text such as new=MySQL:9.7.
func targetOf(text string) (server, error) {
	name, what, named := strings.Cut(text, "=")
	if !named {
		name, what = "", text
	}
	flavor, version, ok := strings.Cut(what, ":")
	known, is := flavors[strings.ToLower(flavor)]
	if !ok || version == "" || !is || named && name == "" {
		return server{}, fmt.Errorf("%q is no target: write FLAVOR:VERSION or NAME=FLAVOR:VERSION, such as MySQL:9.7, with one of MySQL, MariaDB, Percona, TiDB", contract.Line(text))
	}
	if name == "" {
		name = strings.Trim(notInNames.ReplaceAllString(strings.ToLower(flavor+"-"+version), "-"), "-")
	}
	return server{name, known, version}, nil
}

// servers of the draft.
func (d *draft) servers() ([]server, error) {
	if len(d.targets) == 0 {
		return nil, errors.New("name a server with --target, such as --target MySQL:9.7; two are compared with each other")
	}
	var out []server
	for _, text := range d.targets {
		s, err := targetOf(text)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(out, func(o server) bool { return o.Name == s.Name }) {
			return nil, fmt.Errorf("two targets have the name %s: give them names, such as --target old=%s:%s", s.Name, s.Flavor, s.Version)
		}
		out = append(out, s)
	}
	return out, nil
}

// shapeOf a text: the name of an InstanceShape, or cpu and memory.
func shapeOf(flag, text string) (string, error) {
	if !strings.Contains(text, "=") {
		return fmt.Sprintf("{name: %s}", quoted(text)), nil
	}
	given := map[string]string{}
	for _, part := range strings.Split(text, ",") {
		key, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		if _, err := resource.ParseQuantity(value); err != nil || key != "cpu" && key != "memory" {
			return "", fmt.Errorf("--%s: %q is neither the name of a shape nor cpu and memory, such as cpu=4,memory=16Gi", flag, text)
		}
		given[key] = value
	}
	if len(given) != 2 {
		return "", fmt.Errorf("--%s: %q has not both cpu and memory, such as cpu=4,memory=16Gi", flag, text)
	}
	return fmt.Sprintf("{inline: {cpu: %s, memory: %s}}", quoted(given["cpu"]), quoted(given["memory"])), nil
}
