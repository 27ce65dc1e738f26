package bundle_test

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/bundle"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/test/helpers/finished"
)

func write(t testing.TB, from stored.Source) []byte {
	t.Helper()
	var out bytes.Buffer
	if _, err := bundle.Write(t.Context(), from, &out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func open(data []byte) (*bundle.Bundle, error) {
	return bundle.Read("b.assay.tar", bytes.NewReader(data), int64(len(data)))
}

// What is read from a bundle is what is read from the cluster, and its chain holds.
func TestABundleIsTheRun(t *testing.T) {
	made := finished.New(t, finished.Options{Blocks: 30, Change: func(run *v1alpha1.BenchmarkRun) {
		run.ResourceVersion, run.ManagedFields = "7", []metav1.ManagedFieldsEntry{{Manager: "kubectl"}}
	}})
	b, err := open(write(t, made))
	if err != nil {
		t.Fatal(err)
	}
	if differs, err := b.Check(); err != nil || len(differs) > 0 {
		t.Errorf("%v, %v", differs, err)
	}
	want, err := stored.Read(t.Context(), made)
	if err != nil {
		t.Fatal(err)
	}
	got, err := stored.Read(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	for what, pair := range map[string][2]any{
		"plan": {want.Plan, got.Plan}, "records": {want.Records, got.Records}, "summary": {want.Summary, got.Summary}, "quoted": {want.Quoted, got.Quoted},
		"status": {want.Object.Status, got.Object.Status}, "spec": {want.Object.Spec, got.Object.Spec},
	} {
		if diff := cmp.Diff(pair[0], pair[1], cmpopts.IgnoreUnexported(journal.Summary{})); diff != "" {
			t.Errorf("%s (-cluster +bundle):\n%s", what, diff)
		}
	}
	n := 0
	for res, err := range got.Results(t.Context(), got.Records[0]) {
		if err != nil || string(res.Raw) != "raw output of run" {
			t.Errorf("%v, %q", err, res.Raw)
		}
		n++
	}
	report, err := stored.Verify(t.Context(), b, got.Object, nil)
	if err != nil || n != finished.Clients || len(report.Findings) > 0 || report.Results != 2*121 || !report.Chained {
		t.Errorf("%d results, verified: %+v, %v", n, report, err)
	}
}

// The bytes of a bundle depend on the run alone.
func TestTheSameRunGivesTheSameBytes(t *testing.T) {
	made := finished.New(t, finished.Options{})
	first := write(t, made)
	made.Object.ResourceVersion = "8"
	b, err := open(first)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, write(t, made)) || !bytes.Equal(first, write(t, b)) {
		t.Error("the second bundle differs from the first one")
	}
}

// A client that delivered nothing has an empty ConfigMap, which is not a lost one.
func TestEmptyConfigMapsStay(t *testing.T) {
	made := finished.New(t, finished.Options{})
	made.Maps["run-theirs-quoted"].Data = nil
	b, err := open(write(t, made))
	if err != nil {
		t.Fatal(err)
	}
	if cm, err := b.ConfigMap(t.Context(), "run-theirs-quoted"); err != nil || cm == nil || !cmp.Equal(b.Index.Empty, []string{"run-theirs-quoted"}) {
		t.Errorf("%v, %v, %v", cm, err, b.Index.Empty)
	}
	if cm, err := b.ConfigMap(t.Context(), "run-theirs"); err != nil || cm != nil {
		t.Errorf("one that is not there: %v, %v", cm, err)
	}
}

func TestARunThatGoesOnIsNotWritten(t *testing.T) {
	made := finished.New(t, finished.Options{})
	made.Object.Status.Conditions = nil
	if _, err := bundle.Write(t.Context(), made, io.Discard); err == nil || !strings.Contains(err.Error(), "has not ended") {
		t.Error(err)
	}
}

// Any bit that is changed is found: in what a bundle has, by the digest of the index or by its form.
func TestAnyChangeIsFound(t *testing.T) {
	good := write(t, finished.New(t, finished.Options{Blocks: 1}))
	for at := 0; at < len(good); at += 97 {
		changed := bytes.Clone(good)
		changed[at] ^= 1
		b, err := open(changed)
		if err != nil {
			continue
		}
		differs, err := b.Check()
		if err == nil && len(differs) == 0 && !sameContents(t, good, changed) {
			t.Errorf("byte %d of %d was changed unnoticed", at, len(good))
		}
	}
}

// sameContents says whether only what no reader looks at differs, such as the owner of an entry.
func sameContents(t *testing.T, a, b []byte) bool {
	t.Helper()
	return cmp.Equal(entries(t, a), entries(t, b))
}

type entry struct {
	Name string
	Data string
}

func entries(t testing.TB, data []byte) (out []entry) {
	t.Helper()
	archive := tar.NewReader(bytes.NewReader(data))
	for {
		h, err := archive.Next()
		if err == io.EOF { //nolint:errorlint // as archive/tar documents it
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, entry{h.Name, string(content)})
	}
}

// forge a bundle with another index and other entries, as somebody with a hex editor would.
func forge(t testing.TB, good []byte, change func(*bundle.Index, []entry) []entry, headers ...func(*tar.Header)) []byte {
	t.Helper()
	all := entries(t, good)
	var index bundle.Index
	if err := json.Unmarshal([]byte(all[0].Data), &index); err != nil {
		t.Fatal(err)
	}
	all = change(&index, all)
	text, err := json.Marshal(index)
	if err != nil {
		t.Fatal(err)
	}
	all[0].Data = string(text)
	var out bytes.Buffer
	archive := tar.NewWriter(&out)
	for _, e := range all {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: e.Name, Size: int64(len(e.Data)), Mode: 0o644}
		for _, change := range headers {
			change(h)
		}
		if err := archive.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if h.Size > 0 {
			if _, err := io.WriteString(archive, e.Data); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func hostile(t testing.TB, good []byte) map[string]struct {
	data []byte
	want string
} {
	t.Helper()
	rename := func(path string) func(*bundle.Index, []entry) []entry {
		return func(x *bundle.Index, all []entry) []entry {
			x.Files[1].Path, all[2].Name = path, path
			return all
		}
	}
	replace := func(i int, data string) func(*bundle.Index, []entry) []entry {
		return func(x *bundle.Index, all []entry) []entry {
			all[i+1].Data = data
			x.Files[i].Bytes, x.Files[i].SHA256 = int64(len(data)), contract.Digest([]byte(data))
			return all
		}
	}
	counting := func(from, to string) func(*bundle.Index, []entry) []entry {
		return func(x *bundle.Index, all []entry) []entry {
			text := strings.Replace(all[1].Data, from, to, 1)
			if text == all[1].Data {
				t.Fatalf("run.json has no %s:\n%s", from, text)
			}
			return replace(0, text)(x, all)
		}
	}
	link := func(h *tar.Header) {
		if h.Name == "run.json" {
			h.Typeflag, h.Linkname, h.Size = tar.TypeSymlink, "/etc/passwd", 0
		}
	}
	return map[string]struct {
		data []byte
		want string
	}{
		"nothing":                {nil, "it is no tar"},
		"something else":         {[]byte(strings.Repeat("PK\x03\x04", 1000)), "it is no tar"},
		"a cut file":             {good[:len(good)/2], ""},
		"something behind it":    {append(bytes.Clone(good), make([]byte, 512)...), ", and ends after "},
		"a file without its end": {good[:len(good)-1024], ", and ends after "},
		"another format":         {forge(t, good, func(x *bundle.Index, all []entry) []entry { x.Version = "assay.dev/bundle/v9"; return all }), `version: got "assay.dev/bundle/v9"`},
		"a path that leads out":  {forge(t, good, rename("configmaps/../../../etc/passwd")), "which no bundle has"},
		"a path from the root":   {forge(t, good, rename("/configmaps/x/data/y")), "which no bundle has"},
		"a name that leads out":  {forge(t, good, rename("configmaps/../data/y")), "which no bundle has"},
		"a key that leads out":   {forge(t, good, rename("configmaps/x/data/..")), "which no bundle has"},
		"a symbolic link":        {forge(t, good, func(_ *bundle.Index, all []entry) []entry { return all }, link), `it has "run.json" of 0 bytes where`},
		"a lie about a size":     {forge(t, good, func(x *bundle.Index, all []entry) []entry { x.Files[2].Bytes++; return all }), "where its index has"},
		"a size beyond the file": {forge(t, good, func(x *bundle.Index, all []entry) []entry { x.Files[2].Bytes = 1 << 60; return all }), "no size of at most"},
		"a negative size":        {forge(t, good, func(x *bundle.Index, all []entry) []entry { x.Files[2].Bytes = -1; return all }), "no size of at most"},
		"no digest":              {forge(t, good, func(x *bundle.Index, all []entry) []entry { x.Files[2].SHA256 = "../.."; return all }), "no SHA-256"},
		"the same file twice": {forge(t, good, func(x *bundle.Index, all []entry) []entry {
			x.Files[2], all[3] = x.Files[1], all[2]
			return all
		}), "is out of order"},
		"a file that the index lacks": {forge(t, good, func(_ *bundle.Index, all []entry) []entry { return append(all, entry{"more", "x"}) }), "more files than its index"},
		"a file that is gone":         {forge(t, good, func(_ *bundle.Index, all []entry) []entry { return all[:len(all)-1] }), "is not there"},
		"no run": {forge(t, good, func(x *bundle.Index, all []entry) []entry {
			x.Files = x.Files[1:]
			return append(all[:1], all[2:]...)
		}), "its first file is not run.json"},
		"the index of another run": {forge(t, good, func(x *bundle.Index, all []entry) []entry { x.Run.Name = "other"; return all }), "another run than that of its index"},
		"an index without a run":   {forge(t, good, func(x *bundle.Index, all []entry) []entry { x.Run.Name = "../x"; return all }), "does not say which run"},
		"a run that explodes":      {forge(t, good, replace(0, `{"status":{"summary":[`+strings.Repeat("{},", 680_000)+`{}]}}`)), "MiB of memory"},
		"parts without end":        {forge(t, good, counting(`"recordConfigMapCount":1`, `"recordConfigMapCount":2147483647`)), "counts 2147483647 ConfigMaps"},
		"fewer than no part":       {forge(t, good, counting(`"summaryConfigMapCount":2`, `"summaryConfigMapCount":-1`)), "counts -1 ConfigMaps"},
		"a plan without end":       {forge(t, good, counting(`"configMapCount":1`, `"configMapCount":300001`)), "counts 300001 ConfigMaps"},
		"an index that explodes": {forge(t, good, func(x *bundle.Index, all []entry) []entry {
			x.Empty = make([]string, 10_200_000)
			return all
		}), "MiB of memory"},
		"an empty ConfigMap with files": {forge(t, good, func(x *bundle.Index, all []entry) []entry {
			x.Empty = []string{strings.Split(x.Files[1].Path, "/")[1]}
			return all
		}), "is empty by its index"},
		"a sparse file": {forge(t, good, func(_ *bundle.Index, all []entry) []entry { return all }, func(h *tar.Header) {
			if h.Name == "run.json" {
				h.PAXRecords = map[string]string{"comment": "x"}
			}
		}), "has the extension"},
	}
}

// What is not exactly a bundle is refused, with the reason.
func TestHostileBundles(t *testing.T) {
	for name, tc := range hostile(t, write(t, finished.New(t, finished.Options{Blocks: 1}))) {
		t.Run(name, func(t *testing.T) {
			if _, err := open(tc.data); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
}

// A file whose bytes differ from the index is named, and not handed out.
func TestAFileThatDiffers(t *testing.T) {
	good := write(t, finished.New(t, finished.Options{Blocks: 1}))
	b, err := open(forge(t, good, func(x *bundle.Index, all []entry) []entry {
		x.Files[1].SHA256 = strings.Repeat("0", 64)
		return all
	}))
	if err != nil {
		t.Fatal(err)
	}
	differs, err := b.Check()
	if err != nil || len(differs) != 1 || !strings.HasPrefix(differs[0].Error(), b.Index.Files[1].Path+" ") {
		t.Errorf("%v, %v", differs, err)
	}
	if _, err := b.ConfigMap(t.Context(), strings.Split(b.Index.Files[1].Path, "/")[1]); err == nil || !strings.Contains(err.Error(), "by the index") {
		t.Error(err)
	}
	if err := b.Unpack(filepath.Join(t.TempDir(), "out")); err == nil {
		t.Error("it was unpacked")
	}
}

// Unpacked, the files stand where the index says, and a folder that is there is left alone.
func TestUnpack(t *testing.T) {
	file := filepath.Join(t.TempDir(), "run.assay.tar")
	if err := os.WriteFile(file, write(t, finished.New(t, finished.Options{Blocks: 1})), 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}()
	folder := filepath.Join(t.TempDir(), "out")
	if err := b.Unpack(folder); err != nil {
		t.Fatal(err)
	}
	for _, f := range b.Index.Files {
		data, err := os.ReadFile(filepath.Join(folder, f.Path))
		if err != nil || contract.Digest(data) != f.SHA256 {
			t.Errorf("%s: %v", f.Path, err)
		}
	}
	if err := b.Unpack(folder); err == nil {
		t.Error("it was unpacked over what is there")
	}
	if _, err := bundle.Open(folder); err == nil || !strings.Contains(err.Error(), "it is no file") {
		t.Error(err)
	}
}

// FuzzRead: whatever a file is, reading it neither fails badly nor gives anything that is not in it.
func FuzzRead(f *testing.F) {
	small := finished.New(f, finished.Options{Blocks: 1}) // large inputs leave no time for many
	for name := range small.Maps {
		if strings.Contains(name, "-trial-") && name != "run-trial-00000-result-0" {
			delete(small.Maps, name)
		}
	}
	small.Object.Status.Summary, small.Object.Status.Comparisons, small.Object.Status.Sweeps = nil, nil, nil
	f.Add(write(f, small))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := open(data)
		if err != nil {
			return
		}
		var total int64
		for _, file := range b.Index.Files {
			total += file.Bytes
			if !filepath.IsLocal(file.Path) {
				t.Errorf("the path %q leads out", file.Path)
			}
		}
		if total > int64(len(data)) {
			t.Errorf("%d bytes in a file of %d", total, len(data))
		}
		if _, err := b.Check(); err != nil {
			t.Error(err)
		}
		run, err := stored.Read(t.Context(), b)
		if err != nil {
			return
		}
		for _, rec := range run.Records {
			for _, err := range run.Results(t.Context(), rec) {
				if err != nil {
					break
				}
			}
		}
	})
}
