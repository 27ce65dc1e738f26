package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/trial/quoted"
	"github.com/assay-bench/assay/runners"
	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/test/cmd/reproduce/claims"
)

// source that is played.
type source struct {
	claims.Source
	// name of its folder, its claims, and the digest of what is played.
	name   string
	claims []claims.Claim
	digest string
	// runs that were played.
	runs []claims.Run

	top   string
	small []byte
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
	s := source{name: name, top: top}
	if s.Source, err = claims.Read(text); err != nil {
		return source{}, err
	}
	var numbers []quoted.Numbers
	for _, path := range s.Full {
		more, err := quotedIn(filepath.Join(top, path))
		if err != nil {
			return source{}, fmt.Errorf("%s: %w", path, err)
		}
		numbers = append(numbers, more...)
	}
	if s.claims, err = s.List(numbers); err != nil {
		return source{}, err
	}
	if s.small, err = os.ReadFile(filepath.Join(top, s.Small)); err != nil {
		return source{}, err
	}
	text0, err := s.manifest(0)
	if err != nil {
		return source{}, err
	}
	sum := sha256.Sum256([]byte(text0))
	s.digest = hex.EncodeToString(sum[:6])
	return s, nil
}

// quotedIn a manifest are the numbers of its published targets.
func quotedIn(path string) (out []quoted.Numbers, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	texts := map[string]map[string][]byte{}
	var run v1alpha1.BenchmarkRun
	for _, document := range strings.Split(string(text), "\n---\n") {
		var kind struct{ Kind string }
		if err := yaml.Unmarshal([]byte(document), &kind); err != nil {
			return nil, err
		}
		switch kind.Kind {
		case "ConfigMap":
			var cm corev1.ConfigMap
			if err := yaml.UnmarshalStrict([]byte(document), &cm); err != nil {
				return nil, err
			}
			texts[cm.Name] = map[string][]byte{}
			for key, text := range cm.Data {
				texts[cm.Name][key] = []byte(text)
			}
		case "BenchmarkRun":
			if err := yaml.UnmarshalStrict([]byte(document), &run); err != nil {
				return nil, err
			}
		}
	}
	for _, t := range run.Spec.Targets {
		if t.Published == nil {
			continue
		}
		quote, err := quoteOf(string(t.Published.Format))
		if err != nil {
			return nil, fmt.Errorf("target %s: %w", t.Name, err)
		}
		numbers, err := quoted.Read(quote, texts[t.Published.ConfigMap.Name])
		if err != nil {
			return nil, fmt.Errorf("target %s: %w", t.Name, err)
		}
		numbers.Target = t.Name
		out = append(out, numbers)
	}
	return out, nil
}

// quoteOf reads numbers of a format: those of a table, or the output of a tool.
func quoteOf(format string) (func([]byte) runner.Report, error) {
	if format == quoted.FormatTable {
		return quoted.Table, nil
	}
	tool, known := runners.Find(strings.ToLower(format))
	if !known || tool.Quote == nil {
		return nil, fmt.Errorf("format %s: neither a table nor of a tool whose output is quoted", format)
	}
	return tool.Quote, nil
}

// run is the name of a play.
func (s *source) run(play int) string { return fmt.Sprintf("%s-%d", s.name, play) }

// manifest of a play: the small form with more blocks, a start of the servers in each of them, and an order of its own.
func (s *source) manifest(play int) (string, error) {
	run := map[string]any{}
	if err := yaml.Unmarshal(s.small, &run); err != nil {
		return "", fmt.Errorf("%s: %w", s.Small, err)
	}
	metadata, named := run["metadata"].(map[string]any)
	spec, _ := run["spec"].(map[string]any)
	design, designed := spec["design"].(map[string]any)
	if !named || !designed {
		return "", fmt.Errorf("%s: it has no metadata or no spec.design", s.Small)
	}
	metadata["name"] = s.run(play)
	design["blocks"], design["starts"], design["seed"] = claims.Blocks, string(v1alpha1.StartsPerBlock), play
	out, err := yaml.Marshal(run)
	return string(out), err
}

// of the runs those of one manifest.
func of(manifest string, runs []claims.Run) []claims.Run {
	return slices.DeleteFunc(slices.Clone(runs), func(r claims.Run) bool { return r.Manifest != manifest })
}

// good is how many runs have ended as they should.
func (s *source) good() (n int) {
	for _, r := range of(s.digest, s.runs) {
		if r.NoVerdict == "" {
			n++
		}
	}
	return n
}

// takes is how long a run is taken to need.
func (s *source) takes() time.Duration {
	longest := 0.0
	for _, r := range of(s.digest, s.runs) {
		longest = max(longest, r.Seconds)
	}
	if longest == 0 {
		return atFirst
	}
	return time.Duration(slack * longest * float64(time.Second))
}

func (s *source) page() string    { return filepath.Join(s.top, pages, s.name+".md") }
func (s *source) figures() string { return filepath.Join(s.top, pages, s.name+".json") }

// text of the page, of the runs that have the manifest of the last one: it stays as it is until a changed form is played.
func (s *source) text(runs []claims.Run) string {
	shown := of(runs[len(runs)-1].Manifest, runs)
	return claims.Page(s.Source, claims.Decide(s.Source, s.claims, shown), shown)
}
