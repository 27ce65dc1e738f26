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

// maxQuoted is how much of a line a report quotes, in bytes. The whole output is kept
// beside it.
const maxQuoted = 300

// Abridge makes a line fit to be quoted: valid UTF-8 of bounded length.
func Abridge(line string) string {
	if len(line) > maxQuoted {
		line = line[:maxQuoted] + "..."
	}
	return strings.ToValidUTF8(line, "\uFFFD")
}
