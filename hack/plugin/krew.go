package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"sigs.k8s.io/yaml"
)

// noDate stands in for the date of a page.
var noDate = time.Unix(0, 0).UTC()

// platforms that there are programs for.
var platforms = []platform{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
}

// platform in Go's words, which are krew's, too.
type platform struct{ OS, Arch string }

// program in its archive.
func (p platform) program() string {
	if p.OS == "windows" {
		return "kubectl-assay.exe"
	}
	return "kubectl-assay"
}

func (p platform) archive(version string) string {
	return fmt.Sprintf("kubectl-assay_%s_%s_%s.tar.gz", version, p.OS, p.Arch)
}

// releases is where GitHub has the files of a release.
const releases = "https://github.com/assay-bench/assay/releases/download/"

const description = `Run benchmarks of databases of the MySQL family in a cluster, follow them to
their verdict, and look at their numbers: run, watch, get, why, logs, plan,
new, compare, verify, export. It works with your own rights, and needs the
operator Assay in the cluster. plan, new and explain need no cluster.`

// object of YAML, with the fields in the order of their names.
type object map[string]any

// versions are those of releases.
var versions = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$`)

// krewManifest of a version, with the digests of the archives in a folder.
func krewManifest(version, folder string) ([]byte, error) {
	if !versions.MatchString(version) {
		return nil, fmt.Errorf("%q is no version such as 0.2.0", version)
	}
	var list []object
	for _, p := range platforms {
		digest, err := digestOf(filepath.Join(folder, p.archive(version)))
		if err != nil {
			return nil, err
		}
		list = append(list, object{
			"selector": object{"matchLabels": object{"os": p.OS, "arch": p.Arch}},
			"uri":      releases + "v" + version + "/" + p.archive(version),
			"sha256":   digest,
			"files":    []object{{"from": p.program(), "to": "."}, {"from": "LICENSE", "to": "."}, {"from": "kubectl-assay.notices.txt", "to": "."}},
			"bin":      p.program(),
		})
	}
	return yaml.Marshal(object{
		"apiVersion": "krew.googlecontainertools.github.com/v1alpha2",
		"kind":       "Plugin",
		"metadata":   object{"name": "assay"},
		"spec": object{
			"version":          "v" + version,
			"homepage":         "https://github.com/assay-bench/assay",
			"shortDescription": "Run benchmarks of databases, and look at them",
			"description":      description,
			"platforms":        list,
		},
	})
}

func digestOf(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("the archive of a platform: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
