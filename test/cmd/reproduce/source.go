package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/trial/quoted"
	"github.com/assay-bench/assay/runners"
	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/test/cmd/reproduce/claims"
	"github.com/assay-bench/assay/test/helpers/plays"
)

// source that is played.
type source struct {
	claims.Source
	// name of its folder, its claims, its forms, and the digest of what is played.
	name   string
	claims []claims.Claim
	forms  []claims.Laid
	digest string
	// runs that were played, and the machine that plays.
	runs    []claims.Run
	machine string

	top   string
	small []byte
	// published are the quoted targets of the full forms, and quoted what they quote.
	published []v1alpha1.Target
	quoted    map[string]map[string]string
}

// readSources of the names, all without one, in the order of their names.
func readSources(top string, names []string) (out []source, err error) {
	files, err := filepath.Glob(filepath.Join(top, sources, "*.yaml"))
	if err != nil {
		return nil, err
	}
	var known []string
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		known = append(known, name)
		if len(names) > 0 && !slices.Contains(names, name) {
			continue
		}
		s, err := readSource(top, name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		out = append(out, s)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("there is no source %s: there are %s", name, strings.Join(known, ", "))
		}
	}
	return out, nil
}

func readSource(top, name string) (source, error) {
	text, err := os.ReadFile(filepath.Join(top, sources, name+".yaml"))
	if err != nil {
		return source{}, err
	}
	s := source{name: name, top: top, quoted: map[string]map[string]string{}}
	if s.Source, err = claims.Read(text); err != nil {
		return source{}, err
	}
	var numbers []quoted.Numbers
	for _, path := range s.Full {
		more, err := s.quote(filepath.Join(top, path))
		if err != nil {
			return source{}, fmt.Errorf("%s: %w", path, err)
		}
		numbers = append(numbers, more...)
	}
	if s.claims, err = s.List(numbers); err != nil {
		return source{}, err
	}
	if s.forms, err = s.Lay(numbers); err != nil {
		return source{}, err
	}
	if s.small, err = os.ReadFile(filepath.Join(top, s.Small)); err != nil {
		return source{}, err
	}
	s.digest, err = s.digestOf()
	return s, err
}

// asked of a run: the claims, and the cells of the forms.
func (s *source) asked() []claims.Claim { return slices.Concat(s.claims, claims.Asked(s.forms)) }

// digestOf what is played, how often, and what is measured of it.
func (s *source) digestOf() (string, error) {
	text, err := s.manifest(0)
	keys := map[string]bool{}
	for _, c := range s.asked() {
		if c.Measured() {
			for _, side := range c.Sides() {
				keys[claims.Key(c.Measurement, side)] = true
			}
		}
	}
	return plays.Digest(text + fmt.Sprintf("runs: %d\n%s", s.Runs, strings.Join(slices.Sorted(maps.Keys(keys)), "\n"))), err
}

// quote a manifest: the numbers of its published targets, which the source keeps.
func (s *source) quote(path string) (out []quoted.Numbers, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	run, given, err := plays.Manifest(text)
	if err != nil {
		return nil, err
	}
	for _, t := range run.Spec.Targets {
		if t.Published == nil {
			continue
		}
		quote, err := quoteOf(string(t.Published.Format))
		if err != nil {
			return nil, fmt.Errorf("target %s: %w", t.Name, err)
		}
		texts := map[string][]byte{}
		for key, text := range given[t.Published.ConfigMap.Name] {
			texts[key] = []byte(text)
		}
		numbers, err := quoted.Read(quote, texts)
		if err != nil {
			return nil, fmt.Errorf("target %s: %w", t.Name, err)
		}
		numbers.Target = t.Name
		out = append(out, numbers)
		s.published = append(s.published, t)
		s.quoted[t.Published.ConfigMap.Name] = given[t.Published.ConfigMap.Name]
	}
	return out, nil
}

// quoteOf reads numbers of a format: those of a table, or the output of a tool.
func quoteOf(format string) (func([]byte) runner.Report, error) {
	if format == quoted.FormatTable {
		return quoted.Table, nil
	}
	tool, known := runners.Find(quoted.Tools[format])
	if !known || tool.Quote == nil {
		return nil, fmt.Errorf("format %s: neither a table nor of a tool whose output is quoted", format)
	}
	return tool.Quote, nil
}

// run is the name of a play.
func (s *source) run(play int) string { return fmt.Sprintf("%s-%d", s.name, play) }

