package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/exit"
	"github.com/assay-bench/assay/internal/record/bundle"
	"github.com/assay-bench/assay/test/helpers/finished"
	"github.com/assay-bench/assay/test/helpers/screen"
)

// long is a message that no terminal of the test has in one line.
const long = "the results of the clients contradict themselves: what the server has counted in the measured window is less than what the tool has reported " +
	"of it, so that none of the numbers of this trial can be relied on, and a longer window is needed"

// notValid is a run whose results contradict themselves.
func notValid(run *v1alpha1.BenchmarkRun) {
	run.Status.Resolved = &v1alpha1.Resolved{AgentImage: "agent:1", Targets: []v1alpha1.ResolvedTarget{{Name: "a"}, {Name: "b"}}}
	apimeta.SetStatusCondition(&run.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionValid, Status: metav1.ConditionFalse, Reason: "Contradictory", Message: long})
	for i := range run.Status.Conditions {
		run.Status.Conditions[i].LastTransitionTime = metav1.Time{} // how long ago that was is no part of the test
	}
}

// typed are answers, of which each ends a line of the terminal.
type typed struct {
	answers  *strings.Reader
	terminal io.Writer
}

// Read one answer at most.
func (t *typed) Read(into []byte) (n int, err error) {
	for n < len(into) && err == nil {
		if into[n], err = t.answers.ReadByte(); err == nil {
			if n++; into[n-1] == '\n' {
				_, err = io.WriteString(t.terminal, "\n")
				break
			}
		}
	}
	return n, err
}

// flat is a text as if nothing was wrapped.
func flat(text string) string { return strings.Join(strings.Fields(text), " ") }

// Everything that a command says in words is wrapped between words, on every terminal and in a pipe. Commands that need a cluster are
// tested in their packages with the same check.
func TestProseFitsTheTerminal(t *testing.T) {
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	sound := exported(t, finished.New(t, finished.Options{Name: "run-1", Blocks: 12}))
	other := exported(t, finished.New(t, finished.Options{Name: "run-2", Blocks: 12, Ratio: 1.52}))
	third := exported(t, finished.New(t, finished.Options{Name: "run-3", Blocks: 12, Ratio: 1.5}))
	invalid := exported(t, finished.New(t, finished.Options{Name: "run-4", Change: notValid}))
	damaged := filepath.Join(t.TempDir(), "damaged"+bundle.Extension)
	if err := os.WriteFile(damaged, []byte("no bundle"), 0o600); err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	file := filepath.Join(work, "out")
	const samples = "../../config/samples/"
	lines := map[string][]string{
		"get":                    {"get", sound},
		"get, not valid":         {"get", invalid},
		"why":                    {"why", invalid},
		"verify":                 {"verify", sound},
		"verify, damaged":        {"verify", damaged},
		"verify, another head":   {"verify", sound, "--head", strings.Repeat("0", 64)},
		"compare":                {"compare", sound, other},
		"compare, not valid":     {"compare", sound, invalid},
		"rerun":                  {"rerun", sound, "-o", file},
		"rerun --check":          {"rerun", sound, other, third, "--check", invalid},
		"rerun --check, too few": {"rerun", sound, "--check", other},
		"promote":                {"baseline", "promote", sound, "--reason", "release", "-o", file},
		"promote, not valid":     {"baseline", "promote", invalid, "--reason", "release"},
		"export":                 {"export", invalid, "--format", "csv", "-o", file},
		"export --bundle":        {"export", sound, "--bundle", "-o", filepath.Join(work, "a"+bundle.Extension)},
		"report":                 {"report", sound, "-o", file},
		"plan of the demo":       {"plan", "-f", samples + "demo.yaml"},
		"plan of a sweep":        {"plan", "-f", samples + "published/s4-sweep/full.yaml"},
		"plan of a search":       {"plan", "-f", samples + "search.yaml"},
		"new, with a warning":    {"new", "--target", "a=MySQL:9.7,max_conections=5", "--target", "b=Percona:8.4,max_connections=5"},
		"new, refused":           {"new", "--target", "MySQL:8.4", "--blocks", "401"},
		"new, asked":             {"new", "--ask"},
		"explain a reason":       {"explain", "Queued"},
		"explain a check":        {"explain", "no-op-writes"},
		"explain a verdict":      {"explain", "inconclusive"},
		"explain a word":         {"explain", "outcome"},
		"explain a field":        {"explain", "design.dataReset"},
		"explain several fields": {"explain", "threads"},
		"version":                {"version"},
		"no cluster":             {"get"},
		"no command":             {"frobnicate"},
		"a flag too few":         {"run"},
		"run: no file":           {"run", "-f", "/no/such"},
		"watch":                  {"watch", "demo", "--timeout", "soon"},
		"logs":                   {"logs", "demo"},
		"schedule":               {"schedule", "run-now", "nightly"},
		"shapes":                 {"shapes"},
		"ui":                     {"ui", damaged},
		"import":                 {"import", damaged},
	}
	var helps func(cmd *cobra.Command, path []string)
	helps = func(cmd *cobra.Command, path []string) {
		name := strings.Join(append(path, "--help"), " ")
		lines[name] = append(path[:len(path):len(path)], "--help")
		for _, below := range cmd.Commands() {
			helps(below, append(path[:len(path):len(path)], below.Name()))
		}
	}
	helps(NewCommand(), nil)
	for name, args := range lines {
		t.Run(name, func(t *testing.T) {
			screen.Wrapped(t, func(out io.Writer) {
				to := Streams{In: &typed{strings.NewReader("mine\n\n\n\n\nMySQL:9.7\n\n"), out}, Out: out, Problems: out}
				if args[0] == "new" && !strings.HasSuffix(name, "--help") { // the manifest
					to.Out = io.Discard
				}
				code := Run(t.Context(), args, to)
				if strings.HasSuffix(name, "--help") && code != exit.OK {
					t.Errorf("exit code %d", code)
				}
			})
		})
	}
}
