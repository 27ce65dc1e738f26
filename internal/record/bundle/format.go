package bundle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Version names the format of a bundle. A reader refuses any other.
const Version = "assay.dev/bundle/v1"

// Extension of the names of bundles, by which commands tell them from names of runs.
const Extension = ".assay.tar"

// IsPath tells the path of a bundle from the name of a run, which has no slash but behind its kind, and hardly that extension.
func IsPath(name string) bool {
	return contract.RunName(name) == name && (strings.Contains(name, "/") || strings.HasSuffix(name, Extension))
}

// ErrDamaged is the error for a file that is not what its index says, or that no index can be read of. A bundle of another
// version, and a file that cannot be opened, is not damaged.
var ErrDamaged = errors.New("the bundle is damaged")

// damaged is an error of a file that is not what its index says.
type damaged struct{ error }

// Is ErrDamaged, too.
func (damaged) Is(target error) bool { return target == ErrDamaged }

// Unwrap is the error.
func (d damaged) Unwrap() error { return d.error }

// versionError is that of a bundle of another version.
type versionError string

// Error says what to do.
func (v versionError) Error() string {
	return fmt.Sprintf("version: got %q, want %q: use the release of Assay that made the bundle, or a newer one", contract.Cut(string(v), contract.MaxName), Version)
}

// Names of entries.
const (
	indexName = "index.json"
	runName   = "run.json"
	mapsName  = "configmaps"
)

// Bounds of a bundle.
const (
	// maxFiles are those of 20,000 trials with seven clients each.
	maxFiles = 300_000
	// maxIndex is the size of the index in bytes, with 200 bytes for each file.
	maxIndex = 60 << 20
	// maxFile is the size of any other entry in bytes: an object in etcd has at most 1.5 MiB.
	maxFile = 2 << 20
	// maxMemory is about what the index, or the run, takes when it is read: each object of the JSON
	// takes at most about perObject, and each comma is one more element.
	maxMemory, perObject, perElement = 256 << 20, 450, 24
)

// Index is the first entry of a bundle.
type Index struct {
	// Version is always the constant Version.
	Version string `json:"version"`
	// Run says which one it is.
	Run Identity `json:"run"`
	// Store is the folder of the run in an object store, whose objects are not part of the bundle;
	// empty for a run without one.
	Store string `json:"store,omitempty"`
	// Files in the order of their names, run.json first.
	Files []File `json:"files"`
	// Empty are the names of ConfigMaps of the run that hold nothing, such as that of a client which
	// delivered nothing.
	Empty []string `json:"empty,omitempty"`
	// LeftOut are the paths of what clients delivered and this bundle leaves out on purpose, sorted, such as raw output that is too
	// large to be passed on. Nothing else may be left out.
	LeftOut []string `json:"leftOut,omitempty"`
}

// Identity of a run.
type Identity struct {
	// Namespace, Name and UID of the BenchmarkRun.
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid"`
	// Head is the digest of the last record (status.integrity.head).
	Head string `json:"head,omitempty"`
}

// File is an entry of the bundle.
type File struct {
	// Path is run.json, or configmaps/NAME/binaryData/KEY or configmaps/NAME/data/KEY with the verbatim
	// bytes of that key.
	Path string `json:"path"`
	// Bytes is its size.
	Bytes int64 `json:"bytes"`
	// SHA256 of its bytes, in hexadecimal.
	SHA256 string `json:"sha256"`
}

// Kinds of the data of a ConfigMap, as its fields are called.
const (
	binaryData = "binaryData"
	textData   = "data"
)

// place of a file in a ConfigMap.
type place struct{ configMap, kind, key string }

func (p place) path() string {
	return strings.Join([]string{mapsName, p.configMap, p.kind, p.key}, "/")
}

// placeOf a path; an error unless it is one that a ConfigMap has.
func placeOf(path string) (place, error) {
	parts := strings.Split(path, "/")
	if len(parts) != 4 || parts[0] != mapsName || parts[2] != binaryData && parts[2] != textData ||
		!isName(parts[1]) || len(validation.IsConfigMapKey(parts[3])) > 0 {
		return place{}, fmt.Errorf("its index has the path %q, which no bundle has", contract.Cut(path, contract.MaxName))
	}
	return place{parts[1], parts[2], parts[3]}, nil
}

func isName(name string) bool { return len(validation.IsDNS1123Subdomain(name)) == 0 }

var isDigest = regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString

// validate what an index says, before any of it is believed.
func (x Index) validate() error {
	switch {
	case x.Version != Version:
		return versionError(x.Version)
	case len(x.Files) > maxFiles || len(x.Empty) > maxFiles || len(x.LeftOut) > maxFiles:
		return fmt.Errorf("its index has more than %d files", maxFiles)
	case len(x.Files) == 0 || x.Files[0].Path != runName:
		return fmt.Errorf("its first file is not %s", runName)
	case !isName(x.Run.Name) || !isName(x.Run.Namespace) || x.Run.UID == "" || len(x.Run.UID) > contract.MaxName:
		return errors.New("its index does not say which run it is")
	}
	for i, f := range x.Files {
		if f.Bytes < 0 || f.Bytes > maxFile || !isDigest(f.SHA256) {
			return fmt.Errorf("its index has no size of at most %d bytes and no SHA-256 for file %d", maxFile, i)
		}
		if i == 0 {
			continue
		}
		if _, err := placeOf(f.Path); err != nil {
			return err
		}
		if i > 1 && f.Path <= x.Files[i-1].Path {
			return fmt.Errorf("file %d of its index is out of order", i)
		}
	}
	if i := slices.IndexFunc(x.Empty, func(name string) bool { return !isName(name) }); i >= 0 {
		return fmt.Errorf("name %d of its empty ConfigMaps is none", i)
	}
	for i, path := range x.LeftOut {
		_, err := placeOf(path)
		_, has := slices.BinarySearchFunc(x.Files[1:], path, func(f File, path string) int { return strings.Compare(f.Path, path) })
		if err != nil || has || i > 0 && path <= x.LeftOut[i-1] {
			return fmt.Errorf("path %d of what it leaves out is none, is out of order, or is there", i)
		}
	}
	return nil
}

// decode JSON whose objects fit in memory.
func decode(text []byte, into any) error {
	if bytes.Count(text, []byte("{"))*perObject+bytes.Count(text, []byte(","))*perElement+len(text) > maxMemory {
		return fmt.Errorf("its %d bytes of JSON would take more than %d MiB of memory", len(text), maxMemory>>20)
	}
	return json.Unmarshal(text, into)
}
