package custom

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

const (
	durationName = "DURATION_SECONDS"
	seedName     = "SEED"
)

// builtIns are the values that Assay fills in, by their names between $( and ).
func builtIns(t contract.Trial, phase contract.Phase, p Params, c runner.Credentials) map[string]string {
	seconds := t.DurationSeconds
	if phase == contract.PhaseWarmup {
		seconds = t.WarmupSeconds
	}
	return map[string]string{
		"HOST": t.Endpoint.Host, "PORT": strconv.Itoa(int(t.Endpoint.Port)), "DATABASE": t.Endpoint.Database,
		"STORAGE_ENGINE": t.Endpoint.StorageEngine, "TLS": string(t.Endpoint.TLS), "USERNAME": c.Username,
		"THREADS": strconv.Itoa(int(p.Threads)), durationName: strconv.FormatInt(seconds, 10),
		"CLIENT": strconv.Itoa(t.Ref.Client), "CLIENTS": strconv.Itoa(t.Clients), seedName: strconv.FormatInt(runner.Seed(t, phase), 10),
	}
}

// builtInNames are the names of those values, whatever they are.
var builtInNames = slices.Sorted(maps.Keys(builtIns(contract.Trial{}, "", Params{}, runner.Credentials{})))

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
	values := builtIns(t, phase, p, c)
	maps.Copy(values, p.Parameters) // none has the name of a built-in value
	for i, arg := range wanted.Command {
		arg, err := fill(arg, values)
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

// reference is $(NAME), or $$(NAME), which stands for itself without the first $.
var reference = regexp.MustCompile(`\$?\$\([^()]*\)`)

// fill replaces every $(NAME). One that nobody knows is an error: a tool would get
// the name instead of the value and measure something else.
func fill(text string, values map[string]string) (string, error) {
	var unknown string
	filled := reference.ReplaceAllStringFunc(text, func(ref string) string {
		if strings.HasPrefix(ref, "$$") {
			return ref[1:]
		}
		name := ref[2 : len(ref)-1]
		v, ok := values[name]
		if !ok && unknown == "" {
			unknown = name
		}
		return v
	})
	if unknown != "" {
		return "", fmt.Errorf("$(%s) is not known: use a name of parameters or one of %s; $$(%s) stands for itself",
			unknown, strings.Join(builtInNames, ", "), unknown)
	}
	return filled, nil
}
