package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/engines/engine"
)

const (
	targetTypes  = "api/v1alpha1/target_types.go"
	serversFile  = "docs/reference/servers.md"
	chartCatalog = "charts/assay/values.yaml"
)

// serversTemplate is the page of all flavors.
//
//go:embed servers.md.tmpl
var serversTemplate string

// deriveEnumerations writes the flavors and the storage engines of all engines into the API, above
// the fields that name them.
func deriveEnumerations() error {
	text, err := os.ReadFile(targetTypes)
	if err != nil {
		return err
	}
	for field, values := range map[string][]string{"Flavor": engines.Flavors(), "StorageEngine": engines.StorageEngines()} {
		marker := regexp.MustCompile(`(// \+kubebuilder:validation:Enum=)[^\n]*(\n\t` + field + ` string )`)
		if n := len(marker.FindAll(text, -1)); n != 1 {
			return fmt.Errorf("%s: %d fields %s with an enumeration, want one", targetTypes, n, field)
		}
		text = marker.ReplaceAll(text, []byte("${1}"+strings.Join(values, ";")+"${2}"))
	}
	return write(targetTypes, text)
}

// deriveServers writes the page of all flavors, with their versions in the catalogue of the chart.
func deriveServers() error {
	values, err := os.ReadFile(chartCatalog)
	if err != nil {
		return err
	}
	var chart struct {
		Engines map[string]map[string]any `json:"engines"`
	}
	if err := yaml.Unmarshal(values, &chart); err != nil {
		return fmt.Errorf("%s: %w", chartCatalog, err)
	}
	page, err := template.New("servers").Funcs(template.FuncMap{
		"join":     strings.Join,
		"lower":    strings.ToLower,
		"versions": func(flavor string) []string { return slices.Sorted(maps.Keys(chart.Engines[flavor])) },
		"counters": countersOf,
	}).Parse(serversTemplate)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := page.Execute(&out, engines.All()); err != nil {
		return err
	}
	return write(serversFile, out.Bytes())
}

// countersOf a flavor: a line for each storage engine, with its counters of rows and of flushes.
func countersOf(e engine.Engine) (lines []string) {
	for _, name := range e.StorageEngines {
		s, known := engines.Identity{Facts: e.Facts}.Storage(name)
		if !known {
			lines = append(lines, "**"+name+"**: none")
			continue
		}
		counters := slices.Clone(s.LogFlushes)
		if s.Rows != nil {
			counters = append([]string{s.Rows.Inserted, s.Rows.Updated, s.Rows.Deleted}, counters...)
		}
		lines = append(lines, "**"+name+"**: `"+strings.Join(counters, "`, `")+"`")
	}
	return lines
}
