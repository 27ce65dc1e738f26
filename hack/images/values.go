package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assay-bench/assay/engines"
)

// Files that name what was built.
const (
	valuesFile = "out/values-local.yaml"
	listFile   = "out/images.txt"
)

// available are the images for the values: the requested images, and other images that every
// worker has. Other images keep the defaults of the chart.
func available(all, chosen []image, present []string) []image {
	var out []image
	for _, i := range all {
		asked := slices.ContainsFunc(chosen, func(c image) bool { return c.key() == i.key() })
		if asked || slices.Contains(present, i.Tag) {
			out = append(out, i)
		}
	}
	return out
}

// values of the chart for the images. all is the whole table, with tags. gone are versions that leave the catalogue, by their
// flavor: no node can get an image of them.
func values(all, available []image, gone map[string][]string) string {
	tags := map[string]string{}
	for _, i := range all {
		tags[i.key()] = i.Tag
	}
	var out strings.Builder
	_, manager, _ := strings.Cut(tags["manager"], ":")
	out.WriteString("# Written by hack/images.sh: the images that were built here and loaded into the nodes.\n")
	fmt.Fprintf(&out, "image: {repository: %sassay-manager, tag: %q, pullPolicy: IfNotPresent}\n", registry, manager)
	fmt.Fprintf(&out, "agent: {image: %q}\n", registry+tags["agent"])
	out.WriteString("runners:\n")
	for _, i := range available {
		if runner, is := strings.CutPrefix(i.Name, "runner-"); is {
			fmt.Fprintf(&out, "  %s: {image: %q}\n", runner, registry+i.Tag)
		}
	}
	out.WriteString("engines:\n")
	for _, flavor := range engines.Flavors() {
		var entries []string
		built := map[string]bool{}
		for _, i := range available {
			if i.Name == strings.ToLower(flavor) { // so are images of servers called
				built[i.Series] = true
				entries = append(entries, fmt.Sprintf("%q: {image: %q}", i.Series, registry+i.Tag))
			}
		}
		for _, version := range gone[flavor] {
			if !built[version] {
				entries = append(entries, fmt.Sprintf("%q: null", version))
			}
		}
		fmt.Fprintf(&out, "  %s: {%s}\n", flavor, strings.Join(entries, ", "))
	}
	out.WriteString(`# Off the nodes that are measured: there the manager would be a second workload.
nodeSelector: {node-role.kubernetes.io/control-plane: ""}
tolerations: [{key: node-role.kubernetes.io/control-plane, operator: Exists}]
`)
	return out.String()
}

// list of images, one a line: key and reference.
func list(available []image) string {
	var out strings.Builder
	for _, i := range available {
		fmt.Fprintf(&out, "%s %s%s\n", i.key(), registry, i.Tag)
	}
	return out.String()
}

// replace writes a file at once, so that nobody reads half of it.
func replace(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path+".tmp", []byte(text), 0o644); err != nil {
		return err
	}
	return os.Rename(path+".tmp", path)
}
