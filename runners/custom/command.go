package custom

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"
)

const (
	durationName = "DURATION_SECONDS"
	seedName     = "SEED"
)

// builtIns are the values that Assay fills in, by their names between $( and ).
var builtIns = map[string]func(contract.Trial, contract.Phase, Params, runner.Credentials) string{
	"HOST": func(t contract.Trial, _ contract.Phase, _ Params, _ runner.Credentials) string {
		return t.Endpoint.Host
	},
	"PORT": func(t contract.Trial, _ contract.Phase, _ Params, _ runner.Credentials) string {
		return strconv.Itoa(int(t.Endpoint.Port))
	},
	"DATABASE": func(t contract.Trial, _ contract.Phase, _ Params, _ runner.Credentials) string {
		return t.Endpoint.Database
	},
	"STORAGE_ENGINE": func(t contract.Trial, _ contract.Phase, _ Params, _ runner.Credentials) string {
		return t.Endpoint.StorageEngine
	},
	"TLS": func(t contract.Trial, _ contract.Phase, _ Params, _ runner.Credentials) string {
		return string(t.Endpoint.TLS)
	},
	"USERNAME": func(_ contract.Trial, _ contract.Phase, _ Params, c runner.Credentials) string { return c.Username },
	"THREADS": func(_ contract.Trial, _ contract.Phase, p Params, _ runner.Credentials) string {
		return strconv.Itoa(int(p.Threads))
	},
	durationName: func(t contract.Trial, p contract.Phase, _ Params, _ runner.Credentials) string {
		return strconv.FormatInt(seconds(t, p), 10)
	},
	"CLIENT": func(t contract.Trial, _ contract.Phase, _ Params, _ runner.Credentials) string {
		return strconv.Itoa(t.Ref.Client)
	},
	"CLIENTS": func(t contract.Trial, _ contract.Phase, _ Params, _ runner.Credentials) string {
		return strconv.Itoa(t.Clients)
	},
	seedName: func(t contract.Trial, p contract.Phase, _ Params, _ runner.Credentials) string {
		return strconv.FormatInt(runner.Seed(t, p), 10)
	},
}

func seconds(t contract.Trial, p contract.Phase) int64 {
	if p == contract.PhaseWarmup {
		return t.WarmupSeconds
	}
	return t.DurationSeconds
}

// command builds the command of a phase.
func command(t contract.Trial, phase contract.Phase, c runner.Credentials, formats map[string]Format) (runner.Command, error) {
	p, err := decodeParams(t.Workload)
	if err != nil {
		return runner.Command{}, err
	}
	if _, known := formats[p.Format]; !known {
		return runner.Command{}, fmt.Errorf("workload.custom.format: %q is not known: use one of %s",
			p.Format, strings.Join(slices.Sorted(maps.Keys(formats)), ", "))
	}
	if t.Endpoint.JDBC != nil {
		return runner.Command{}, fmt.Errorf("targets: a custom tool gets the host of a target, and this one has only a JDBC URL: use external.host")
	}
	wanted := p.phase(phase)
	if wanted == nil {
		return runner.Command{}, fmt.Errorf("workload.custom: there is no command for the phase %s", phase)
	}
	args := make([]string, 0, len(wanted.Command))
	for i, arg := range wanted.Command {
		arg, err := fill(arg, func(name string) (string, bool) { return p.value(name, t, phase, c) })
		if err != nil {
			return runner.Command{}, fmt.Errorf("workload.custom.%s.command[%d]: %w", strings.ToLower(string(phase)), i, err)
		}
		args = append(args, arg)
	}
	out := runner.Command{Path: args[0], Args: args[1:], Files: files(t, c), Env: environment(t, c)}
	if names(wanted, seedName) {
		out.Seed = runner.Seed(t, phase)
	} else {
		// Of a tool that Assay does not know: it may draw nothing at all.
		out.Unseeded = phase == contract.PhaseWarmup || phase == contract.PhaseRun
	}
	if p.Output != "" && phase != contract.PhasePrepare && phase != contract.PhaseCleanup {
		out.Collect = []string{p.Output}
	}
	return out, nil
}

// value of a name between $( and ).
func (p Params) value(name string, t contract.Trial, phase contract.Phase, c runner.Credentials) (string, bool) {
	if builtIn, ok := builtIns[name]; ok {
		return builtIn(t, phase, p, c), true
	}
	v, ok := p.Parameters[name]
	return v, ok
}

// reference is $(NAME), or $$(NAME), which stands for itself without the first $.
var reference = regexp.MustCompile(`\$?\$\([^()]*\)`)

// fill replaces every $(NAME). One that nobody knows is an error: a tool would get
// the name instead of the value and measure something else.
func fill(text string, value func(string) (string, bool)) (string, error) {
	var unknown string
	filled := reference.ReplaceAllStringFunc(text, func(ref string) string {
		if strings.HasPrefix(ref, "$$") {
			return ref[1:]
		}
		name := ref[2 : len(ref)-1]
		v, ok := value(name)
		if !ok && unknown == "" {
			unknown = name
		}
		return v
	})
	if unknown != "" {
		return "", fmt.Errorf("$(%s) is not known: use a name of parameters or one of %s; $$(%s) stands for itself",
			unknown, strings.Join(slices.Sorted(maps.Keys(builtIns)), ", "), unknown)
	}
	return filled, nil
}
