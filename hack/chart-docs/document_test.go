package main

import (
	"os"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

func TestDocument(t *testing.T) {
	page, err := document([]byte(`# The values.

# -- A section.
one:
  # What it is | or not,
  # in two lines.
  two: [a, "b"] # behind it
  # A list.
  three:
  - to: [{x: 1}] # in it
  "8.4": {image: m}

# -- Alone.
four: {}
`))
	if err != nil {
		t.Fatal(err)
	}
	_, got, _ := strings.Cut(page, "(../../docs/guide/operate.md).\n")
	want := "\n## one\n\nA section.\n\n| Value | Default | Meaning |\n| --- | --- | --- |\n" +
		"| `one.two` | `[a, \"b\"]` | What it is \\| or not, in two lines. behind it |\n" +
		"| `one.three` | `[{to: [{x: 1}]}]` | A list. (in it) |\n" +
		"| `one.\"8.4\"` | `{image: m}` |  |\n" +
		"\n## four\n\nAlone.\n\n| Value | Default | Meaning |\n| --- | --- | --- |\n| `four` | `{}` |  |\n"
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// A comment that the page would lose is an error.
func TestLostComment(t *testing.T) {
	for name, text := range map[string]string{
		"below the last value": "# The values.\n\na: 1\n\n# What nobody reads.\n",
		"no mapping":           "[a]\n",
	} {
		t.Run(name, func(t *testing.T) {
			if page, err := document([]byte(text)); err == nil {
				t.Errorf("no error:\n%s", page)
			}
		})
	}
}

// The README of the chart has every value, and is that of the values of today.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("../../charts/assay/values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../charts/assay/README.md")
	if err != nil {
		t.Fatal(err)
	}
	if want, err := document(text); err != nil || want != string(page) {
		t.Errorf("charts/assay/README.md is out of date (%v): run make generate", err)
	}
	var values map[string]any
	if err := yaml.Unmarshal(text, &values); err != nil {
		t.Fatal(err)
	}
	for name := range values {
		if !strings.Contains(string(page), "\n## "+name+"\n") {
			t.Errorf("the README has no %s", name)
		}
	}
}
