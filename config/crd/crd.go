// Package crd embeds the generated CustomResourceDefinitions: what the API server enforces
// is also what this program enforces where the API server does not look.
package crd

import _ "embed" // for the directive below

// BenchmarkRuns is the CustomResourceDefinition of BenchmarkRun as YAML.
//
//go:embed bases/assay.dev_benchmarkruns.yaml
var BenchmarkRuns []byte
