package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// page of the site.
type page struct {
	// ids that a link can lead to, links of anchors, and what the page loads by itself.
	ids          map[string]bool
	links, loads []string
	blocks       int
}

// loads are the attributes by which an element loads something without the reader.
var loads = map[string]string{"script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src", "audio": "src", "embed": "src", "object": "data"}

// check reads every page of the site: each link and each heading that it names is there, nothing is loaded from elsewhere, and
// every block of code of a document is on its page.
func check(root, work, version string) error {
	site := filepath.Join(work, version)
	pages := map[string]*page{}
	err := filepath.WalkDir(site, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".html") {
			return err
		}
		relative, err := filepath.Rel(site, name)
		if err != nil {
			return err
		}
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }()
		tree, err := html.Parse(file)
		if err != nil {
			return fmt.Errorf("%s: %w", relative, err)
		}
		p := &page{ids: map[string]bool{}}
		p.read(tree)
		pages[filepath.ToSlash(relative)] = p
		return nil
	})
	if err != nil {
		return err
	}
	var problems []string
	for name, p := range pages {
		problems = append(problems, p.problems(site, name, pages)...)
	}
	lost, err := lostBlocks(filepath.Join(root, "docs"), pages)
	if err != nil {
		return err
	}
	problems = append(problems, lost...)
	if slices.Sort(problems); len(problems) > 0 {
		return errors.New(strings.Join(problems, "\n"))
	}
	if len(pages) < 2 {
		return fmt.Errorf("%s has %d pages", site, len(pages))
	}
	fmt.Printf("%s: %d pages, all links lead somewhere\n", site, len(pages))
	return nil
}

// read what an element and those below it link and load.
func (p *page) read(n *html.Node) {
	attributes := map[string]string{}
	for _, a := range n.Attr {
		attributes[a.Key] = a.Val
	}
	if id := attributes["id"]; id != "" {
		p.ids[id] = true
	}
	switch {
	case n.Type != html.ElementNode:
	case attributes["data-md-component"] == "source":
		p.loads = append(p.loads, "https://api.github.com") // the theme's script asks it
	case n.Data == "a" && attributes["href"] != "":
		p.links = append(p.links, attributes["href"])
	case n.Data == "link" && (attributes["rel"] == "stylesheet" || attributes["rel"] == "preload" || strings.Contains(attributes["rel"], "icon")):
		p.loads = append(p.loads, attributes["href"])
	case loads[n.Data] != "" && attributes[loads[n.Data]] != "":
		p.loads = append(p.loads, attributes[loads[n.Data]])
	case n.Data == "pre":
		p.blocks++
	}
	for child := range n.ChildNodes() {
		p.read(child)
	}
}

// problems of the links of a page.
func (p *page) problems(site, name string, pages map[string]*page) (out []string) {
	say := func(format string, args ...any) { out = append(out, name+": "+fmt.Sprintf(format, args...)) }
	for _, load := range p.loads {
		if u, err := url.Parse(load); err != nil || u.Host != "" {
			say("loads %s from elsewhere", load)
		}
	}
	for _, link := range append(slices.Clone(p.links), p.loads...) {
		u, err := url.Parse(link)
		if err != nil {
			say("%s is no link: %v", link, err)
			continue
		}
		if u.Host != "" || u.Scheme != "" || name == "404.html" {
			continue
		}
		target := name
		if u.Path != "" {
			target = path.Join(path.Dir(name), u.Path)
			if strings.HasSuffix(u.Path, "/") || u.Path == "." || path.Ext(target) == "" {
				target = path.Join(target, "index.html")
			}
		}
		if strings.HasPrefix(target, "..") {
			continue // the start page of all versions
		}
		to, known := pages[target]
		if _, err := os.Stat(filepath.Join(site, target)); !known && err != nil {
			say("%s leads to nothing", link)
		} else if known && u.Fragment != "" && !to.ids[u.Fragment] && u.Fragment != "__skip" {
			say("%s leads to no heading", link)
		}
	}
	return out
}

// lostBlocks are the documents whose page has another number of blocks of code.
func lostBlocks(docs string, pages map[string]*page) (out []string, err error) {
	err = filepath.WalkDir(docs, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".md") {
			return err
		}
		relative, err := filepath.Rel(docs, name)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		want, folder := strings.Count("\n"+string(data), "\n```")+strings.Count(string(data), "\n   ```")+strings.Count(string(data), "\n  ```"), strings.TrimSuffix(filepath.ToSlash(relative), ".md")
		if path.Base(folder) == "README" {
			folder = path.Dir(folder)
		}
		p, is := pages[path.Join(folder, "index.html")]
		switch {
		case !is:
			out = append(out, relative+": the site has no page for it")
		case p.blocks*2 != want:
			out = append(out, fmt.Sprintf("%s: %d blocks of code, and its page has %d", relative, want/2, p.blocks))
		}
		return nil
	})
	return out, err
}
