package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/plan"
	"github.com/assay-bench/assay/runners"
	"github.com/assay-bench/assay/test/helpers/fullsize"
	"github.com/assay-bench/assay/test/helpers/plays"
)

// published are the manifests at full size.
const published = "config/samples/published"

// full is a manifest at full size, and what is played of it here.
type full struct {
	// path of the manifest in the repository, and name of its run.
	path, name string
	// spec with all defaults, and here: what is left of it by the rule, before it is divided into pieces.
	spec, here v1alpha1.BenchmarkRunSpec
	// cells of spec, in the order of its plan.
	cells  []cell
	pieces []piece
}

// cell of a manifest at full size.
type cell struct {
	// labels of what is measured, with the target and the values of the matrix.
	labels map[string]string
	// why it cannot be had here; empty for one that can, and for one that others stand in for, which by names.
	why, by string
	// played in its place is what has these labels: they are its own, but for a driver in the place of another; nil where nothing is.
	played map[string]string
}

// place is one measured place of a plan: a target, the values of a cell of its matrix, and what a tool measures one after the other in it.
type place struct {
	trial, within map[string]string
}

// labels of a place. The language follows from the driver.
func (p place) labels() map[string]string {
	out := maps.Clone(p.trial)
	maps.Copy(out, p.within)
	delete(out, contract.LabelLanguage)
	return out
}

// key of labels.
func key(labels map[string]string) string {
	words := make([]string, 0, len(labels))
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		words = append(words, name+"="+labels[name])
	}
	return strings.Join(words, " ")
}

// placesOf a spec with all defaults, as its plan has them.
func placesOf(spec v1alpha1.BenchmarkRunSpec) (out []place, err error) {
	work, err := experiment.WorkOf(spec, experiment.Catalogue{Tool: runners.Find})
	if err != nil {
		return nil, err
	}
	varied, fixed, err := work.Varies()
	if err != nil {
		return nil, err
	}
	p, err := experiment.PlanOf(varied, fixed, plan.Largest())
	if err != nil {
		return nil, err
	}
	combinations, err := work.Tool.Combinations(work.Params)
	if err != nil {
		return nil, err
	}
	for _, target := range p.Targets {
		for _, values := range p.Cells {
			trial := map[string]string{v1alpha1.FactorTarget: target}
			for axis, v := range values {
				trial[axis] = v.String()
			}
			if len(combinations) == 0 {
				out = append(out, place{trial: trial})
			}
			for _, c := range combinations {
				if language := c.Axes[contract.LabelLanguage]; language == "" || language == trial[contract.LabelLanguage] {
					out = append(out, place{trial: trial, within: c.Labels})
				}
			}
		}
	}
	return out, nil
}

// readAll manifests below the top folder of the repository, in the order of their paths.
func readAll(top string) (out []full, err error) {
	files, err := filepath.Glob(filepath.Join(top, published, "*/*.yaml"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		path, err := filepath.Rel(top, file)
		if err != nil {
			return nil, err
		}
		f, err := fullOf(filepath.ToSlash(path), data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		out = append(out, f)
	}
	return out, nil
}

// fullOf a manifest.
func fullOf(path string, data []byte) (full, error) {
	run, given, err := plays.Manifest(data)
	if err != nil {
		return full{}, err
	}
	run.Spec.SetDefaults()
	f := full{path: path, name: run.Name, spec: run.Spec}
	if f.here, err = fullsize.Reduce(f.spec, given); err != nil {
		return full{}, err
	}
	if f.cells, err = cellsOf(f.spec, f.here); err != nil {
		return full{}, err
	}
	if len(f.here.Targets) == 0 {
		return f, nil
	}
	f.pieces, err = divide(f.name, f.here)
	return f, err
}

// cellsOf a manifest at full size, with what is played of it.
func cellsOf(spec, here v1alpha1.BenchmarkRunSpec) (out []cell, err error) {
	places, err := placesOf(spec)
	if err != nil {
		return nil, err
	}
	targets := map[string]v1alpha1.Target{}
	for _, t := range spec.Targets {
		targets[t.Name] = t
	}
	driver := driversOf(spec, here)
	for _, p := range places {
		c := cell{labels: p.labels()}
		d := driver[c.labels[contract.LabelDriver]]
		gone := fullsize.Unobtainable(spec, targets[c.labels[v1alpha1.FactorTarget]])
		if c.why = gone; gone == "" {
			c.by = cmp.Or(d.by, standIn(targets[c.labels[v1alpha1.FactorTarget]]))
			c.played = maps.Clone(c.labels)
			if d.here != "" {
				c.played[contract.LabelDriver] = d.here
			}
		}
		out = append(out, c)
	}
	return out, nil
}

// inPlace of a driver is the one that is played, and what it says of that if it is another.
type inPlace struct{ here, by string }

// driversOf a manifest by their names in results.
func driversOf(spec, here v1alpha1.BenchmarkRunSpec) map[string]inPlace {
	out := map[string]inPlace{}
	if spec.Workload.Drivers == nil {
		return out
	}
	for i, d := range spec.Workload.Drivers.Drivers {
		other := shown(here.Workload.Drivers.Drivers[i])
		out[shown(d)] = inPlace{here: other}
		if why := fullsize.WithoutDriver(d); why != "" {
			out[shown(d)] = inPlace{other, fmt.Sprintf("%s in the place of %s: %s", other, shown(d), why)}
		}
	}
	return out
}

func shown(d v1alpha1.Driver) string { return cmp.Or(d.As, d.Name) }

// standIn says which server is played in the place of a target's; empty where it is that of the manifest.
func standIn(t v1alpha1.Target) string {
	if t.MySQL == nil {
		return ""
	}
	if flavor, version := fullsize.Local(t.MySQL.Flavor); flavor != t.MySQL.Flavor || version != t.MySQL.Version {
		return fmt.Sprintf("%s %s in the place of %s", flavor, version, cmp.Or(t.MySQL.Image, t.MySQL.Flavor+" "+t.MySQL.Version))
	}
	return ""
}
