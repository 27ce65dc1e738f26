package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"
)

// reasonsFolder declares the reasons of conditions; docs/reference/conditions.md is derived from it.
const reasonsFolder = "api/v1alpha1"

// checkReasons: every reason that the API declares is used outside of tests.
func checkReasons(s *source) []problem {
	declared := map[string]string{}
	if p := s.packages[reasonsFolder]; p != nil {
		for _, file := range p.files {
			for _, decl := range file.Decls {
				if group, is := decl.(*ast.GenDecl); is && group.Tok == token.CONST {
					s.addReasons(group, declared)
				}
			}
		}
	}
	if len(declared) == 0 {
		return []problem{{reasonsFolder, "no reason was found in the sources"}}
	}
	for _, folder := range s.folders() {
		if first, _, _ := strings.Cut(folder, "/"); first == "hack" || first == "test" {
			continue
		}
		for _, file := range s.packages[folder].files {
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.ValueSpec: // the declaration is no use; its value may be
					for _, value := range n.Values {
						ast.Inspect(value, func(n ast.Node) bool { return forget(declared, n) })
					}
					return false
				default:
					return forget(declared, n)
				}
			})
		}
	}
	var out []problem
	for _, name := range slices.Sorted(maps.Keys(declared)) {
		out = append(out, problem{declared[name], fmt.Sprintf("nothing gives the reason %s", name)})
	}
	return out
}

func (s *source) addReasons(group *ast.GenDecl, declared map[string]string) {
	for _, spec := range group.Specs {
		for _, name := range spec.(*ast.ValueSpec).Names {
			if strings.HasPrefix(name.Name, "Reason") {
				declared[name.Name] = s.at(name)
			}
		}
	}
}

// forget removes a reason that is used from those that are declared.
func forget(declared map[string]string, n ast.Node) bool {
	if id, is := n.(*ast.Ident); is {
		delete(declared, id.Name)
	}
	return true
}
