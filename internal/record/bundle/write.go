package bundle

import (
	"archive/tar"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/internal/trial/journal"
)

// Write a run as a bundle. It reads one ConfigMap at a time, and keeps their contents in a temporary
// file until the index is known. The same run gives the same bytes. It fails for a run that has not
// ended, and when an object cannot be read; one that is gone is left out, which Verify finds. What a stored.Reduced source leaves out on
// purpose is named in the index; its ConfigMaps do not have it.
func Write(ctx context.Context, from stored.Source, out io.Writer) (Index, error) {
	run, err := from.Run(ctx)
	if err != nil {
		return Index{}, err
	}
	if !run.Finished() {
		return Index{}, fmt.Errorf("%s has not ended: what it stores still grows", from)
	}
	spool, err := os.CreateTemp("", "assay-bundle-*")
	if err != nil {
		return Index{}, fmt.Errorf("making a temporary file: %w", err)
	}
	defer func() {
		_ = spool.Close()           // nothing of it is needed any more
		_ = os.Remove(spool.Name()) // a file that stays is the system's to clean up
	}()
	w := writer{run: run, from: from, spool: spool, seen: map[string]bool{}}
	if err := w.collect(ctx); err != nil {
		return Index{}, fmt.Errorf("%s: %w", from, err)
	}
	if err := w.finish(out); err != nil {
		return Index{}, fmt.Errorf("writing the bundle of %s: %w", from, err)
	}
	return w.index, nil
}

// writer of a bundle.
type writer struct {
	run   *v1alpha1.BenchmarkRun
	from  stored.Source
	spool *os.File
	index Index
	files []spooled
	seen  map[string]bool
	// end of the spool.
	end int64
}

// spooled is a file of the index with its offset in the spool.
type spooled struct {
	File
	at int64
}

// collect the run and its ConfigMaps.
func (w *writer) collect(ctx context.Context) error {
	w.index = Index{Version: Version, Run: Identity{Namespace: w.run.Namespace, Name: w.run.Name, UID: string(w.run.UID)}}
	if i := w.run.Status.Integrity; i != nil {
		w.index.Run.Head = i.Head
	}
	if r := w.run.Status.Results; r != nil {
		w.index.Store = r.Store
	}
	text, err := json.Marshal(portable(w.run))
	if err != nil {
		return fmt.Errorf("encoding the run: %w", err)
	}
	if err := w.add(runName, text); err != nil {
		return err
	}
	names := singles(w.run)
	counts := countsOf(w.run.Status)
	for i, name := range []func(string, int32) string{contract.PlanName, contract.SummaryName, contract.RecordsName} {
		for part := range counts[i] {
			names = append(names, name(w.run.Name, part))
		}
	}
	for _, name := range names {
		if err := w.configMap(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// portable is the object without what only its cluster knows. Its TypeMeta says what it is.
func portable(run *v1alpha1.BenchmarkRun) *v1alpha1.BenchmarkRun {
	out := run.DeepCopy()
	out.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("BenchmarkRun"))
	out.ManagedFields, out.ResourceVersion = nil, ""
	out.Status.Report = nil // the report is made from what the bundle has, and is no part of it
	return out
}

// singles are the ConfigMaps of a run that are no part of its journal.
func singles(run *v1alpha1.BenchmarkRun) (names []string) {
	if r := run.Status.Resolved; r != nil && r.Inputs != nil {
		names = append(names, r.Inputs.ConfigMap)
	}
	for _, t := range run.Spec.Targets {
		if t.Published != nil {
			names = append(names, contract.QuotedName(run.Name, t.Name))
		}
	}
	for _, t := range run.Status.Targets {
		for _, name := range []string{t.LoadResult, t.CleanupResult} {
			if name != "" {
				names = append(names, name)
			}
		}
	}
	return names
}

// configMap with its data; records bring the results that they name.
func (w *writer) configMap(ctx context.Context, name string) error {
	if w.seen[name] {
		return nil
	}
	w.seen[name] = true
	cm, err := w.from.ConfigMap(ctx, name)
	if err != nil {
		return err
	}
	if cm == nil || !metav1.IsControlledBy(cm, w.run) {
		return nil
	}
	if len(cm.BinaryData)+len(cm.Data) == 0 {
		w.index.Empty = append(w.index.Empty, name)
	}
	files := map[string][]byte{} // in the order of their paths they are in that of the kinds and the keys
	for key, data := range cm.BinaryData {
		files[place{name, binaryData, key}.path()] = data
	}
	for key, text := range cm.Data {
		files[place{name, textData, key}.path()] = []byte(text)
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if err := w.add(path, files[path]); err != nil {
			return err
		}
	}
	return w.delivered(ctx, cm)
}

// delivered results of the records that a ConfigMap holds.
func (w *writer) delivered(ctx context.Context, cm *corev1.ConfigMap) error {
	gz, has := cm.BinaryData[contract.KeyRecords]
	if !has {
		return nil
	}
	records, err := journal.DecodeRecords(gz)
	if err != nil {
		return fmt.Errorf("ConfigMap %s: %w", cm.Name, err)
	}
	reduced, _ := w.from.(stored.Reduced)
	for _, rec := range records.Records {
		for _, d := range rec.Delivered {
			for key := range d.Digests {
				if reduced != nil && reduced.LeavesOut(d.ConfigMap, key) {
					w.index.LeftOut = append(w.index.LeftOut, place{d.ConfigMap, binaryData, key}.path())
				}
			}
			if err := w.configMap(ctx, d.ConfigMap); err != nil {
				return err
			}
		}
	}
	return nil
}

// add a file to the spool.
func (w *writer) add(path string, data []byte) error {
	if len(data) > maxFile {
		return fmt.Errorf("%s has %d bytes, and a bundle has at most %d of a file", path, len(data), maxFile)
	}
	if len(w.files) == maxFiles {
		return fmt.Errorf("it has more than %d files", maxFiles)
	}
	if _, err := w.spool.Write(data); err != nil {
		return fmt.Errorf("writing a temporary file: %w", err)
	}
	w.files = append(w.files, spooled{File{Path: path, Bytes: int64(len(data)), SHA256: contract.Digest(data)}, w.end})
	w.end += int64(len(data))
	return nil
}

// finish the bundle: the index, and what it names.
func (w *writer) finish(out io.Writer) error {
	slices.SortFunc(w.files[1:], func(a, b spooled) int { return strings.Compare(a.Path, b.Path) }) // the run stays the first one
	slices.Sort(w.index.Empty)
	slices.Sort(w.index.LeftOut)
	for _, f := range w.files {
		w.index.Files = append(w.index.Files, f.File)
	}
	text, err := json.Marshal(w.index)
	if err != nil {
		return err
	}
	if len(text) > maxIndex {
		return errors.New("its index is too large")
	}
	archive := tar.NewWriter(out)
	if err := archive.WriteHeader(header(indexName, int64(len(text)))); err != nil {
		return err
	}
	if _, err := archive.Write(text); err != nil {
		return err
	}
	for _, f := range w.files {
		if err := archive.WriteHeader(header(f.Path, f.Bytes)); err != nil {
			return err
		}
		if _, err := io.Copy(archive, io.NewSectionReader(w.spool, f.at, f.Bytes)); err != nil {
			return err
		}
	}
	return archive.Close()
}

// header of an entry: nothing in it depends on when and by whom the bundle is made.
func header(path string, size int64) *tar.Header {
	return &tar.Header{Typeflag: tar.TypeReg, Name: path, Size: size, Mode: 0o644}
}