// manifest of a play: the small form without what no claim uses, with the design of the source, more blocks, a start of the servers in each
// of them, and an order of its own.
func (s *source) manifest(play int) (string, error) {
	run, err := s.spec(play)
	if err != nil {
		return "", err
	}
	return document(run)
}

// whole is the manifest with what is for readers alone, and changes nothing that is measured: the published numbers, and the comparisons.
func (s *source) whole(play int) (string, error) {
	run, err := s.spec(play)
	if err != nil {
		return "", err
	}
	run.Spec.Targets = append(run.Spec.Targets, s.published...)
	if len(s.Comparisons) > 0 {
		run.Spec.Analysis = &v1alpha1.Analysis{Comparisons: s.Comparisons}
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(s.quoted)) {
		part, err := yaml.Marshal(map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]string{"name": name}, "data": s.quoted[name]})
		if err != nil {
			return "", err
		}
		parts = append(parts, string(part))
	}
	last, err := document(run)
	return strings.Join(append(parts, last), "---\n"), err
}

// document of a run in YAML.
func document(run v1alpha1.BenchmarkRun) (string, error) {
	out, err := yaml.Marshal(map[string]any{
		"apiVersion": run.APIVersion, "kind": run.Kind, "metadata": map[string]string{"name": run.Name}, "spec": run.Spec,
	})
	return string(out), err
}

// spec of a play.
func (s *source) spec(play int) (run v1alpha1.BenchmarkRun, err error) {
	if err := yaml.UnmarshalStrict(s.small, &run); err != nil {
		return run, fmt.Errorf("%s: %w", s.Small, err)
	}
	run.Name = s.run(play)
	seed := int64(play)
	design := &run.Spec.Design
	design.Blocks, design.Starts, design.Seed = claims.Blocks, v1alpha1.StartsPerBlock, &seed
	design.Warmup, design.Duration = cmp.Or(s.Design.Warmup, design.Warmup), cmp.Or(s.Design.Duration, design.Duration)
	design.Rounds = cmp.Or(s.Design.Rounds, design.Rounds)
	onlyUsed(&run.Spec, s.sides())
	return run, nil
}

// sides are the labels of both sides of all claims that are measured. What no claim uses is not played for a form.
func (s *source) sides() (out []map[string]string) {
	for _, c := range s.claims {
		if c.Measured() {
			out = append(out, c.Sides()...)
		}
	}
	return out
}

func (s *source) page() string    { return filepath.Join(s.top, pages, s.name+".md") }
func (s *source) figures() string { return filepath.Join(s.top, pages, s.name+".json") }

// good is how many runs there are of the sample that the next one belongs to, as far as it is known: versions are those of the last good run.
func (s *source) good() int {
	own := slices.DeleteFunc(slices.Clone(s.runs), func(r claims.Run) bool { return r.Manifest != s.digest || r.Machine != s.machine })
	return len(claims.Sample(own, 1))
}

// failed is how many runs of what is played now have failed on this machine since the last good one, and not long ago.
func (s *source) failed() (n int) {
	for _, r := range slices.Backward(s.runs) {
		switch {
		case r.Manifest != s.digest || r.Machine != s.machine || time.Since(r.Date) > forAWhile:
		case r.NoVerdict == "":
			return n
		default:
			n++
		}
	}
	return n
}

// takes is how long a run is taken to need.
func (s *source) takes() time.Duration {
	longest := 0.0
	for _, r := range s.runs {
		if r.Manifest == s.digest && r.NoVerdict == "" {
			longest = max(longest, r.Seconds)
		}
	}
	if longest == 0 {
		return atFirst
	}
	return time.Duration(slack * longest * float64(time.Second))
}

// text of the page, of the last sample that there is: it stays as it is until something else was played.
func (s *source) text(runs []claims.Run) (string, error) {
	rows, err := claims.Decide(s.Source, s.claims, claims.Sample(runs, s.Runs))
	if err != nil {
		return "", fmt.Errorf("%s: %w", s.figures(), err)
	}
	forms, err := s.Written(s.forms, claims.Sample(runs, s.Runs))
	if err != nil {
		return "", fmt.Errorf("%s: %w", s.figures(), err)
	}
	return claims.Page(s.Source, rows, forms, runs, s.digest), nil
}

// pictures of the page, of the same sample.
func (s *source) pictures(runs []claims.Run) ([]claims.Picture, error) {
	out, err := s.Pictures(s.forms, claims.Sample(runs, s.Runs))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.figures(), err)
	}
	return out, nil
}
