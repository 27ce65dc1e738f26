package runner

import "strings"

// maxLines bounds the lines of an output. Each takes memory of its own, so 64 MiB of line breaks
// would need ten times as much.
const maxLines = 2 << 20

// Lines splits an output; the end of the last line is not a line of its own. Beyond maxLines the
// last line has the rest.
func Lines(b []byte) []string {
	text := strings.TrimSuffix(strings.ReplaceAll(string(b), "\r\n", "\n"), "\n")
	if text == "" {
		return nil
	}
	return strings.SplitN(text, "\n", maxLines)
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
