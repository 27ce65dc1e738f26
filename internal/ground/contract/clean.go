package contract

import (
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean is a text without characters that do something to a terminal: control characters, such as
// the escape that begins a sequence, and those that turn the direction of writing round. Each is
// replaced by U+FFFD, as bytes are that are no UTF-8. Line ends and tabs stay. Tools, servers and the
// users of either write the text of names, labels and messages.
func Clean(text string) string {
	return clean(text, func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		return utf8.RuneError
	})
}

// Line is Clean for a text that is one line, such as a label: line ends and tabs become spaces.
func Line(text string) string {
	return clean(text, func(r rune) rune {
		if r == '\n' || r == '\t' || r == '\r' {
			return ' '
		}
		return utf8.RuneError
	})
}

func clean(text string, instead func(rune) rune) string {
	if !strings.ContainsFunc(text, isActive) && utf8.ValidString(text) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if isActive(r) {
			return instead(r)
		}
		return r
	}, strings.ToValidUTF8(text, string(utf8.RuneError)))
}

// isActive says whether a terminal acts on a character rather than showing it.
func isActive(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
}

// CleanLabels are labels of which each name and value is a Line; the same map where they are.
func CleanLabels(labels map[string]string) map[string]string {
	for name, value := range labels {
		if Line(name) == name && Line(value) == value {
			continue
		}
		out := make(map[string]string, len(labels))
		for name, value := range labels {
			out[Line(name)] = Line(value)
		}
		return out
	}
	return labels
}

// CleanWriter writes Clean texts. A character must not be split between two writes.
type CleanWriter struct{ To io.Writer }

// Write the text. The number is that of the bytes of p: all of them, or none after an error.
func (w CleanWriter) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.To, Clean(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}
