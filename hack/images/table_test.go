package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseTable(t *testing.T) {
	tests := map[string]struct {
		text string
		want []image
		err  string
	}{
		"an image of a server has a series": {
			text: `bases: [debian:sid-slim@sha256:0123456789012345678901234567890123456789012345678901234567890123]
images: [{name: mysql, series: "9.7", set: demo, folder: a/b, base: "debian:sid-slim", inputs: [jars]}]`,
			want: []image{{Name: "mysql", Series: "9.7", Set: "demo", Folder: "a/b", Base: "debian:sid-slim", Inputs: []string{"jars"},
				Pinned: "debian:sid-slim@sha256:0123456789012345678901234567890123456789012345678901234567890123"}},
		},
		"a column that nobody knows":     {text: "images: [{name: a, set: demo, folder: f, bases: x}]", err: "unknown field"},
		"a set that nobody knows":        {text: "images: [{name: a, set: all, folder: f}]", err: `image a: no set "all" (known: demo, core, full)`},
		"no folder":                      {text: "images: [{name: a, set: demo}]", err: "needs a name and a folder"},
		"a name twice":                   {text: "images: [{name: a, set: demo, folder: f}, {name: a, set: core, folder: g}]", err: "image a is there twice"},
		"an empty table is no table":     {text: "images: []", err: "no images"},
		"a series that YAML would round": {text: "images: [{name: a, series: 9.10, set: demo, folder: f}]", err: "cannot unmarshal number"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := parseTable([]byte(tt.text))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("images (-want +got):\n%s", diff)
			}
			checkError(t, err, tt.err)
		})
	}
}

// The table of the repository: every row can be built, and a smaller set never needs a larger one.
func TestTable(t *testing.T) {
	root := filepath.Join("..", "..")
	all, err := readTable(filepath.Join(root, tableFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range all {
		dockerfile := filepath.Join(root, i.Folder, "Dockerfile")
		text, err := os.ReadFile(dockerfile)
		if err != nil {
			t.Errorf("image %s: %v", i.key(), err)
			continue
		}
		// A Dockerfile of several series has its base from BASE.
		if i.Base != "" && !strings.Contains(string(text), i.Base) && !strings.Contains(string(text), "$BASE") && !strings.Contains(string(text), "${BASE}") {
			t.Errorf("image %s: %s does not build on %s", i.key(), dockerfile, i.Base)
		}
		for _, input := range i.Inputs {
			switch {
			case input == "jars":
				if _, err := pinned(filepath.Join(root, mavenTable), i.file()); err != nil {
					t.Errorf("image %s: %v", i.key(), err)
				}
			case input == "fetched":
				exists(t, i, filepath.Join(root, i.Folder, "fetch.sh"))
			case input == "program":
				exists(t, i, filepath.Join(root, i.Folder, "program.sh"))
				exists(t, i, filepath.Join(root, i.Folder, "go.sum"))
			case input == "versitygw":
				exists(t, i, filepath.Join(root, "hack/tools/versitygw/go.mod"))
			case input == "prometheus":
				exists(t, i, filepath.Join(root, "hack/monitoring/prometheus/go.mod"))
			case input == "prometheus-operator":
				exists(t, i, filepath.Join(root, "hack/monitoring/operator/go.mod"))
			case strings.Contains(input, "/"):
				exists(t, i, filepath.Join(root, input))
			default:
				exists(t, i, filepath.Join(root, "cmd", input))
			}
		}
	}
}

func exists(t *testing.T, i image, path string) {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		t.Errorf("image %s: %v", i.key(), err)
	}
}

func TestChoose(t *testing.T) {
	table := []image{
		{Name: "manager", Set: "demo"}, {Name: "mysql", Series: "9.7", Set: "demo"},
		{Name: "runner-ycsb", Set: "core"}, {Name: "mysql", Series: "5.7", Set: "full"},
	}
	tests := map[string]struct {
		words []string
		want  string
		isSet bool
		err   string
	}{
		"nothing named is the set core":     {want: "manager mysql:9.7 runner-ycsb", isSet: true},
		"the smallest set":                  {words: []string{"demo"}, want: "manager mysql:9.7", isSet: true},
		"a larger set has the smaller ones": {words: []string{"full"}, want: "manager mysql:9.7 runner-ycsb mysql:5.7", isSet: true},
		"names in the order of the table":   {words: []string{"mysql:5.7", "manager"}, want: "manager mysql:5.7"},
		"an image that is not there":        {words: []string{"manager", "mysql"}, err: "no image mysql (known: demo, core, full, manager, mysql:9.7"},
		"a set and a name beside it":        {words: []string{"demo", "mysql:5.7"}, want: "manager mysql:9.7 mysql:5.7", isSet: true},
		"a name that the set has":           {words: []string{"demo", "mysql:9.7"}, want: "manager mysql:9.7", isSet: true},
		"a set and no image beside it":      {words: []string{"demo", "mysql:8.4"}, err: "no image mysql:8.4 (known: demo, core, full, manager, mysql:9.7"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, isSet, err := choose(table, tt.words)
			checkError(t, err, tt.err)
			if err == nil && (keys(got) != tt.want || isSet != tt.isSet) {
				t.Errorf("choose = %q, set %t; want %q, set %t", keys(got), isSet, tt.want, tt.isSet)
			}
		})
	}
}

func keys(images []image) string {
	words := make([]string, 0, len(images))
	for _, i := range images {
		words = append(words, i.key())
	}
	return strings.Join(words, " ")
}

func checkError(t *testing.T, err error, want string) {
	t.Helper()
	if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want one with %q", err, want)
	}
}
