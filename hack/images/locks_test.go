package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// lock is how the packages of a language are pinned.
type lock struct {
	// file with the packages, from the root; empty where Debian's packages are all there is.
	file string
	// loose returns what is not pinned by a hash in the content of the file, or by a version in
	// the Dockerfile without a file.
	loose func(content string) []string
	// enforced are the files that fetch the packages, and what each has to say for the lock to
	// hold.
	enforced map[string][]string
}

// locks by the folder of a harness.
var locks = map[string]lock{
	"go": {
		file: "harness/go/go.sum", loose: looseGo,
		enforced: map[string][]string{"harness/go/fetch.sh": {"-mod=readonly"}, "runners/tpcc/image/fetch.sh": {"-mod=readonly go mod vendor", "-mod=vendor"}, "hack/images/program.sh": {"-mod=readonly"}, "hack/tool.sh": {"-mod=readonly"}},
	},
	"node": {
		file: "harness/node/package-lock.json", loose: looseNode,
		enforced: map[string][]string{"harness/node/fetch.sh": {"npm ci --omit=dev --ignore-scripts"}},
	},
	"python": {
		file: "harness/python/requirements*.txt", loose: loosePython,
		enforced: map[string][]string{"harness/python/fetch.sh": {"download --require-hashes", "install --require-hashes"}, "harness/python/Dockerfile": {"PIP_NO_INDEX=1", "--require-hashes --target tools", "--require-hashes --no-build-isolation"}},
	},
	"java": {
		file: mavenTable, loose: looseMaven,
		enforced: map[string][]string{"harness/java/fetch.sh": {"hack/maven.sh"}, "hack/maven.sh": {"--strict-checksums", `verify "$image"`}},
	},
	"rust": {
		file: "harness/rust/Cargo.lock", loose: looseCargo,
		enforced: map[string][]string{"harness/rust/fetch.sh": {"cargo test --quiet --release --locked", "cargo build --quiet --release --locked"}},
	},
	"dotnet": {
		file: "harness/dotnet/packages.lock.json", loose: looseDotnet,
		enforced: map[string][]string{
			"harness/dotnet/Dockerfile": {"-p:RestoreLockedMode=true", "[ -f packages.lock.json ] ||", "dotnet publish harness.csproj --no-restore"},
			"hack/dotnet.sh":            {"-p:RestoreLockedMode=true", "[[ -f harness/dotnet/packages.lock.json ]] ||", "dotnet publish harness/dotnet/harness.csproj --no-restore"},
		},
	},
	"c":    {loose: looseDebian("libmariadb-dev")},
	"php":  {loose: looseDebian("php8.4-cli", "php8.4-mysql")},
	"ruby": {loose: looseDebian("ruby3.3", "ruby-mysql2")},
}

// absent are locks that nobody could make yet: their build refuses until they are there.
var absent = map[string]bool{"dotnet": true}

// Every harness has its packages pinned, by hashes or by versions of Debian's packages, and what
// fetches them refuses others.
func TestEveryLanguageHasALock(t *testing.T) {
	root := filepath.Join("..", "..")
	folders, err := os.ReadDir(filepath.Join(root, "harness"))
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		if !folder.IsDir() {
			continue
		}
		t.Run(folder.Name(), func(t *testing.T) {
			l, known := locks[folder.Name()]
			if !known {
				t.Fatal("no lock is known for this language: add it to locks")
			}
			pattern := l.file
			if pattern == "" {
				pattern = "harness/" + folder.Name() + "/Dockerfile"
			}
			files, err := filepath.Glob(filepath.Join(root, pattern))
			if err != nil || (len(files) == 0) != absent[folder.Name()] {
				t.Fatalf("files %v, %v for %s", files, err, pattern)
			}
			for _, file := range files {
				if loose := l.loose(read(t, file)); len(loose) > 0 {
					t.Errorf("%s does not pin %v", file, loose)
				}
			}
			for file, words := range l.enforced {
				text := read(t, filepath.Join(root, file))
				for _, w := range words {
					if !strings.Contains(text, w) {
						t.Errorf("%s has no %q: it would take what the lock does not name", file, w)
					}
				}
			}
		})
	}
}

