package rules

import (
	"regexp"
	"strings"
)

// maxSentenceWords is what the sentences of a document must have less than, on average.
const maxSentenceWords = 30

// document is a page in Markdown.
type document struct {
	path string // from the top folder
	text string
}

// documentsBelow are README.md and the pages in docs, without those that are generated.
func documentsBelow(root string) ([]document, error) {
	var out []document
	err := walk(root, ".md", func(path string, text []byte) error {
		generated := strings.HasPrefix(string(text), "<!-- Generated")
		if (path == "README.md" || strings.HasPrefix(path, "docs/")) && !generated {
			out = append(out, document{path, string(text)})
		}
		return nil
	})
	return out, err
}

// longSentences are the documents whose sentences have maxSentenceWords or more words, on
// average. The size is the average, rounded down.
func longSentences(documents []document) (out []violation) {
	for _, d := range documents {
		words, sentences := 0, 0
		for _, s := range sentencesOf(d.text) {
			words += len(strings.Fields(s))
			sentences++
		}
		if sentences > 0 && words >= maxSentenceWords*sentences {
			out = append(out, violation{"words of a sentence, on average", d.path, words / sentences, maxSentenceWords - 1})
		}
	}
	return out
}

// localShape is the name of a machine size that only the cluster of make cluster has.
var localShape = regexp.MustCompile(`\bkind-(?:target|client)\b`)

// localShapes are the pages of the guide that name a shape of the local cluster: its readers have a cluster of their own.
// The tests that play such a page put the names of the local cluster in the place of database-m and client-m.
func localShapes(documents []document) (out []violation) {
	for _, d := range documents {
		if n := len(localShape.FindAllString(d.text, -1)); n > 0 && strings.HasPrefix(d.path, "docs/guide/") {
			out = append(out, violation{"shape of the local cluster in the guide", d.path, n, 0})
		}
	}
	return out
}

var (
	listItem = regexp.MustCompile(`^\s*([-*+]|\d+\.)\s+`)
	// link and image: what the reader sees of them stays.
	link = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	code = regexp.MustCompile("`[^`]*`")
	// sentenceEnd is a mark that ends a sentence, with what may close after it.
	sentenceEnd = regexp.MustCompile(`[.!?]["')*_]*(\s+|$)`)
)

// sentencesOf the running text of a page. Blocks of code, tables, headings and comments
// are left out; an item of a list ends a sentence, and so does a paragraph. A piece of
// code in the text is one word.
func sentencesOf(text string) (out []string) {
	var paragraph []string
	end := func() {
		joined := link.ReplaceAllString(code.ReplaceAllString(strings.Join(paragraph, " "), "code"), "$1")
		paragraph = nil
		for _, s := range sentenceEnd.Split(joined, -1) {
			if s = strings.TrimSpace(s); s != "" {
				out = append(out, s)
			}
		}
	}
	fence := ""
	for line := range strings.Lines(text) {
		bare := strings.TrimSpace(line)
		switch {
		case fence != "":
			if bare == fence {
				fence = ""
			}
		case strings.HasPrefix(bare, "```") || strings.HasPrefix(bare, "~~~"):
			end()
			fence = bare[:3]
		case bare == "" || strings.HasPrefix(bare, "#") || strings.HasPrefix(bare, "|") || strings.HasPrefix(bare, "<"):
			end()
		case listItem.MatchString(line):
			end()
			paragraph = append(paragraph, listItem.ReplaceAllString(strings.TrimRight(line, "\n"), ""))
		default:
			paragraph = append(paragraph, strings.TrimPrefix(bare, "> "))
		}
	}
	end()
	return out
}
