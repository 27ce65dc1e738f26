package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
)

func TestSplit(t *testing.T) {
	rule := func(resources ...string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{Resources: resources, Verbs: []string{"get"}}
	}
	cluster, namespaced := split([]rbacv1.PolicyRule{
		rule("nodes", "pods"), rule("benchmarkruns/status", "instanceshapes/status"), rule("jobs"),
	})
	if diff := cmp.Diff([]rbacv1.PolicyRule{rule("nodes"), rule("instanceshapes/status")}, cluster); diff != "" {
		t.Errorf("without a namespace (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]rbacv1.PolicyRule{rule("pods"), rule("benchmarkruns/status"), rule("jobs")}, namespaced); diff != "" {
		t.Errorf("with a namespace (-want +got):\n%s", diff)
	}
}

func TestParseTerm(t *testing.T) {
	tests := map[string]struct {
		source string
		want   term
		err    string
	}{
		"a meaning over two lines is one":   {"// X: one\n// two.\nX = \"v\"", term{"v", "One two."}, ""},
		"a typed constant":                  {"// X: one.\nX T = \"v\"", term{"v", "One."}, ""},
		"a field at the start":              {"// X: spec.a is true.\nX = \"v\"", term{"v", "spec.a is true."}, ""},
		"a constant without a comment":      {"X = \"v\"", term{}, "needs a comment"},
		"a comment that is no definition":   {"// X is one.\nX = \"v\"", term{}, "needs a comment"},
		"a constant that is not a string":   {"// X: one.\nX = 1", term{}, "no string"},
		"a constant that has another value": {"// X: one.\nX = Y", term{}, "no string"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			file, err := parser.ParseFile(token.NewFileSet(), "", "package p\nconst (\n"+tt.source+"\n)", parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			got, err := parseTerm(file.Decls[0].(*ast.GenDecl).Specs[0].(*ast.ValueSpec))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("term (-want +got):\n%s", diff)
			}
			if (err == nil) != (tt.err == "") || (err != nil && !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("error %v, want one with %q", err, tt.err)
			}
		})
	}
}
