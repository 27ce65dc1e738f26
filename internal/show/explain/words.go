package explain

import (
	"cmp"
	"strings"
	"sync"
)

// Sense is one meaning of a word.
type Sense struct {
	// Name is the word as it is printed.
	Name string `json:"name"`
	// Is says what it is, such as phase.
	Is string `json:"is"`
	// Meaning in plain text.
	Meaning string `json:"meaning"`
}

// Words are all senses of words that are neither reasons nor checks: those of the API, columns, exit codes, and what the command
// prints by itself (texts/words.yaml).
var Words = sync.OnceValues(func() ([]Sense, error) {
	var own []Sense
	err := read("words", &own)
	return append(own, words...), err
})

// Senses of a word. Upper and lower case, hyphens and blanks count only where two words differ in nothing else.
func Senses(name string) (exact []Sense, err error) {
	all, err := Words()
	if err != nil {
		return nil, err
	}
	var alike []Sense
	for _, s := range all {
		switch {
		case s.Name == name:
			exact = append(exact, s)
		case plain(s.Name) == plain(name):
			alike = append(alike, s)
		}
	}
	if len(exact) == 0 {
		exact = alike
	}
	return exact, nil
}

// plain is a word without case, hyphens and blanks.
func plain(name string) string { return strings.ReplaceAll(folded(name), " ", "") }

// Text is the sense for a terminal, a line for each paragraph.
func (s Sense) Text() string {
	article := "a "
	if strings.ContainsAny(cmp.Or(s.Is, " ")[:1], "aeiou") {
		article = "an "
	}
	return s.Name + " is " + article + s.Is + ".\n\n" + s.Meaning + "\n"
}
