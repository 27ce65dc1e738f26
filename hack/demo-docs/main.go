package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/apischema"
	"github.com/assay-bench/assay/internal/record/bundle"
)

const (
	bundleFile  = "docs/evidence/demo.assay.tar"
	sampleFile  = "config/samples/demo.yaml"
	decidedFile = "docs/gallery/s1-ycsb.assay.tar"
)

// pages that show the demo.
var pages = []string{"README.md", "docs/guide/try-it.md", "docs/guide/read-a-verdict.md"}

func main() {
	if err := write(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "demo-docs:", err)
		os.Exit(1)
	}
}

// write all pages of the checkout in the working directory.
func write(ctx context.Context) error {
	run, err := stored(ctx, bundleFile)
	if err != nil {
		return err
	}
	sample, err := os.ReadFile(sampleFile)
	if err != nil {
		return err
	}
	if err := sameSpec(run, sample); err != nil {
		return err
	}
	parts, err := partsOf(run)
	if err != nil {
		return fmt.Errorf("%s: %w", bundleFile, err)
	}
	if run, err = stored(ctx, decidedFile); err != nil {
		return err
	}
	if parts["decided"], err = decided(run); err != nil {
		return fmt.Errorf("%s: %w", decidedFile, err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			return err
		}
		shown, err := replaced(string(text), parts)
		if err != nil {
			return fmt.Errorf("%s: %w", page, err)
		}
		if err := os.WriteFile(page, []byte(shown), 0o644); err != nil { //nolint:gosec // a document
			return err
		}
	}
	return nil
}

// stored run of a bundle.
func stored(ctx context.Context, path string) (*v1alpha1.BenchmarkRun, error) {
	b, err := bundle.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = b.Close() }() // it was only read
	return b.Run(ctx)
}

// sameSpec refuses a demo of another manifest than the one that is shown beside it.
func sameSpec(run *v1alpha1.BenchmarkRun, sample []byte) error {
	var manifest struct {
		Spec json.RawMessage `json:"spec"`
	}
	data, err := yaml.YAMLToJSON(sample)
	if err == nil {
		err = json.Unmarshal(data, &manifest)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", sampleFile, err)
	}
	rules, err := apischema.ForSpec()
	if err != nil {
		return err
	}
	complete, err := rules.Complete(manifest.Spec)
	if err != nil {
		return fmt.Errorf("%s: %w", sampleFile, err)
	}
	var spec v1alpha1.BenchmarkRunSpec
	if err := json.Unmarshal(complete, &spec); err != nil {
		return fmt.Errorf("%s: %w", sampleFile, err)
	}
	spec.SetDefaults()
	played := run.Spec.DeepCopy()
	played.SetDefaults()
	if !equality.Semantic.DeepEqual(spec, *played) {
		return fmt.Errorf("%s is of another manifest than %s: make demo, hack/demo.sh record, make generate", bundleFile, sampleFile)
	}
	return nil
}

// marked is a part of a page, with its comments.
var marked = regexp.MustCompile(`(?s)(<!-- demo ([a-z]+) -->\n)(.*?)(<!-- /demo -->)`)

// replaced is a page with its parts.
func replaced(page string, parts map[string]string) (string, error) {
	found := marked.FindAllStringSubmatch(page, -1)
	begins, ends := strings.Count(page, "<!-- demo "), strings.Count(page, "<!-- /demo -->")
	if len(found) == 0 || len(found) != begins || begins != ends {
		return "", fmt.Errorf("%d comments begin a part and %d end one, and %d parts were found", begins, ends, len(found))
	}
	for _, part := range found {
		if _, known := parts[part[2]]; !known || strings.Contains(part[3], "<!-- demo ") {
			return "", fmt.Errorf("there is no part %q, or it has no end", part[2])
		}
	}
	return marked.ReplaceAllStringFunc(page, func(text string) string {
		part := marked.FindStringSubmatch(text)
		return part[1] + "\n" + parts[part[2]] + "\n" + part[4] // empty lines: a comment in a table would be a row of it
	}), nil
}
