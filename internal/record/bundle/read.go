package bundle

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
)

// block of a tar, in bytes; two empty ones end it.
const block = 512

// Bundle is an open bundle. It is a stored.Source.
type Bundle struct {
	// Index of the bundle.
	Index Index

	name  string
	file  io.ReaderAt
	close func() error
	run   *v1alpha1.BenchmarkRun
	// at is the offset of each file, and maps are the numbers of the files of each ConfigMap.
	at   []int64
	maps map[string][]int
}

// Open a bundle at a path. The caller closes it.
func Open(path string) (*Bundle, error) {
	file, err := os.Open(path) //nolint:gosec // the user names it
	if err != nil {
		return nil, fmt.Errorf("opening the bundle: %w", err)
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no file")
	}
	var b *Bundle
	if err == nil {
		b, err = Read(path, file, info.Size())
		var other versionError
		if err != nil && !errors.As(err, &other) {
			err = damaged{err}
		}
	}
	if err != nil {
		_ = file.Close() // it was only read
		return nil, fmt.Errorf("bundle %s: %w", path, err)
	}
	b.close = file.Close
	return b, nil
}

// Read a bundle of a size from a file, which it keeps; the name is for messages. It fails for a file
// that is not exactly the index and what the index names, in the same order. Contents are compared
// with their digests when they are read.
func Read(name string, file io.ReaderAt, size int64) (*Bundle, error) {
	b := &Bundle{name: name, file: file, maps: map[string][]int{}}
	section := io.NewSectionReader(file, 0, size)
	archive := tar.NewReader(section)
	if err := b.readIndex(archive); err != nil {
		return nil, err
	}
	for i, f := range b.Index.Files {
		if err := next(archive, f.Path, f.Bytes); err != nil {
			return nil, err
		}
		at, err := section.Seek(0, io.SeekCurrent)
		if err != nil {
			return nil, err
		}
		b.at = append(b.at, at)
		if i > 0 {
			p, err := placeOf(f.Path)
			if err != nil {
				return nil, err
			}
			b.maps[p.configMap] = append(b.maps[p.configMap], i)
		}
	}
	switch _, err := archive.Next(); {
	case err == nil:
		return nil, errors.New("it has more files than its index")
	case !errors.Is(err, io.EOF):
		return nil, fmt.Errorf("it is no tar: %w", err)
	}
	last := len(b.at) - 1
	if end := b.at[last] + (b.Index.Files[last].Bytes+block-1)/block*block + 2*block; end != size {
		return nil, fmt.Errorf("it has %d bytes, and ends after %d", size, end)
	}
	for _, name := range b.Index.Empty {
		if len(b.maps[name]) > 0 {
			return nil, fmt.Errorf("ConfigMap %s is empty by its index, and has files", name)
		}
		b.maps[name] = nil
	}
	return b, b.readRun()
}

// next entry of the tar, which has to be this one.
func next(archive *tar.Reader, path string, size int64) error {
	h, err := archive.Next()
	switch {
	case errors.Is(err, io.EOF):
		return fmt.Errorf("%s is not there", path)
	case err != nil:
		return fmt.Errorf("it is no tar: %w", err)
	}
	for key := range h.PAXRecords {
		if key != "path" { // a sparse file would be longer than it is
			return fmt.Errorf("%s has the extension %q, which no bundle has", path, contract.Cut(key, contract.MaxName))
		}
	}
	if h.Typeflag != tar.TypeReg || h.Name != path || h.Size != size {
		return fmt.Errorf("it has %q of %d bytes where its index has %s of %d", contract.Cut(h.Name, contract.MaxName), h.Size, path, size)
	}
	return nil
}

func (b *Bundle) readIndex(archive *tar.Reader) error {
	h, err := archive.Next()
	switch {
	case err != nil:
		return fmt.Errorf("it is no tar: %w", err)
	case h.Name != indexName || h.Typeflag != tar.TypeReg || len(h.PAXRecords) > 0:
		return fmt.Errorf("its first entry is not %s: it is no bundle of Assay", indexName)
	case h.Size > maxIndex:
		return fmt.Errorf("its index has more than %d bytes", maxIndex)
	}
	text, err := io.ReadAll(archive) // grows as it is read: the size in the header is only a claim
	if err == nil {
		err = decode(text, &b.Index)
	}
	if err != nil {
		return fmt.Errorf("reading its index: %w", err)
	}
	return b.Index.validate()
}

