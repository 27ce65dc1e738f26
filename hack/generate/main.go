// Command generate generates the parts that other tools do not: the RBAC rules of the chart
// from config/rbac/role.yaml, docs/reference/conditions.md and the meanings of reasons and of all other words from the Go sources, docs/reference/servers.md from the engines, and PROJECT from the CRDs. It runs in
// the root of the repository; hack/generate.sh calls it. With the argument enumerations it writes
// those of the API, from which other tools derive more, and nothing else.
package main

import (
	"fmt"
	"os"
)

func main() {
	all := []func() error{deriveRules, deriveConditions, deriveReasons, deriveWords, deriveServers, deriveDriverOptions, deriveProject}
	if len(os.Args) > 1 && os.Args[1] == "enumerations" {
		all = []func() error{deriveEnumerations}
	}
	for _, derive := range all {
		if err := derive(); err != nil {
			fmt.Fprintln(os.Stderr, "generate:", err)
			os.Exit(1)
		}
	}
}

// write replaces a generated file.
func write(path string, data []byte) error { return os.WriteFile(path, data, 0o644) }
