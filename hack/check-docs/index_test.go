package main

import "testing"

func TestIndex(t *testing.T) {
	for name, tt := range map[string]struct {
		pages map[string]string
		err   string
	}{
		"a page of the index":                      {map[string]string{"docs/README.md": "[a](guide/a.md#x)", "docs/guide/a.md": ""}, ""},
		"a page in the list of its folder":         {map[string]string{"docs/README.md": "[g](guide/README.md)", "docs/guide/README.md": "[a](a.md)", "docs/guide/a.md": ""}, ""},
		"a page in a list that the index links":    {map[string]string{"docs/README.md": "[c](ref/checks.md)", "docs/ref/checks.md": "[a](checks/a.md)", "docs/ref/checks/a.md": ""}, ""},
		"a page that is no document of docs":       {map[string]string{"docs/README.md": "", "charts/README.md": ""}, ""},
		"a page that nothing links":                {map[string]string{"docs/README.md": "", "docs/guide/a.md": ""}, "docs/guide/a.md: no question"},
		"a page that another page of it links":     {map[string]string{"docs/README.md": "[b](guide/b.md)", "docs/guide/b.md": "[a](a.md)", "docs/guide/a.md": ""}, "docs/guide/a.md: no question"},
		"a list that the index does not link":      {map[string]string{"docs/README.md": "", "docs/gallery/README.md": ""}, "docs/gallery/README.md: no question"},
		"a page of a list that nobody links":       {map[string]string{"docs/README.md": "[x](ref/x.md)", "docs/ref/x.md": "", "docs/ref/checks/a.md": ""}, "docs/ref/checks/a.md: no question"},
		"a page in the list of a folder deeper":    {map[string]string{"docs/README.md": "[x](a/README.md)", "docs/a/README.md": "[b](b/c.md)", "docs/a/b/c.md": ""}, ""},
		"a page that only code of the index shows": {map[string]string{"docs/README.md": "```\n[a](guide/a.md)\n```\n", "docs/guide/a.md": ""}, "docs/guide/a.md: no question"},
	} {
		t.Run(name, func(t *testing.T) {
			docs := documents{}
			for path, text := range tt.pages {
				docs[path] = newDocument(path, text)
			}
			expect(t, checkIndex(docs), tt.err)
		})
	}
}
