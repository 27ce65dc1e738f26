package rules

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// mayImport is how the doc.go of a floor, a folder of internal, says which other floors its packages may import, and which of
// the folders beside internal. This is the only place that says it.
var mayImport = regexp.MustCompile(`(?m)^May import: ([a-z, ]+)\.$`)

// beside are the folders beside internal that floors may import: the API, and the adapters of servers and tools.
var beside = []string{"api", "engines", "runners"}

// floorsOf internal: by the name of each, the floors and the folders beside that it may import.
func floorsOf(sources []source) map[string][]string {
	floors := map[string][]string{}
	for _, s := range sources {
		floor, below := strings.CutPrefix(s.dir(), "internal/")
		if !below || strings.Contains(floor, "/") || s.test || s.ast.Doc == nil {
			continue
		}
		if found := mayImport.FindStringSubmatch(s.ast.Doc.Text()); found != nil {
			floors[floor] = slices.DeleteFunc(strings.Split(found[1], ", "), func(f string) bool { return f == "nothing" })
		}
	}
	return floors
}

// floorOf a package of internal: its folder there.
func floorOf(dir string) (floor string, internal bool) {
	rest, internal := strings.CutPrefix(dir, "internal/")
	floor, _, _ = strings.Cut(rest, "/")
	return floor, internal
}

// importsAgainstFloors are packages of internal on no floor, imports that the floor of a package does not allow, and floors
// that may import each other.
func importsAgainstFloors(sources []source) (out []violation) {
	floors := floorsOf(sources)
	imports := importsOf(sources)
	for _, from := range slices.Sorted(maps.Keys(imports)) {
		floor, internal := floorOf(from)
		if !internal {
			continue
		}
		if _, is := floors[floor]; !is {
			out = append(out, violation{"package on no floor", from, 1, 0})
			continue
		}
		for _, p := range imports[from] {
			to, internal := floorOf(p)
			if !internal {
				to, _, _ = strings.Cut(p, "/")
			}
			if (internal || slices.Contains(beside, to)) && to != floor && !slices.Contains(floors[floor], to) {
				out = append(out, violation{"import against the floors", from + " " + p, 1, 0})
			}
		}
	}
	for _, floor := range slices.Sorted(maps.Keys(floors)) {
		for _, below := range floors[floor] {
			if _, is := floors[below]; !is && !slices.Contains(beside, below) {
				out = append(out, violation{"floor that may import what is none", floor + " " + below, 1, 0})
			}
		}
		if reaches(floors, floor, floor, map[string]bool{}) {
			out = append(out, violation{"floors in a circle", floor, 1, 0})
		}
	}
	return out
}

// reaches says whether a floor may import another one, by way of others.
func reaches(floors map[string][]string, from, to string, seen map[string]bool) bool {
	for _, next := range floors[from] {
		if next == to {
			return true
		}
		if !seen[next] {
			seen[next] = true
			if reaches(floors, next, to, seen) {
				return true
			}
		}
	}
	return false
}

func TestImportsAgainstFloors(t *testing.T) {
	floor := func(name, may string) source {
		return example(t, "internal/"+name+"/doc.go", "// Package "+name+" is a floor.\n//\n// May import: "+may+".\npackage "+name+"\n")
	}
	imports := func(path, folder string) source {
		return example(t, path, fmt.Sprintf("package p\n\nimport _ %q\n", module+"/"+folder))
	}
	floors := []source{floor("ground", "nothing"), floor("trial", "api, ground"), floor("verdict", "ground, trial")}
	tests := map[string]struct {
		given []source
		want  []violation
	}{
		"a floor below":                    {[]source{imports("internal/verdict/gate/a.go", "internal/trial/plan")}, nil},
		"the same floor":                   {[]source{imports("internal/trial/plan/a.go", "internal/trial/merge")}, nil},
		"the floor's own package":          {[]source{imports("internal/verdict/a.go", "internal/verdict/gate")}, nil},
		"the API, which it does not name":  {[]source{imports("internal/verdict/gate/a.go", "api/v1alpha1")}, []violation{{"import against the floors", "internal/verdict/gate api/v1alpha1", 1, 0}}},
		"an adapter, by the lowest floor":  {[]source{imports("internal/ground/store/a.go", "engines/engine")}, []violation{{"import against the floors", "internal/ground/store engines/engine", 1, 0}}},
		"the list of tools":                {[]source{imports("internal/trial/plan/a.go", "runners")}, []violation{{"import against the floors", "internal/trial/plan runners", 1, 0}}},
		"the API, which it names":          {[]source{imports("internal/trial/plan/a.go", "api/v1alpha1")}, nil},
		"from outside":                     {[]source{imports("controllers/a/a.go", "internal/trial/plan")}, nil},
		"a test":                           {[]source{imports("internal/trial/plan/a_test.go", "internal/verdict/gate")}, nil},
		"a floor above":                    {[]source{imports("internal/trial/plan/a.go", "internal/verdict/gate")}, []violation{{"import against the floors", "internal/trial/plan internal/verdict/gate", 1, 0}}},
		"a folder two below":               {[]source{imports("internal/trial/plan/x/a.go", "internal/verdict/gate/y")}, []violation{{"import against the floors", "internal/trial/plan/x internal/verdict/gate/y", 1, 0}}},
		"a package beside the floors":      {[]source{imports("internal/plan/a.go", "internal/ground/contract")}, []violation{{"package on no floor", "internal/plan", 1, 0}}},
		"an import of one":                 {[]source{imports("internal/trial/plan/a.go", "internal/plan")}, []violation{{"import against the floors", "internal/trial/plan internal/plan", 1, 0}}},
		"a floor that may import no floor": {[]source{floor("show", "roof")}, []violation{{"floor that may import what is none", "show roof", 1, 0}}},
		"floors in a circle": {
			[]source{floor("ground", "verdict")},
			[]violation{{"floors in a circle", "ground", 1, 0}, {"floors in a circle", "trial", 1, 0}, {"floors in a circle", "verdict", 1, 0}},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := importsAgainstFloors(slices.Concat(floors, tt.given))
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(violation{})); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
		})
	}
}

// TestFloorsAreFound: the rule would hold for nothing if the floors were not.
func TestFloorsAreFound(t *testing.T) {
	sources, err := sourcesBelow(top)
	if err != nil {
		t.Fatal(err)
	}
	if floors := floorsOf(sources); len(floors) < 5 || len(floors) > 12 {
		t.Errorf("%d floors: %v", len(floors), floors)
	}
}

func example(t *testing.T, path, text string) source {
	t.Helper()
	s, _, err := parse(path, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}
