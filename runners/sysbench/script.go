package sysbench

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/assay-bench/assay/internal/contract"
)

// Script is a Lua script of the user.
type Script struct {
	// ConfigMap that the files of the trial come from.
	ConfigMap struct {
		Name string `json:"name"`
	} `json:"configMap"`
	// File is the name of the script among them; absent for script.lua.
	File string `json:"file,omitempty"`
	// Phases that the script has besides run: Prepare, Cleanup.
	Phases []string `json:"phases,omitempty"`
	// PreparedStatements of each connection.
	PreparedStatements int32 `json:"preparedStatements,omitempty"`
}

// defaultScript is the name of the script's file when the spec has none.
const defaultScript = "script.lua"

// The API's defaults of the fields that only the bundled tests have.
const (
	defaultTables    = 1
	defaultTableSize = 10000
)

var (
	scriptName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}[.]lua$`)
	inputName  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,252}$`)
)

// checkScript refuses what cannot be a script, and fields that it would not see.
func (p Params) checkScript() error {
	const field = "workload.sysbench.script"
	if p.Script == nil {
		return nil
	}
	if !scriptName.MatchString(p.Script.File) {
		return fmt.Errorf("%s.file: %q is not the name of a Lua script: use one such as %s", field, p.Script.File, defaultScript)
	}
	for _, phase := range p.Script.Phases {
		if phase != string(contract.PhasePrepare) && phase != string(contract.PhaseCleanup) {
			return fmt.Errorf("%s.phases: %q is not known: use Prepare and Cleanup", field, phase)
		}
	}
	if n := p.Script.PreparedStatements; n < 0 || n > 100_000 {
		return fmt.Errorf("%s.preparedStatements: %d is out of range: use 0 to 100000", field, n)
	}
	if p.Tables != defaultTables || p.TableSize != defaultTableSize || p.SkipTrx {
		return fmt.Errorf("%s: tables, tableSize and skipTrx are of the bundled tests: put what your script has into options, "+
			`such as {tables: "10"}`, field)
	}
	return nil
}

// files of the script, for the working directory.
func (s *Script) files(inputs map[string][]byte) (map[string][]byte, error) {
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

// has says whether the script has the phase; every one has run.
func (s *Script) has(phase contract.Phase) bool {
	return phase == contract.PhaseRun || phase == contract.PhaseWarmup || slices.Contains(s.Phases, string(phase))
}

// skips: a script that lacks a phase has nothing to do in it, and it loads once: only
// the script of the bundled tests can share the load among clients.
func skips(t contract.Trial, phase contract.Phase) bool {
	p, err := decodeParams(t.Workload)
	if err != nil || p.Script == nil {
		return false // Command says what is wrong
	}
	return !p.Script.has(phase) || phase == contract.PhasePrepare && t.Ref.Client > 0
}
