package custom

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// Params are spec.workload.custom, which have their defaults and are within their bounds.
type Params v1alpha1.CustomWorkload

// parameterName is what may stand between $( and ).
var parameterName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

func decodeParams(workload json.RawMessage) (Params, error) {
	return runner.Decode(Name, workload, Params.validate)
}

func ofTrial(t contract.Trial) (Params, error) { return decodeParams(t.Workload) }

// validate checks what a schema cannot express.
func (p Params) validate() error {
	for name := range p.Parameters {
		if !parameterName.MatchString(name) {
			return fmt.Errorf("workload.custom.parameters: %q is not a name: use letters, digits and underscores", name)
		}
		if slices.Contains(builtInNames, name) {
			return fmt.Errorf("workload.custom.parameters.%s: this name belongs to Assay: choose another", name)
		}
	}
	for _, name := range p.DataParameters {
		if _, has := p.Parameters[name]; !has {
			return fmt.Errorf("workload.custom.dataParameters: there is no parameter %q", name)
		}
	}
	for field, phase := range map[string]*v1alpha1.CustomPhase{"prepare": p.Prepare, "run": &p.Run, "cleanup": p.Cleanup} {
		if phase != nil && phase.Command[0] == "" {
			return fmt.Errorf("workload.custom.%s.command: empty: name the program", field)
		}
	}
	return nil
}

// phase is the command of a phase; nil when it has none.
func (p Params) phase(phase contract.Phase) *v1alpha1.CustomPhase {
	switch phase {
	case contract.PhasePrepare:
		return p.Prepare
	case contract.PhaseCleanup:
		return p.Cleanup
	}
	return &p.Run
}

// names says whether the command has a value that Assay fills in; $$(NAME) has not.
func names(p *v1alpha1.CustomPhase, name string) bool {
	return slices.ContainsFunc(p.Command, func(arg string) bool {
		return slices.Contains(reference.FindAllString(arg, -1), "$("+name+")")
	})
}

func skips(t contract.Trial, phase contract.Phase) bool {
	p, err := decodeParams(t.Workload)
	return err == nil && p.phase(phase) == nil
}

func (p Params) expectations(t contract.Trial) runner.Expectations {
	f := runner.Expectations{
		TLSRequired: t.Endpoint.TLS == contract.TLSRequired,
		Headline:    headlines[p.Format],
		// Its own options may hold a rate, which its report tells.
		RandomArrivals: p.Format == "Sysbench",
		// Of the tables that the tool made with the server's default, or with this.
		StorageEngine: t.Endpoint.StorageEngine,
	}
	if names(&p.Run, durationName) { // the tool is told how long to run
		f.DurationSeconds = t.DurationSeconds
	}
	return f
}

// headlines are the measurements that the result of a format has to have. Result is
// the tool's own affair; the others not named here have a throughput.
var headlines = map[string]string{
	"Result":           runner.AnyHeadline,
	"Mysqlslap":        nameRoundTime,
	"GoBenchmark":      runner.AnyHeadline,
	"GoTPC":            runner.AnyHeadline, // of the published go-tpc ch there are latencies alone
	"PytestBenchmark":  nameOperationTime,
	formatHistogramLog: contract.NameLatencyAvg,
}

func (p Params) demand(contract.Trial) contract.Demand {
	return contract.Demand{Connections: int64(p.Threads)}
}

// dataFields are what Prepare depends on: of the parameters, those that the user names.
func (p Params) dataFields(json.RawMessage) []string {
	return append([]string{"image", "prepare", "files", "dataParameters"}, p.DataParameters...)
}

// pods are made from the image of the user, with the files of the user.
func (p Params) pods(json.RawMessage) runner.Pods {
	out := runner.Pods{Image: p.Image, PullPolicy: string(p.ImagePullPolicy)}
	for _, secret := range p.ImagePullSecrets {
		out.PullSecrets = append(out.PullSecrets, secret.Name)
	}
	if p.Files != nil {
		out.Files = runner.Files{ConfigMap: p.Files.Name, Field: "workload.custom.files"}
	}
	return out
}