func (b *Bundle) readRun() error {
	text, err := b.content(0)
	if err != nil {
		return err
	}
	b.run = &v1alpha1.BenchmarkRun{}
	if err := decode(text, b.run); err != nil {
		return fmt.Errorf("reading %s: %w", runName, err)
	}
	head := ""
	if i := b.run.Status.Integrity; i != nil {
		head = i.Head
	}
	if b.Index.Run != (Identity{b.run.Namespace, b.run.Name, string(b.run.UID), head}) {
		return fmt.Errorf("%s is another run than that of its index", runName)
	}
	for _, n := range countsOf(b.run.Status) { // readers go along them. Fewer may be there, which is for Verify to say
		if n < 0 || n > maxFiles {
			return fmt.Errorf("%s counts %d ConfigMaps of one kind, and a bundle has at most %d files", runName, n, maxFiles)
		}
	}
	return nil
}

// countsOf the ConfigMaps in a status: those of the plan, the summary and the records.
func countsOf(st v1alpha1.BenchmarkRunStatus) (counts [3]int32) {
	if st.Plan != nil {
		counts[0] = st.Plan.ConfigMapCount
	}
	if st.Results != nil {
		counts[1], counts[2] = st.Results.SummaryConfigMapCount, st.Results.RecordConfigMapCount
	}
	return counts
}

// content of a file, which has to have its digest.
func (b *Bundle) content(i int) ([]byte, error) {
	f := b.Index.Files[i]
	data := make([]byte, f.Bytes) // at most maxFile
	if _, err := io.ReadFull(io.NewSectionReader(b.file, b.at[i], f.Bytes), data); err != nil {
		return nil, fmt.Errorf("reading %s: %w", f.Path, err)
	}
	if have := contract.Digest(data); have != f.SHA256 {
		return nil, damaged{fmt.Errorf("%s has the SHA-256 %.12s, and %.12s by the index", f.Path, have, f.SHA256)}
	}
	return data, nil
}

// Check every file against its digest, and say which ones differ. It fails when the bundle cannot be read.
func (b *Bundle) Check() (differ []error, err error) {
	for i := range b.Index.Files {
		switch _, err := b.content(i); {
		case errors.Is(err, ErrDamaged):
			differ = append(differ, err)
		case err != nil:
			return nil, fmt.Errorf("%s: %w", b, err)
		}
	}
	return differ, nil
}

// String names the run for people.
func (b *Bundle) String() string {
	return fmt.Sprintf("bundle %s of BenchmarkRun %s/%s", b.name, b.Index.Run.Namespace, b.Index.Run.Name)
}

// Run is the object.
func (b *Bundle) Run(context.Context) (*v1alpha1.BenchmarkRun, error) { return b.run.DeepCopy(), nil }

// ConfigMap of the run, which controls it; nil for one that the bundle does not have. It fails for one
// whose contents do not have their digests.
func (b *Bundle) ConfigMap(_ context.Context, name string) (*corev1.ConfigMap, error) {
	files, has := b.maps[name]
	if !has {
		return nil, nil //nolint:nilnil // stored.Source: nil for one that is not there
	}
	cm := &corev1.ConfigMap{ObjectMeta: resources.Meta(b.run, name, nil), Data: map[string]string{}, BinaryData: map[string][]byte{}}
	for _, i := range files {
		data, err := b.content(i)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", b, err)
		}
		p, err := placeOf(b.Index.Files[i].Path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", b, err)
		}
		if p.kind == textData {
			cm.Data[p.key] = string(data)
		} else {
			cm.BinaryData[p.key] = data
		}
	}
	return cm, nil
}

// LeavesOut says whether the bundle leaves out a key of what a client delivered.
func (b *Bundle) LeavesOut(configMap, key string) bool {
	_, is := slices.BinarySearch(b.Index.LeftOut, place{configMap, binaryData, key}.path())
	return is
}

// Close the file.
func (b *Bundle) Close() error {
	if b.close == nil {
		return nil
	}
	return b.close()
}
