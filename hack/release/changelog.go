package main

import (
	"fmt"
	"strings"
)

// sectionOf a version in a changelog in the form of Keep a Changelog, without its heading.
func sectionOf(text, version string) (string, error) {
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
	section := strings.TrimSpace(out.String())
	if !found || section == "" {
		return "", fmt.Errorf("there is no section \"## [%s] - DATE\", or it is empty", version)
	}
	return section + "\n", nil
}
