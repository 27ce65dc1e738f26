// Command generate generates the parts that other tools do not: the RBAC rules of the chart
// from config/rbac/role.yaml, docs/reference/conditions.md and the meanings of reasons from the Go sources, and PROJECT from the CRDs. It runs in
// the root of the repository; hack/generate.sh calls it.
package main

import (
	"fmt"
	"os"
)

func main() {
	for _, derive := range []func() error{deriveRules, deriveConditions, deriveReasons, deriveProject} {
		if err := derive(); err != nil {
			fmt.Fprintln(os.Stderr, "generate:", err)
			os.Exit(1)
		}
	}
}

// write replaces a generated file.
func write(path string, data []byte) error { return os.WriteFile(path, data, 0o644) }
