package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// sets of images; each has all images of those before it.
var sets = []string{"demo", "core", "full"}

// image is a line of images.yaml.
type image struct {
	Name   string   `json:"name"`
	Series string   `json:"series,omitempty"`
	Set    string   `json:"set"`
	Folder string   `json:"folder"`
	Base   string   `json:"base,omitempty"`
	Inputs []string `json:"inputs,omitempty"`
	// Archive is the variable that names the archive of the image's harness.
	Archive string `json:"archive,omitempty"`

	// Pinned is the base with its digest.
	Pinned string `json:"-"`
	// Given is the path of the archive, Sum its SHA-256 when the tag was made, and Sources the digest of what a harness of this
	// checkout is built of.
	Given   string `json:"-"`
	Sum     string `json:"-"`
	Sources string `json:"-"`
	// Tag is the reference in the engine, such as assay-mysql:9.7-0123456789ab.
	Tag string `json:"-"`
}

// key is what an image is called on the command line and in out/images.txt: NAME or NAME:SERIES.
func (i image) key() string {
	if i.Series == "" {
		return i.Name
	}
	return i.Name + ":" + i.Series
}

// file is the key where a colon must not be.
func (i image) file() string { return strings.ReplaceAll(i.key(), ":", "-") }

// repository of the image in the engine.
func (i image) repository() string { return "assay-" + i.Name }

// stem is what all tags of an image begin with.
func (i image) stem() string {
	if i.Series == "" {
		return i.repository() + ":"
	}
	return i.repository() + ":" + i.Series + "-"
}

// readTable reads and checks the table of images.
func readTable(path string) ([]image, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	images, err := parseTable(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return images, nil
}

func parseTable(data []byte) ([]image, error) {
	var table struct {
		Bases  []string `json:"bases"`
		Images []image  `json:"images"`
	}
	// By way of JSON, where a number is no text: 9.10 without quotes would become 9.1.
	plain, err := yaml.YAMLToJSONStrict(data)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(plain))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&table); err != nil {
		return nil, err
	}
	if err := pin(table.Images, table.Bases); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, i := range table.Images {
		switch {
		case i.Name == "" || i.Folder == "":
			return nil, fmt.Errorf("an image needs a name and a folder: %+v", i)
		case !slices.Contains(sets, i.Set):
			return nil, fmt.Errorf("image %s: no set %q (known: %s)", i.key(), i.Set, strings.Join(sets, ", "))
		case seen[i.key()]:
			return nil, fmt.Errorf("image %s is there twice", i.key())
		}
		seen[i.key()] = true
	}
	if len(table.Images) == 0 {
		return nil, fmt.Errorf("no images")
	}
	return table.Images, nil
}

// choose returns the images that the words name, in the order of the table: a set, with keys of images beside it, or keys
// of images alone. isSet says which.
func choose(images []image, words []string) (chosen []image, isSet bool, err error) {
	if len(words) == 0 {
		words = []string{"core"}
	}
	rank := slices.Index(sets, words[0])
	isSet = rank >= 0
	named := words
	if isSet {
		named = words[1:]
	}
	known := make([]string, 0, len(images))
	for _, i := range images {
		known = append(known, i.key())
		if slices.Index(sets, i.Set) <= rank || slices.Contains(named, i.key()) {
			chosen = append(chosen, i)
		}
	}
	for _, w := range named {
		if !slices.Contains(known, w) {
			return nil, false, fmt.Errorf("no image %s (known: %s, %s)", w, strings.Join(sets, ", "), strings.Join(known, ", "))
		}
	}
	return chosen, isSet, nil
}
