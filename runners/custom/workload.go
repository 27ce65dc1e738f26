package custom

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/contract"
)

// Params are spec.workload.custom. The API has the defaults; nothing is defaulted
// here.
type Params struct {
	// Image, ImagePullPolicy, ImagePullSecrets and Files are the manager's to use.
	Image            string          `json:"image"`
	ImagePullPolicy  string          `json:"imagePullPolicy,omitempty"`
	ImagePullSecrets json.RawMessage `json:"imagePullSecrets,omitempty"`
	Files            json.RawMessage `json:"files,omitempty"`
	// Prepare and Cleanup are nil when there is nothing to do.
	Prepare *Phase `json:"prepare,omitempty"`
	Run     Phase  `json:"run"`
	Cleanup *Phase `json:"cleanup,omitempty"`
	// Parameters are values for the commands.
	Parameters map[string]string `json:"parameters,omitempty"`
	// DataParameters are those that decide what Prepare loads.
	DataParameters []string `json:"dataParameters,omitempty"`
	// Threads is the number of connections of the tool, from 1.
	Threads int32 `json:"threads"`
	// Format of the output of Run.
	Format string `json:"format"`
	// Output is the file with the output; empty for the standard output.
	Output string `json:"output,omitempty"`
	// HistogramUnit is the unit of the values of a histogram log: ns, us or ms.
	HistogramUnit string `json:"histogramUnit,omitempty"`
}

// Phase is a command.
type Phase struct {
	Command []string `json:"command"`
}

// parameterName is what may stand between $( and ).
var parameterName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

// outputName is a file of the working directory.
var outputName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$`)

// decodeParams reads the workload of a trial strictly.
func decodeParams(workload json.RawMessage) (Params, error) {
	var p Params
	if err := runner.DecodeWorkload(Name, workload, &p); err != nil {
		return Params{}, err
	}
	if err := p.validate(); err != nil {
		return Params{}, err
	}
	return p, nil
}

func (p Params) validate() error {
	if p.Threads < 1 || p.Threads > 4096 {
		return fmt.Errorf("workload.custom.threads: %d is out of range: use 1 to 4096", p.Threads)
	}
	if p.Output != "" && !outputName.MatchString(p.Output) {
		return fmt.Errorf("workload.custom.output: %q is not the name of a file in the working directory", p.Output)
	}
	if units := []string{"", "ns", "us", "ms"}; !slices.Contains(units, p.HistogramUnit) {
		return fmt.Errorf("workload.custom.histogramUnit: %q is not known: use ns, us or ms", p.HistogramUnit)
	}
	for name := range p.Parameters {
		if !parameterName.MatchString(name) {
			return fmt.Errorf("workload.custom.parameters: %q is not a name: use letters, digits and underscores", name)
		}
		if _, builtIn := builtIns[name]; builtIn {
			return fmt.Errorf("workload.custom.parameters.%s: this name belongs to Assay: choose another", name)
		}
	}
	for _, name := range p.DataParameters {
		if _, has := p.Parameters[name]; !has {
			return fmt.Errorf("workload.custom.dataParameters: there is no parameter %q", name)
		}
	}
	for field, phase := range map[string]*Phase{"prepare": p.Prepare, "run": &p.Run, "cleanup": p.Cleanup} {
		if phase != nil && (len(phase.Command) == 0 || phase.Command[0] == "") {
			return fmt.Errorf("workload.custom.%s.command: empty: name the program", field)
		}
	}
	return nil
}

// phase is the command of a phase; nil when it has none.
func (p Params) phase(phase contract.Phase) *Phase {
	switch phase {
	case contract.PhasePrepare:
		return p.Prepare
	case contract.PhaseCleanup:
		return p.Cleanup
	}
	return &p.Run
}

// timed says whether the tool is told how long to run.
func (p Params) timed() bool {
	return p.Run.names(durationName)
}

// names says whether the command has a value that Assay fills in; $$(NAME) has not.
func (p Phase) names(name string) bool {
	return slices.ContainsFunc(p.Command, func(arg string) bool {
		return slices.Contains(reference.FindAllString(arg, -1), "$("+name+")")
	})
}

func skips(t contract.Trial, phase contract.Phase) bool {
	p, err := decodeParams(t.Workload)
	return err == nil && p.phase(phase) == nil
}

func facts(t contract.Trial) (runner.Facts, error) {
	p, err := decodeParams(t.Workload)
	if err != nil {
		return runner.Facts{}, err
	}
	f := runner.Facts{
		TLSRequired: t.Endpoint.TLS == contract.TLSRequired,
		Headline:    headlines[p.Format],
		// Its own options may hold a rate, which its report tells.
		RandomArrivals: p.Format == "Sysbench",
		// Of the tables that the tool made with the server's default, or with this.
		StorageEngine: t.Endpoint.StorageEngine,
	}
	if p.timed() {
		f.DurationSeconds = t.DurationSeconds
	}
	return f, nil
}

// headlines are the measurements that the result of a format has to have. Result is
// the tool's own affair; the others not named here have a throughput.
var headlines = map[string]string{
	"Result":           runner.AnyHeadline,
	"Mysqlslap":        nameRoundTime,
	"GoBenchmark":      runner.AnyHeadline,
	"PytestBenchmark":  nameOperationTime,
	formatHistogramLog: contract.NameLatencyAvg,
}

func demand(t contract.Trial) (contract.Demand, error) {
	p, err := decodeParams(t.Workload)
	return contract.Demand{Connections: int64(p.Threads)}, err
}
