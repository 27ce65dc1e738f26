package runner

import "strings"

// Lines splits an output; the end of the last line is not a line of its own.
func Lines(b []byte) []string {
	text := strings.TrimSuffix(strings.ReplaceAll(string(b), "\r\n", "\n"), "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}
