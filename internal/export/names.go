package export

import (
	"strings"
)

// word is a text in which everything but letters, digits and the runes of keep is the rune of instead.
func word(text, keep string, instead rune) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(keep, r) {
			return r
		}
		return instead
	}, text)
}

// slug is a text in lower case with hyphens, none of them twice or at an end.
func slug(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(word(text, "", '-')), func(r rune) bool { return r == '-' }), "-")
}
