package rules

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// importers of the parts that not everybody may import: programs, and what belongs to one of them. A part may import itself;
// hack and tests may import everything.
var importers = map[string][]string{
	"cmd":            nil,
	"hack":           nil,
	"test":           nil,
	"controllers":    {"cmd/manager"},
	"internal/agent": {"cmd/agent"},
	"internal/cli":   {"cmd/kubectl-assay"},
}

// forbiddenImports are imports of a part by a package that must not know it. Each names the package and what it imports.
func forbiddenImports(sources []source) (out []violation) {
	for from, to := range importsOf(sources) {
		if within(from, "hack") || within(from, "test") {
			continue
		}
		for part, allowed := range importers {
			for _, p := range to {
				if within(p, part) && !within(from, part) && !slices.ContainsFunc(allowed, func(a string) bool { return within(from, a) }) {
					out = append(out, violation{"import against the arrows", from + " " + p, 1, 0})
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b violation) int { return strings.Compare(a.where, b.where) })
	return out
}

// importsOf are the packages of ours that each package of ours imports, sorted, by folders from the top one. Those of tests
// are left out.
func importsOf(sources []source) map[string][]string {
	found := map[string]map[string]bool{}
	for _, s := range sources {
		if s.test {
			continue
		}
		if found[s.dir()] == nil {
			found[s.dir()] = map[string]bool{}
		}
		for _, i := range s.ast.Imports {
			path, err := strconv.Unquote(i.Path.Value)
			if folder, ours := strings.CutPrefix(path, module+"/"); ours && err == nil { // the parser accepts no other path
				found[s.dir()][folder] = true
			}
		}
	}
	out := map[string][]string{}
	for from, to := range found {
		out[from] = slices.Sorted(maps.Keys(to))
	}
	return out
}

// within says whether a folder is another one or below it.
func within(folder, of string) bool { return folder == of || strings.HasPrefix(folder, of+"/") }

func TestForbiddenImports(t *testing.T) {
	tests := map[string]struct {
		path, imports string
		want          bool
	}{
		"a controller imports a package of internal": {"controllers/a/a.go", "internal/trial/plan", false},
		"a package of internal imports a controller": {"internal/trial/plan/a.go", "controllers/a", true},
		"its test does":                                    {"internal/trial/plan/a_test.go", "controllers/a", false},
		"the command imports a controller":                 {"internal/cli/show/a.go", "controllers/a", true},
		"the manager imports a controller":                 {"cmd/manager/a.go", "controllers/a", false},
		"the agent's program imports a controller":         {"cmd/agent/a.go", "controllers/a", true},
		"the agent's program imports the agent":            {"cmd/agent/a.go", "internal/agent/client", false},
		"the manager imports the agent":                    {"cmd/manager/a.go", "internal/agent/client", true},
		"a package of the agent imports another one of it": {"internal/agent/client/a.go", "internal/agent/clock", false},
		"a package imports the command":                    {"internal/show/writeup/a.go", "internal/cli/show", true},
		"a package whose name begins alike":                {"internal/trial/plan/a.go", "internal/client", false},
		"the command's program imports the command":        {"cmd/kubectl-assay/a.go", "internal/cli", false},
		"an adapter imports the agent":                     {"runners/tpcc/a.go", "internal/agent/clock", true},
		"a package imports a helper of tests":              {"internal/trial/plan/a.go", "test/helpers/tree", true},
		"a generator imports everything":                   {"hack/gallery/main.go", "internal/cli", false},
		"a test suite imports everything":                  {"test/e2e/helper.go", "controllers/a", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s, _, err := parse(tt.path, []byte("package p\n\nimport (\n\t\"fmt\"\n\n\t_ \""+module+"/"+tt.imports+"\"\n)\n"))
			if err != nil {
				t.Fatal(err)
			}
			var want []violation
			if tt.want {
				want = []violation{{"import against the arrows", s.dir() + " " + tt.imports, 1, 0}}
			}
			if diff := cmp.Diff(want, forbiddenImports([]source{s}), cmp.AllowUnexported(violation{})); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
		})
	}
}
