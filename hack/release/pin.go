package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var (
	// section is a key of the values at the margin, and entry one below it.
	section = regexp.MustCompile(`^([a-zA-Z]+):`)
	entry   = regexp.MustCompile(`^  ([a-z0-9-]+):`)
	// ours is an image that is left to the chart's version, and digestLine that of the manager.
	ours       = regexp.MustCompile(`image: ""`)
	digestLine = regexp.MustCompile(`^  digest: ""$`)
	repository = regexp.MustCompile(`^  repository: \S+$`)
	// server is an image of the engine catalogue, by its tag.
	server = regexp.MustCompile(`image: "([^"@]+:[^"@/]+)"`)
)

// notPublished are runners whose images are built by hand: their entries stay as they are.
var notPublished = []string{"drivers-dotnet"}

// pin puts digests into the text of the values. Our own images are by their names in published:
// manager, agent, runner-NAME. The others are asked for. Comments stay.
func pin(values string, published map[string]string, digestOf func(string) (string, error)) (string, error) {
	var out strings.Builder
	var in, below string
	for line := range strings.Lines(values) {
		if found := section.FindStringSubmatch(line); found != nil {
			in, below = found[1], ""
		} else if found := entry.FindStringSubmatch(line); found != nil {
			below = found[1]
		}
		var err error
		switch {
		case in == "image":
			line, err = pinManager(strings.TrimSuffix(line, "\n"), published["manager"])
		case in == "agent":
			line, err = pinOurs(line, "agent", published)
		case in == "runners" && !slices.Contains(notPublished, below):
			line, err = pinOurs(line, "runner-"+below, published)
		case in == "engines":
			line, err = pinServer(line, digestOf)
		}
		if err != nil {
			return "", err
		}
		out.WriteString(line)
	}
	return out.String(), nil
}

// pinManager writes the parts of the manager's image, which has a section of its own.
func pinManager(line, reference string) (string, error) {
	name, digest, known := strings.Cut(reference, "@")
	if !known {
		return "", fmt.Errorf("the manager was not published")
	}
	switch {
	case repository.MatchString(line):
		line = "  repository: " + name
	case digestLine.MatchString(line):
		line = fmt.Sprintf("  digest: %q", digest)
	}
	return line + "\n", nil
}

func pinOurs(line, name string, published map[string]string) (string, error) {
	if !ours.MatchString(line) {
		return line, nil
	}
	reference := published[name]
	if reference == "" {
		return "", fmt.Errorf("%s was not published", name)
	}
	return ours.ReplaceAllString(line, fmt.Sprintf("image: %q", reference)), nil
}

func pinServer(line string, digestOf func(string) (string, error)) (string, error) {
	found := server.FindStringSubmatch(line)
	if found == nil {
		return line, nil
	}
	digest, err := digestOf(found[1])
	if err != nil || digest == "" {
		return line, err
	}
	return strings.Replace(line, found[1], found[1]+"@"+digest, 1), nil
}
