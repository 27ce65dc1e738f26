package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// binaries is where make build puts programs for images.
const binaries = "out/bin/linux"

// baseRecipe makes base images; a change of it changes all images on them.
const baseRecipe = "hack/images/base.sh"

// mavenTable pins files from Maven Central.
const mavenTable = "hack/images/maven.txt"

// setTags sets the tag of each image. root is the folder of the repository. The tag says what
// an image was asked to be made of, so every machine derives the same one: the folder with its
// Dockerfile (versions are pinned there), what its build takes, and the recipe of its base.
func setTags(root string, images []image) error {
	for n := range images {
		if images[n].needsArchive() {
			continue // its tag is that of the archive that was given last
		}
		sum, err := content(root, images[n])
		if err != nil {
			return fmt.Errorf("image %s: %w", images[n].key(), err)
		}
		images[n].Tag = images[n].stem() + sum
	}
	return nil
}

// monitoringScript builds Prometheus and its operator.
const monitoringScript = "hack/monitoring/build.sh"

// programScript builds the server of a Go module that is in the folder of its image.
const programScript = "hack/images/program.sh"

// content is a hash over all that an image is made of.
func content(root string, i image) (string, error) {
	paths, words := []string{i.Folder}, []string{i.Pinned}
	if strings.HasPrefix(i.Folder, "cmd/") {
		paths[0] = i.Folder + "/Dockerfile"
	}
	if i.Base != "" {
		paths = append(paths, baseRecipe)
	}
	for _, input := range i.Inputs {
		switch {
		case input == "fetched": // the script and what it pins are in the folder
		case input == "jars":
			lines, err := pinned(filepath.Join(root, mavenTable), i.file())
			if err != nil {
				return "", err
			}
			words = append(words, lines)
		case input == "program": // the module is in the folder
			paths = append(paths, programScript)
		case input == "versitygw":
			paths = append(paths, "hack/tools/versitygw", "hack/tool.sh")
		case input == "prometheus":
			paths = append(paths, "hack/monitoring/prometheus", monitoringScript)
		case input == "prometheus-operator":
			paths = append(paths, "hack/monitoring/operator", monitoringScript)
		case strings.HasPrefix(input, "hack/tools/"):
			paths = append(paths, input, "hack/tool.sh")
		case strings.HasPrefix(input, "test/cmd/"):
			paths = append(paths, input, "go.mod")
		case strings.Contains(input, "/"):
			paths = append(paths, input)
		default:
			binary := binaries + "/" + input
			if _, err := os.Stat(filepath.Join(root, binary)); err != nil {
				return "", fmt.Errorf("needs %s: run make build first", binary)
			}
			paths = append(paths, binary)
		}
	}
	if i.Given != "" {
		words = append(words, i.Sum, i.Sources)
	}
	return digest(root, paths, words)
}

// pinned are the columns behind the name of an image in the table of files from Maven Central.
func pinned(table, name string) (string, error) {
	file, err := os.Open(table)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }() // it was only read
	var out []string
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if f := strings.Fields(lines.Text()); len(f) >= 3 && f[0] == name {
			out = append(out, f[1]+" "+f[2])
		}
	}
	if err := lines.Err(); err != nil {
		return "", err
	}
	if len(out) == 0 {
		return "", fmt.Errorf("%s has no line for %s", mavenTable, name)
	}
	return strings.Join(out, "\n"), nil
}

// digest is the first 12 hex digits of a hash over the names and bytes of all files in paths,
// and over words. It is that of digest in hack/lib.sh, so the text in between is sha256sum's.
func digest(root string, paths, words []string) (string, error) {
	all := sha256.New()
	for _, path := range paths {
		files, err := filesOf(root, path)
		if err != nil {
			return "", err
		}
		for _, file := range files {
			sum, err := sumOf(filepath.Join(root, file))
			if err != nil {
				return "", err
			}
			_, _ = fmt.Fprintf(all, "%s\n%s  -\n", file, sum)
		}
	}
	_, _ = fmt.Fprintln(all, "--") // a hash takes everything
	for _, word := range words {
		_, _ = fmt.Fprintln(all, word)
	}
	return hex.EncodeToString(all.Sum(nil))[:12], nil
}

// testedApart are the folders whose tests are in folders of their own: harnesses of drivers, and the binding of YCSB.
var testedApart = regexp.MustCompile(`^(harness/[a-z]+|runners/[a-z]+/java)$`)

// testsOf a folder are the folders in it that have nothing but tests: they are no part of an image,
// and a change of them makes no new one. `make harness-test` runs them.
func testsOf(folder string) []string {
	if !testedApart.MatchString(filepath.ToSlash(folder)) {
		return nil
	}
	return []string{"test", "testing", "tests"}
}

// filesOf lists the regular files of a path that go into images, by byte order of their names. Tests
// of Go are left out, as digest of hack/lib.sh does.
func filesOf(root, path string) ([]string, error) {
	var out []string
	err := filepath.WalkDir(filepath.Join(root, path), func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, name)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains(testsOf(filepath.Dir(relative)), entry.Name()):
			return filepath.SkipDir
		case entry.Type().IsRegular() && !strings.HasSuffix(name, "_test.go"):
			out = append(out, relative)
		}
		return nil
	})
	slices.Sort(out)
	return out, err
}

func sumOf(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }() // it was only read
	return sumOfAll(file)
}

func sumOfAll(from io.Reader) (string, error) {
	sum := sha256.New()
	if _, err := io.Copy(sum, from); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
