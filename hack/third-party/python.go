package main

import (
	"path"
	"strings"
)

// python has the packages of Python in an image. License-Expression is what new ones have; old ones have a text of their own.
func python(all files) ([]part, error) {
	var out []part
	for name, text := range all {
		if !strings.HasSuffix(name, ".dist-info/METADATA") {
			continue
		}
		head, _, _ := strings.Cut(text, "\n\n")
		f := fieldsOf(head)
		license := f["License-Expression"]
		if license == "" {
			license = f["License"]
		}
		out = append(out, part{kind: "pypi", name: f["Name"], version: f["Version"], license: license, texts: all.licenses(path.Dir(name))})
	}
	return out, nil
}
