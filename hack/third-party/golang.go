package main

import (
	"debug/buildinfo"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
)

// ours are the modules of this repository.
func ours(module string) bool {
	return strings.HasPrefix(module, "github.com/assay-bench/assay") || strings.HasPrefix(module, "assay/")
}

// ofProgram are the modules in a program.
func ofProgram(file string) ([]part, error) {
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return modulesOf(info, goFolders)
}

// modulesIn a program that may be none in Go.
func modulesIn(program io.ReaderAt, folders func() (string, string, error)) ([]part, error) {
	info, err := buildinfo.Read(program)
	if err != nil {
		return nil, nil //nolint:nilerr // other languages say nothing of that kind
	}
	return modulesOf(info, folders)
}

// goFolders are Go's own one, and that of the modules.
func goFolders() (root, modules string, err error) {
	out, err := exec.Command("go", "env", "GOROOT", "GOMODCACHE").Output()
	if err != nil {
		return "", "", fmt.Errorf("asking go for its folders: %w", err)
	}
	lines := strings.Fields(string(out))
	if len(lines) != 2 {
		return "", "", fmt.Errorf("go names %d folders, want 2: %q", len(lines), out)
	}
	return lines[0], lines[1], nil
}

// modulesOf a program, and Go's library, with their licenses.
func modulesOf(info *debug.BuildInfo, folders func() (string, string, error)) ([]part, error) {
	root, cache, err := folders()
	if err != nil {
		return nil, err
	}
	texts, err := licensesBelow(root, 1)
	if err != nil {
		return nil, err
	}
	out := []part{{kind: "golang", name: "stdlib", version: strings.TrimPrefix(info.GoVersion, "go"), texts: texts}}
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		if ours(module.Path) {
			continue
		}
		texts, err := licensesBelow(filepath.Join(cache, escaped(module.Path)+"@"+escaped(module.Version)), 4)
		if err != nil {
			return nil, fmt.Errorf("the module %s %s is in the program, and its licenses are not in Go's cache (go mod download): %w", module.Path, module.Version, err)
		}
		out = append(out, part{kind: "golang", name: module.Path, version: module.Version, texts: texts})
	}
	return out, nil
}

// escaped as Go does it for file systems that do not tell letters apart.
func escaped(name string) string {
	var out strings.Builder
	for _, r := range name {
		if 'A' <= r && r <= 'Z' {
			out.WriteByte('!')
			r += 'a' - 'A'
		}
		out.WriteRune(r)
	}
	return out.String()
}

// licensesBelow a folder, so many folders deep: modules carry code of others in folders of their own. Data of tests is none.
func licensesBelow(folder string, deep int) (map[string]string, error) {
	out := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		if entry.IsDir() && (strings.Count(relative, string(filepath.Separator)) >= deep-1 && relative != "." || entry.Name() == "testdata") {
			return fs.SkipDir
		}
		if entry.Type().IsRegular() && isLicense(relative) {
			text, err := os.ReadFile(path)
			out[filepath.ToSlash(relative)] = string(text)
			return err
		}
		return nil
	})
	return out, err
}