// What is loose is found: each content has one package that is pinned and one that is not.
func TestLooseIsFound(t *testing.T) {
	tests := map[string]struct {
		loose   func(string) []string
		content string
	}{
		"Go":     {looseGo, "a v1.0.0 h1:" + strings.Repeat("A", 43) + "=\nb v1.0.0\n"},
		"Node":   {looseNode, `{"packages": {"": {}, "a": {"version": "1", "integrity": "sha512-a"}, "b": {"version": "1"}}}`},
		"Python": {loosePython, "# comment\na==1 \\\n    --hash=sha256:" + strings.Repeat("0", 64) + "\nb==1 \\\nc==1\n"},
		"Maven":  {looseMaven, "i a:a:1 " + strings.Repeat("0", 64) + "\n# comment\ni b:b:1\n"},
		"Cargo":  {looseCargo, "[[package]]\nname = \"a\"\nsource = \"x\"\nchecksum = \"" + strings.Repeat("0", 64) + "\"\n\n[[package]]\nname = \"b\"\nsource = \"x\"\n\n[[package]]\nname = \"own\"\n"},
		".NET":   {looseDotnet, `{"dependencies": {"net10.0": {"a": {"type": "Direct", "contentHash": "x"}, "b": {"type": "Transitive"}}}}`},
		"Debian": {looseDebian("a", "b"), "RUN apt-get install -y \"a=1.*\" b c\n"},
	}
	for name, tt := range tests {
		if got := tt.loose(tt.content); len(got) != 1 || !strings.HasPrefix(got[0], "b") {
			t.Errorf("%s: %v, want b alone", name, got)
		}
	}
}

func looseGo(content string) []string {
	return without(strings.Split(strings.TrimSpace(content), "\n"), regexp.MustCompile(` h1:[A-Za-z0-9+/]{43}=$`))
}

func looseNode(content string) []string {
	var file struct {
		Packages map[string]struct{ Integrity string }
	}
	if err := json.Unmarshal([]byte(content), &file); err != nil {
		return []string{err.Error()}
	}
	var out []string
	for name, p := range file.Packages {
		if name != "" && !strings.HasPrefix(p.Integrity, "sha512-") {
			out = append(out, name)
		}
	}
	return out
}

func loosePython(content string) []string {
	joined := strings.ReplaceAll(content, "\\\n", " ")
	return without(entries(joined), regexp.MustCompile(`^[A-Za-z0-9_.-]+==\S+( +--hash=sha256:[0-9a-f]{64})+$`))
}

func looseMaven(content string) []string {
	var out []string
	for _, line := range without(entries(content), regexp.MustCompile(` [0-9a-f]{64}$`)) {
		out = append(out, strings.Join(strings.Fields(line)[1:], " "))
	}
	return out
}

func looseCargo(content string) []string {
	var out []string
	for p := range strings.SplitSeq(content, "[[package]]\n") {
		name := regexp.MustCompile(`name = "(.*)"`).FindStringSubmatch(p)
		if strings.Contains(p, "\nsource = ") && !regexp.MustCompile(`\nchecksum = "[0-9a-f]{64}"`).MatchString(p) {
			out = append(out, name[1])
		}
	}
	return out
}

func looseDotnet(content string) []string {
	var file struct {
		Dependencies map[string]map[string]struct{ Type, ContentHash string }
	}
	if err := json.Unmarshal([]byte(content), &file); err != nil {
		return []string{err.Error()}
	}
	var out []string
	for _, packages := range file.Dependencies {
		for name, p := range packages {
			if p.ContentHash == "" && p.Type != "Project" {
				out = append(out, name)
			}
		}
	}
	return out
}

// looseDebian wants a version for each of the packages that are measured.
func looseDebian(packages ...string) func(string) []string {
	return func(content string) []string {
		var out []string
		for _, p := range packages {
			if !strings.Contains(content, `"`+p+"=") {
				out = append(out, p)
			}
		}
		return out
	}
}

// entries are the lines of a file without comments.
func entries(content string) []string {
	var out []string
	for line := range strings.SplitSeq(content, "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	return out
}

func without(lines []string, pinned *regexp.Regexp) []string {
	var out []string
	for _, line := range lines {
		if !pinned.MatchString(line) {
			out = append(out, line)
		}
	}
	return out
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
