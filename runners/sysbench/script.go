package sysbench

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

var inputName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,252}$`)

// filesOf are the files of the script, for the working directory.
func filesOf(s *v1alpha1.SysbenchScript, inputs map[string][]byte) (map[string][]byte, error) {
	const field = "workload.sysbench.script"
	if _, has := inputs[s.File]; !has {
		return nil, fmt.Errorf("%s.file: the ConfigMap %s has no key %s: it has %v",
			field, s.ConfigMap.Name, s.File, slices.Sorted(maps.Keys(inputs)))
	}
	for _, name := range slices.Sorted(maps.Keys(inputs)) {
		if !inputName.MatchString(name) {
			return nil, fmt.Errorf("%s.configMap: the key %q is not the name of a file here: begin with a letter or a digit", field, name)
		}
		if slices.Contains([]string{configFile, keyFile, certFile, caFile}, name) {
			return nil, fmt.Errorf("%s.configMap: the key %s is the name of a file that Assay writes: choose another", field, name)
		}
	}
	return inputs, nil
}

// hasPhase says whether the script has the phase; every one has run.
func hasPhase(s *v1alpha1.SysbenchScript, phase contract.Phase) bool {
	return phase == contract.PhaseRun || phase == contract.PhaseWarmup || slices.Contains(s.Phases, string(phase))
}

// skips: a script that lacks a phase has nothing to do in it, and it loads once: only
// the script of the bundled tests can share the load among clients, of which one without a table has nothing to load.
func skips(t contract.Trial, phase contract.Phase) bool {
	p, err := decodeParams(t.Workload)
	if err != nil {
		return false // Command says what is wrong
	}
	if p.Script == nil {
		own := partOf(t, phase, p)
		return own.index > 0 && own.index < own.parts && own.count() == 0
	}
	return !hasPhase(p.Script, phase) || phase == contract.PhasePrepare && t.Ref.Client > 0
}

// pods need the ConfigMap of a script.
func (p Params) pods(json.RawMessage) runner.Pods {
	if p.Script == nil {
		return runner.Pods{}
	}
	return runner.Pods{Files: runner.Files{
		ConfigMap: p.Script.ConfigMap.Name, Field: "workload.sysbench.script.configMap", Needed: p.Script.File,
	}}
}
