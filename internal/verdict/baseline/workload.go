package baseline

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/apischema"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/verdict/analysis"
)

const (
	// maxWorkload are the bytes of a workload that a baseline takes.
	maxWorkload = 16384
	// maxField is the longest value that is kept as it is, in bytes.
	maxField = 128
	digestOf = "sha256:"
)

// WorkloadOf a run in lines "name=value", sorted: what its clients do, without where, how often and in
// which cells. A value that is long or has lines is its digest; and so is a workload that is too large.
func WorkloadOf(run *v1alpha1.BenchmarkRun) (string, error) {
	fields, err := analysis.WorkloadFields(run.Spec)
	if err != nil {
		return "", err
	}
	if r := run.Status.Resolved; r != nil && r.Inputs != nil {
		fields[files] = r.Inputs.SHA256
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		lines = append(lines, short(nameOf(name))+"="+short(fields[name]))
	}
	text := strings.Join(lines, "\n")
	if len(text) > maxWorkload {
		return all + "=" + digestOf + contract.Digest([]byte(text)), nil
	}
	return text, nil
}

// short is a text that fits into a line.
func short(text string) string {
	if len(text) <= maxField && contract.Clean(text) == text && !strings.ContainsAny(text, "\n=") {
		return text
	}
	return digestOf + contract.Digest([]byte(text))
}

// Differing are the fields of two workloads that differ, in words, such as "sysbench.tables (10 became
// 20)". None where one of them is not known. A field that a later release has added is what the defaults of
// today say, on the side that does not have it: so a baseline outlives the release that made it.
func Differing(before, now string) []string {
	if before == "" || now == "" {
		return nil
	}
	x, err := completed(linesOf(before))
	y, also := completed(linesOf(now))
	if err = errors.Join(err, also); err != nil {
		return []string{"defaults that are not known (" + err.Error() + ")"} // nobody knows whether they differ
	}
	either := maps.Clone(x)
	maps.Copy(either, y)
	var out []string
	for _, name := range slices.Sorted(maps.Keys(either)) {
		if x[name] != y[name] {
			out = append(out, name+" ("+cmp.Or(x[name], "absent")+" became "+cmp.Or(y[name], "absent")+")")
		}
	}
	return out
}

// completed lines of a workload: with the defaults of today.
func completed(lines map[string]string) (map[string]string, error) {
	fields := map[string]string{}
	for name, value := range lines {
		fields[pathOf(name)] = value
	}
	known := maps.Clone(fields)
	if err := apischema.AddDefaults(fields); err != nil {
		return nil, err
	}
	out := map[string]string{}
	for path, value := range fields {
		if _, is := known[path]; is {
			out[nameOf(path)] = value
		} else if analysis.OfWorkload(path) {
			out[short(nameOf(path))] = short(value)
		}
	}
	return out, nil
}

// files and all are lines that are no field of a spec.
const files, all = "files", "all"

// pathOf a line in the spec.
func pathOf(name string) string {
	if slices.Contains([]string{files, all, "tenants"}, name) ||
		slices.ContainsFunc([]string{"clients.", "design.", "search.", "background."}, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
		return name
	}
	return workload + name
}

// workload is the part of the spec that most lines are of.
const workload = "workload."

// nameOf the line of a field.
func nameOf(path string) string { return strings.TrimPrefix(path, workload) }

func linesOf(text string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		if name != "" {
			out[contract.Cut(contract.Clean(name), maxField)] = contract.Cut(contract.Clean(value), maxField)
		}
	}
	return out
}
