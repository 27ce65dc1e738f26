package likeness

import (
	_ "embed" // the catalogue is part of the program
	"fmt"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/engines/engine"
)

//go:embed catalogue.yaml
var catalogueYAML []byte

// Setting is a setting of a server that is known to matter.
type Setting struct {
	// Name of the variable, and its names in other servers.
	Name    string   `json:"name"`
	Aliases []string `json:"aliases,omitempty"`
	// RocksDB is the counterpart in this storage engine.
	RocksDB string `json:"rocksdb,omitempty"`
	// Class of a difference.
	Class Class `json:"class"`
	// Engine of the tables for which the setting counts; empty for all.
	Engine string `json:"engine,omitempty"`
	// Servers that use the setting; MySQL and MariaDB by default.
	Servers []string `json:"servers,omitempty"`
	// Needs is a setting that must be on.
	Needs string `json:"needs,omitempty"`
	// Costs are values from the fastest to the slowest.
	Costs []string `json:"costs,omitempty"`
	// More is Faster or Slower: the effect of a larger number.
	More string `json:"more,omitempty"`
	// Zero is "unlimited" where 0 is more than any number.
	Zero string `json:"zero,omitempty"`
	// Same maps values to one that means the same.
	Same map[string]string `json:"same,omitempty"`
	// Absent is what a server without the variable does.
	Absent string `json:"absent,omitempty"`
	// Why it matters.
	Why string `json:"why"`
	// Source is the page of a manual.
	Source string `json:"source"`
}

// usualServers use a setting that names no servers.
var usualServers = []string{"MySQL", "MariaDB"}

// Catalogue is the list of settings that are known to matter. It is the same in every call.
var Catalogue = sync.OnceValue(func() []Setting {
	var all []Setting
	if err := yaml.UnmarshalStrict(catalogueYAML, &all); err != nil {
		panic(fmt.Sprintf("the embedded catalogue: %v", err)) // part of the program: the tests read it
	}
	return all
})

// names of the variables that tell a setting, of any storage engine.
func (s Setting) names() []string {
	all := append([]string{s.Name}, s.Aliases...)
	if s.RocksDB != "" {
		all = append(all, s.RocksDB)
	}
	return all
}

// usedBy says whether a family of servers uses the setting. Whether a server that is not known uses
// a setting of its variables is not known: its values are compared, and their meaning is left open.
func (s Setting) usedBy(family string) bool {
	servers := s.Servers
	if len(servers) == 0 {
		servers = usualServers
	}
	return family == "" || slices.Contains(servers, family)
}

// factsOf a server, by its variables and the fact with its version and comment.
func factsOf(facts map[string]string) engine.Facts {
	version, comment, _ := strings.Cut(facts[factVersion], " ")
	return engines.Identify(version, comment, facts).Facts
}
