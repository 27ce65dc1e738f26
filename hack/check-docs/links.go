package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// document is a Markdown file.
type document struct {
	// path in the repository, with slashes.
	path string
	// text as it is written.
	text string
	// prose is the text without its code blocks; lines stay where they are.
	prose string
}

// documents by their paths.
type documents map[string]document

// readDocuments reads every Markdown file of the repository, except for what make builds and what
// Git does not show.
func readDocuments(root string) (documents, error) {
	docs := documents{}
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		if entry.IsDir() && skipped(relative, entry.Name()) {
			return filepath.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(name, ".md") {
			return nil
		}
		data, err := os.ReadFile(name)
		relative = filepath.ToSlash(relative)
		docs[relative] = newDocument(relative, string(data))
		return err
	})
	return docs, err
}

// skipped folders have no documents of this repository.
func skipped(relative, name string) bool {
	return relative != "." && (relative == "bin" || relative == "out" || name == "node_modules" || name == "testdata" ||
		strings.HasPrefix(name, "."))
}

func newDocument(path, text string) document {
	var prose strings.Builder
	code := false
	for line := range strings.Lines(text) {
		fence := strings.HasPrefix(strings.TrimLeft(line, " "), "```")
		if fence {
			code = !code
		}
		if fence || code {
			line = "\n"
		}
		prose.WriteString(line)
	}
	return document{path, text, prose.String()}
}

var (
	spanPattern   = regexp.MustCompile("`([^`\n]+)`")
	linkPattern   = regexp.MustCompile(`\]\(([^)\s]+)`)
	targetPattern = regexp.MustCompile(`(?m)^make ([a-z0-9 -]*[a-z0-9])(?: +#.*)?$`)
)

// spans are the texts in backticks.
func (d document) spans() []string { return unique(spanPattern.FindAllStringSubmatch(d.prose, -1)) }

// links are where the document links to.
func (d document) links() []string {
	return unique(linkPattern.FindAllStringSubmatch(spanPattern.ReplaceAllString(d.prose, ""), -1))
}

// anchors are the link names of the document's headings.
func (d document) anchors() []string {
	var out []string
	for line := range strings.Lines(d.prose) {
		heading := strings.TrimLeft(line, "#")
		if heading == line || !strings.HasPrefix(heading, " ") {
			continue
		}
		out = append(out, anchor(strings.TrimSpace(heading)))
	}
	return out
}

var notInAnchors = regexp.MustCompile(`[^a-z0-9 _-]`)

func anchor(heading string) string {
	return strings.ReplaceAll(notInAnchors.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}

// unique are the first groups of matches, sorted.
func unique(matches [][]string) []string {
	var out []string
	for _, m := range matches {
		out = append(out, m[1])
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// checkLinks checks that links, paths and make targets of all documents exist.
func checkLinks(root string, docs documents) ([]problem, error) {
	repo, err := newRepository(root)
	if err != nil {
		return nil, err
	}
	var out []problem
	for _, d := range docs {
		for _, link := range d.links() {
			if what := repo.badLink(docs, d, link); what != "" {
				out = append(out, problem{d.path, what})
			}
		}
		for _, span := range d.spans() {
			if !repo.goodPath(d, span) {
				out = append(out, problem{d.path, "there is no " + span})
			}
		}
		for _, target := range makeTargets(d) {
			if !slices.Contains(repo.targets, target) {
				out = append(out, problem{d.path, "there is no make " + target})
			}
		}
	}
	return out, nil
}

// repository is what documents may name.
type repository struct {
	root string
	// folders of the root. Those that make builds may be absent, and are not among them.
	folders []string
	targets []string
}

func newRepository(root string) (repository, error) {
	r := repository{root: root}
	entries, err := os.ReadDir(root)
	if err != nil {
		return r, err
	}
	for _, e := range entries {
		if e.IsDir() && !skipped(e.Name(), e.Name()) {
			r.folders = append(r.folders, e.Name())
		}
	}
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	for line := range strings.Lines(string(makefile)) {
		if target, _, is := strings.Cut(line, ":"); is && !strings.ContainsAny(target, " \t=.#") {
			r.targets = append(r.targets, target)
		}
	}
	return r, err
}

func (r repository) exists(name string) bool {
	_, err := os.Stat(filepath.Join(r.root, filepath.FromSlash(name)))
	return err == nil
}

// badLink describes the problem of a link; empty for none.
func (r repository) badLink(docs documents, d document, link string) string {
	for _, scheme := range []string{"http://", "https://", "mailto:"} {
		if strings.HasPrefix(link, scheme) {
			return ""
		}
	}
	name, fragment, _ := strings.Cut(link, "#")
	target := d.path
	if name != "" {
		target = path.Join(path.Dir(d.path), name)
	}
	if !r.exists(target) {
		return "the link to " + link + " leads nowhere"
	}
	if fragment != "" && !slices.Contains(docs[target].anchors(), fragment) {
		return target + " has no heading for #" + fragment
	}
	return ""
}

var rootFile = regexp.MustCompile(`^([A-Z]+\.md|LICENSE|Makefile|go\.mod)$`)

// goodPath: a word that looks like a path of this repository is one. Such a word begins with a
// folder of its root, or is a file there. One with a placeholder, such as engines/<flavor>, is
// checked up to there. An import path with a name, such as a/b.TestX, is that of a folder.
func (r repository) goodPath(d document, word string) bool {
	first, _, deep := strings.Cut(word, "/")
	if strings.Contains(word, " ") || !rootFile.MatchString(word) && (!deep || !slices.Contains(r.folders, first)) {
		return true
	}
	if at := strings.IndexAny(word, "<*"); at >= 0 {
		word = word[:at]
	}
	if folder, _, is := strings.Cut(path.Base(word), ".Test"); is {
		word = path.Join(path.Dir(word), folder)
	}
	word = strings.TrimSuffix(word, "/")
	return r.exists(word) || r.exists(path.Join(path.Dir(d.path), word))
}

// makeTargets are the targets of commands `make TARGET...`, in spans and in code blocks.
func makeTargets(d document) []string {
	text := strings.Join(d.spans(), "\n") + "\n" + d.text
	var out []string
	for _, m := range targetPattern.FindAllStringSubmatch(text, -1) {
		out = append(out, strings.Fields(m[1])...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
