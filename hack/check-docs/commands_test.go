package main

import "testing"

func TestCommandsAreExecuted(t *testing.T) {
	s := sourceOf(t, map[string]string{"go.mod": "module m\n", "test/e2e/a_test.go": "package e2e\nfunc TestA() { read(\"../../docs/a.md\") }\n"})
	const block = "```sh\nls\n```\n"
	for name, tt := range map[string]struct{ path, text, err string }{
		"by a test that reads the page":    {"docs/a.md", "<!-- commands: test/e2e TestA -->\n" + block, ""},
		"not, and the page says why":       {"docs/b.md", "<!-- commands: not executed: they need a cloud -->\n" + block, ""},
		"a page without commands":          {"docs/b.md", "```yaml\na: b\n```\n", ""},
		"a page of nobody's guide":         {"charts/README.md", block, ""},
		"nothing said":                     {"docs/a.md", block, "docs/a.md:1: no test executes"},
		"nothing said in the README":       {"README.md", block, "README.md:1: no test executes"},
		"said below":                       {"docs/a.md", block + "<!-- commands: test/e2e TestA -->\n", "docs/a.md:1: no test executes"},
		"by a test that is gone":           {"docs/a.md", "<!-- commands: test/e2e TestB -->\n" + block, "no test TestB"},
		"by a test that reads another one": {"docs/b.md", "<!-- commands: test/e2e TestA -->\n" + block, "no test of test/e2e reads"},
		"by a package that is gone":        {"docs/a.md", "<!-- commands: test/gone TestA -->\n" + block, "test/gone has no test"},
		"said in other words":              {"docs/a.md", "<!-- commands: by hand -->\n" + block, "neither a folder"},
	} {
		t.Run(name, func(t *testing.T) {
			expect(t, checkCommands(s, documents{tt.path: newDocument(tt.path, tt.text)}), tt.err)
		})
	}
}
