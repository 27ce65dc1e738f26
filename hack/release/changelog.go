package main

import (
	"fmt"
	"strings"
)

// chapterOf a version in a changelog in the form of Keep a Changelog, without its heading.
func chapterOf(text, version string) (string, error) {
	var out strings.Builder
	inside, found := false, false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "## ") {
			inside = strings.HasPrefix(line, "## ["+version+"] - ")
			found = found || inside
			continue
		}
		if inside {
			out.WriteString(line)
		}
	}
	chapter := strings.TrimSpace(out.String())
	if !found || chapter == "" {
		return "", fmt.Errorf("there is no chapter \"## [%s] - DATE\", or it is empty", version)
	}
	return chapter + "\n", nil
}
