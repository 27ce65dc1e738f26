package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/test/helpers/tree"
)

const fence = "```"

func TestConverted(t *testing.T) {
	root := tree.Of(t, map[string]string{"docs/guide/b.md": "", "docs/run.svg": "", "docs/contracts/x.json": "", "config/samples/demo.yaml": "", "docs/a_test.go": ""})
	for name, tt := range map[string]struct{ text, want string }{
		"a link to a page":                  {"[b](b.md#x)", "[b](b.md#x)"},
		"a link to a picture":               {"![p](../run.svg)", "![p](../run.svg)"},
		"a link to a file of the project":   {"[d](../../config/samples/demo.yaml)", "[d](" + repository + "blob/main/config/samples/demo.yaml)"},
		"a link to a folder":                {"[d](../contracts)", "[d](" + repository + "tree/main/docs/contracts)"},
		"a link to code beside the pages":   {"[d](../a_test.go)", "[d](" + repository + "blob/main/docs/a_test.go)"},
		"a link within the page":            {"[d](#x)", "[d](#x)"},
		"a link to elsewhere":               {"[d](https://example.com/a)", "[d](https://example.com/a)"},
		"a link to nothing stays":           {"[d](gone.md)", "[d](gone.md)"},
		"a link in a block stays":           {fence + "\n[d](../../config/samples/demo.yaml)\n" + fence + "\n", fence + "\n[d](../../config/samples/demo.yaml)\n" + fence + "\n"},
		"a comment goes":                    {"a\n<!-- commands: test/e2e TestA -->\nb\n", "a\nb\n"},
		"a block in a numbered item":        {"1. a\n\n   " + fence + "yaml\n   x:\n     y\n   " + fence + "\n", "1. a\n\n    " + fence + "yaml\n    x:\n      y\n    " + fence + "\n"},
		"a list in a list":                  {"- a:\n  - b\n    more\n- c\n", "- a:\n    - b\n      more\n- c\n"},
		"indented code outside of a list":   {"a\n\n   b\n", "a\n\n   b\n"},
		"a list of YAML in a block":         {fence + "yaml\n- a:\n  - b\n" + fence + "\n", fence + "yaml\n- a:\n  - b\n" + fence + "\n"},
		"a paragraph ends the list's width": {"- a\n\nb\n  c\n", "- a\n\nb\n  c\n"},
	} {
		if diff := cmp.Diff(tt.want, converted(root, "docs/guide/a.md", tt.text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestNavigation(t *testing.T) {
	root := tree.Of(t, map[string]string{"docs/guide/README.md": "[b](b.md) then [a](a.md) and [b](b.md)\n"})
	got, err := navigation(root, []string{"README.md", "guide/README.md", "guide/a.md", "guide/b.md", "guide/c.md", "reference/api.md", "reference/checks/x.md", "runbooks/z.md"})
	if err != nil {
		t.Fatal(err)
	}
	if want := `"guide/README.md", "guide/b.md", "guide/a.md", "guide/c.md",`; !strings.Contains(strings.Join(strings.Fields(got), " "), want) || strings.Contains(got, "checks/x.md") || !strings.Contains(got, "runbooks/z.md") {
		t.Errorf("got %s", got)
	}
	if _, err := navigation(root, []string{"new/x.md"}); err == nil {
		t.Error("a page of a folder without a section")
	}
}

func TestCheck(t *testing.T) {
	const head = "<html><head></head><body>"
	for name, tt := range map[string]struct{ page, doc, err string }{
		"a sound page":                    {head + `<a href="../b/#x">b</a><a href=".">me</a><img src="../p.svg"><pre></pre>`, fence + "sh\nls\n" + fence + "\n", ""},
		"a page that is not there":        {head + `<a href="../c/">c</a>`, "", "../c/ leads to nothing"},
		"a heading that is not there":     {head + `<a href="../b/#y">b</a>`, "", "../b/#y leads to no heading"},
		"a picture that is not there":     {head + `<img src="../q.svg">`, "", "../q.svg leads to nothing"},
		"a script from elsewhere":         {head + `<script src="https://cdn.example/x.js"></script>`, "", "loads https://cdn.example/x.js from elsewhere"},
		"a font from elsewhere":           {`<html><head><link rel="stylesheet" href="//fonts.example/x.css"></head>`, "", "from elsewhere"},
		"stars that the theme asks for":   {head + `<div data-md-component="source"></div>`, "", "from elsewhere"},
		"a block that became text":        {head + "sh ls", fence + "sh\nls\n" + fence + "\n", "1 blocks of code, and its page has 0"},
		"a block of an item, that is one": {head + "<pre></pre>", "1. a\n\n   " + fence + "sh\n   ls\n   " + fence + "\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			root := tree.Of(t, map[string]string{"docs/a.md": tt.doc})
			work := tree.Of(t, map[string]string{"dev/a/index.html": tt.page, "dev/b/index.html": `<h1 id="x">b</h1>`, "dev/p.svg": ""})
			err := check(root, work, "dev")
			if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("error %v, want one with %q", err, tt.err)
			}
		})
	}
	if err := check(tree.Of(t, map[string]string{"docs/a.md": ""}), tree.Of(t, map[string]string{"dev/b/index.html": ""}), "dev"); err == nil {
		t.Error("a site without a page of the document is sound")
	}
}

func TestVersions(t *testing.T) {
	work := tree.Of(t, map[string]string{
		"v0.9.0/index.html": "", "v0.10.0/index.html": "", "v0.10.0/guide/a/index.html": "", "v0.10.0/404.html": "", "dev/index.html": "", "dev/guide/new/index.html": "",
		"docs/README.md": "", "latest/index.html": "", "latest/gone/index.html": "",
	})
	if err := run([]string{"versions", work}); err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(work, name))
		if err != nil {
			t.Error(err)
		}
		return string(data)
	}
	var got []listed
	if err := json.Unmarshal([]byte(read("versions.json")), &got); err != nil {
		t.Fatal(err)
	}
	want := []listed{{"dev", "dev", []string{}}, {"v0.10.0", "v0.10.0", []string{"latest"}}, {"v0.9.0", "v0.9.0", []string{}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("versions (-want +got):\n%s", diff)
	}
	for name, to := range map[string]string{"index.html": "latest/", "latest/index.html": "../v0.10.0/", "latest/guide/a/index.html": "../../../v0.10.0/guide/a/"} {
		if page := read(name); !strings.Contains(page, `url=`+to+`"`) || !strings.Contains(page, `location.replace("`+to+`" + `) || !strings.Contains(page, `<a href="`+to+`">`) {
			t.Errorf("%s does not lead to %s:\n%s", name, to, page)
		}
	}
	for _, name := range []string{"latest/gone/index.html", "latest/guide/new/index.html"} {
		if _, err := os.Stat(filepath.Join(work, name)); err == nil {
			t.Errorf("%s: the newest release has no such page", name)
		}
	}
}

// Before the first release, the version that there is comes first; without one there is no site.
func TestVersionsWithoutARelease(t *testing.T) {
	work := tree.Of(t, map[string]string{"dev/index.html": ""})
	if err := writeVersions(work); err != nil {
		t.Fatal(err)
	}
	if page, err := os.ReadFile(filepath.Join(work, "latest/index.html")); err != nil || !strings.Contains(string(page), `url=../dev/"`) {
		t.Errorf("latest is %s, %v", page, err)
	}
	if err := writeVersions(t.TempDir()); err == nil {
		t.Error("a folder without a version")
	}
}

func TestVersionNames(t *testing.T) {
	for _, name := range []string{"../x", "latest", "docs", "archives", ""} {
		if err := run([]string{"check", t.TempDir(), name}); err == nil || !strings.Contains(err.Error(), "usage") {
			t.Errorf("version %q: %v", name, err)
		}
	}
}
