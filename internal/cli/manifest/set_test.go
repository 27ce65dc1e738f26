package manifest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const twoSides = `apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata: {generateName: pr-}
spec:
  targets:
  - {name: base, mysql: {flavor: MariaDB, version: "10.11"}}
  - {name: head, mysql: {flavor: MariaDB, version: "10.11", config: {max_connections: "100"}}}
  - {name: theirs, external: {host: db.example}}
  design: {seed: 9007199254740991}
`

func runOf(t testing.TB) *unstructured.Unstructured {
	t.Helper()
	_, run, err := Objects([]byte(twoSides))
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// targetOf a run, by its place.
func targetOf(t testing.TB, run *unstructured.Unstructured, i int) map[string]any {
	t.Helper()
	targets, _, err := unstructured.NestedSlice(run.Object, "spec", "targets")
	if err != nil {
		t.Fatal(err)
	}
	return targets[i].(map[string]any)["mysql"].(map[string]any)
}

func TestSet(t *testing.T) {
	for name, tt := range map[string]struct {
		sets []string
		want map[string]any
	}{
		"nothing":    {nil, map[string]any{"flavor": "MariaDB", "version": "10.11", "config": map[string]any{"max_connections": "100"}}},
		"an image":   {[]string{"target.head.image=registry.example:5000/server@sha256:ab=c"}, map[string]any{"flavor": "MariaDB", "image": "registry.example:5000/server@sha256:ab=c", "config": map[string]any{"max_connections": "100"}}},
		"a version":  {[]string{"target.head.version=11.8"}, map[string]any{"flavor": "MariaDB", "version": "11.8", "config": map[string]any{"max_connections": "100"}}},
		"a setting":  {[]string{"target.head.config.max_connections=500"}, map[string]any{"flavor": "MariaDB", "version": "10.11", "config": map[string]any{"max_connections": "500"}}},
		"several":    {[]string{"target.head.config.sql_mode=", "target.head.config.a.b=1"}, map[string]any{"flavor": "MariaDB", "version": "10.11", "config": map[string]any{"max_connections": "100", "sql_mode": "", "a.b": "1"}}},
		"of another": {[]string{"target.base.version=11.8"}, map[string]any{"flavor": "MariaDB", "version": "10.11", "config": map[string]any{"max_connections": "100"}}},
	} {
		t.Run(name, func(t *testing.T) {
			run := runOf(t)
			if err := Sets(tt.sets).Apply(run); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, targetOf(t, run, 1)); diff != "" {
				t.Errorf("head (-want +got):\n%s", diff)
			}
		})
	}
	run := runOf(t)
	if err := (Sets{"target.base.config.max_connections=7"}).Apply(run); err != nil {
		t.Fatal(err)
	}
	if got := targetOf(t, run, 0)["config"]; !cmp.Equal(got, map[string]any{"max_connections": "7"}) {
		t.Errorf("the first setting of a target: %v", got)
	}
}

func TestSetRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		sets []string
		want string
	}{
		"no value":                    {[]string{"target.head.image"}, "--set target.head.image: there is no value: write it like target.head.image="},
		"an empty image":              {[]string{"target.head.image="}, "its value is empty: a variable may not be set"},
		"no field":                    {[]string{"target.head=1"}, `"target.head" is no field of a target`},
		"another part of the spec":    {[]string{"design.blocks=3"}, `"design.blocks" is no field of a target`},
		"a target that is misspelt":   {[]string{"target.haed.image=x"}, `"haed" is no target of the run: did you mean head? There are: base, head, theirs`},
		"a target that there is not":  {[]string{"target.production.image=x"}, `"production" is no target of the run: there are: base, head, theirs`},
		"a field that is misspelt":    {[]string{"target.head.imgae=x"}, `"imgae" is no field that can be set: did you mean image? There are: image, version, config.NAME`},
		"a field that there is not":   {[]string{"target.head.shape=x"}, `"shape" is no field that can be set: there are: image, version, config.NAME`},
		"a field of an image":         {[]string{"target.head.image.tag=x"}, `"image.tag" is no field that can be set`},
		"no setting":                  {[]string{"target.head.config=x"}, "config has settings"},
		"a target of somebody else":   {[]string{"target.theirs.image=x"}, "target theirs is not a server that Assay provides (mysql), and has no image"},
		"the same twice":              {[]string{"target.head.image=x", "target.head.image=y"}, "--set target.head.image=y: it is set twice"},
		"an image and a version":      {[]string{"target.head.image=x", "target.head.version=9.7"}, "--set target.head.version=9.7: a server has an image or a version, and not both"},
		"one that is good beside one": {[]string{"target.head.image=x", "target.head.imgae=y"}, "did you mean image?"},
	} {
		t.Run(name, func(t *testing.T) {
			run, before := runOf(t), runOf(t)
			err := Sets(tt.sets).Apply(run)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if diff := cmp.Diff(before.Object, run.Object); diff != "" {
				t.Errorf("it was changed (-before +after):\n%s", diff)
			}
		})
	}
}

// What is accepted stands in the run, and nothing else of the run is changed.
func FuzzSet(f *testing.F) {
	for _, seed := range []string{"target.head.image=x", "target.head.config.a.b==", "target.base.version=9", "target..image=x", "=", "target.head.config.=x", "target.theirs.image=x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		run, before := runOf(t), runOf(t)
		if err := (Sets{text}).Apply(run); err != nil {
			if diff := cmp.Diff(before.Object, run.Object); diff != "" {
				t.Fatalf("%q was refused (%v), and changed the run:\n%s", text, err, diff)
			}
			return
		}
		key, value, _ := strings.Cut(text, "=")
		parts := strings.SplitN(key, ".", 4)
		of := targetOf(t, run, map[string]int{"base": 0, "head": 1}[parts[1]])
		got := of[parts[2]]
		if parts[2] == "config" {
			got = of["config"].(map[string]any)[parts[3]]
		}
		if got != value {
			t.Fatalf("%q: %v is there", text, got)
		}
	})
}
