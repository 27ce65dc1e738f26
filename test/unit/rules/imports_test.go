package rules

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// module is the path of packages of ours.
const module = "github.com/assay-bench/assay"

// linterConfig is what is needed of .golangci.yml.
type linterConfig struct {
	Linters struct {
		Settings struct {
			Depguard struct {
				Rules map[string]importRule `json:"rules"`
			} `json:"depguard"`
		} `json:"settings"`
	} `json:"linters"`
}

type importRule struct {
	Files []string `json:"files"`
	Allow []string `json:"allow"`
	Deny  []struct {
		Package string `json:"pkg"`
	} `json:"deny"`
}

// deadImportRules are the packages and files that depguard's rules name and that do not
// exist below a folder: such a rule holds nothing. Packages of others are not looked for.
func deadImportRules(root string, config []byte) ([]violation, error) {
	var c linterConfig
	if err := yaml.Unmarshal(config, &c); err != nil {
		return nil, fmt.Errorf("reading the linter's configuration: %w", err)
	}
	rules := c.Linters.Settings.Depguard.Rules
	if len(rules) == 0 {
		return nil, fmt.Errorf("the linter's configuration has no rules for imports")
	}
	var paths []string
	err := walk(root, ".go", func(path string, _ []byte) error {
		paths = append(paths, path)
		return nil
	})
	if err != nil {
		return nil, err
	}
	var out []violation
	dead := func(rule, what string) {
		out = append(out, violation{"import rule that names what does not exist", ".golangci.yml " + rule + " " + what, 1, 0})
	}
	for _, name := range slices.Sorted(maps.Keys(rules)) {
		rule := rules[name]
		packages := slices.Clone(rule.Allow)
		for _, d := range rule.Deny {
			packages = append(packages, d.Package)
		}
		for _, p := range packages {
			folder, ours := strings.CutPrefix(p+"/", module+"/")
			if info, err := os.Stat(filepath.Join(root, folder)); ours && (err != nil || !info.IsDir()) {
				dead(name, p)
			}
		}
		for _, glob := range rule.Files {
			for _, one := range alternatives(glob) {
				if !strings.HasPrefix(one, "!") && !strings.HasPrefix(one, "$") && !slices.ContainsFunc(paths, matcher(one)) {
					dead(name, one)
				}
			}
		}
	}
	return out, nil
}

// alternatives of a pattern: a{b,c}d is abd and acd.
func alternatives(glob string) []string {
	open, shut := strings.Index(glob, "{"), strings.Index(glob, "}")
	if open < 0 || shut < open {
		return []string{glob}
	}
	var out []string
	for part := range strings.SplitSeq(glob[open+1:shut], ",") {
		out = append(out, alternatives(glob[:open]+part+glob[shut+1:])...)
	}
	return out
}

// matcher of a pattern of depguard, for paths from the top folder: ** is any number of
// folders, and * anything within a name.
func matcher(glob string) func(string) bool {
	pattern := regexp.QuoteMeta(glob)
	pattern = strings.ReplaceAll(pattern, `\*\*/`, `(.*/)?`)
	pattern = strings.ReplaceAll(pattern, `\*\*`, `.*`)
	pattern = strings.ReplaceAll(pattern, `\*`, `[^/]*`)
	return regexp.MustCompile("^" + pattern + "$").MatchString
}
