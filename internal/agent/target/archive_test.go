package target

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/klauspost/compress/zstd"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// fakeStore takes each object once, as by requests with If-None-Match.
type fakeStore struct {
	url string

	mu      sync.Mutex
	objects map[string][]byte
	// away is how many requests it does not answer well, and cut how many parts it stores without an answer.
	away, cut int
}

func newFakeStore(t *testing.T) *fakeStore {
	t.Helper()
	s := &fakeStore{objects: map[string][]byte{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

func (s *fakeStore) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data, there := s.objects[r.URL.Path]
	switch {
	case s.away > 0:
		s.away--
		w.WriteHeader(http.StatusServiceUnavailable)
	case r.Method == http.MethodPut && there && r.Header.Get("If-None-Match") == "*":
		w.WriteHeader(http.StatusPreconditionFailed)
	case r.Method == http.MethodPut:
		body, err := io.ReadAll(r.Body)
		if err != nil || int64(len(body)) != r.ContentLength {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		s.objects[r.URL.Path] = body
		if s.cut > 0 {
			s.cut--
			panic(http.ErrAbortHandler)
		}
	case there:
		_, _ = w.Write(data)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// toWrite offers so many parts of a size.
func (s *fakeStore) toWrite(parts int, size int64) *contract.Archive {
	a := &contract.Archive{PartBytes: size}
	for i := range parts {
		a.Parts = append(a.Parts, contract.SignedPart{URL: fmt.Sprintf("%s/part-%d?X-Amz-Signature=secret", s.url, i), Headers: map[string]string{"If-None-Match": "*"}})
		a.Parts[i].Stored = a.Parts[i].URL
	}
	return a
}

// toRead offers the parts of a copy that was packed.
func (s *fakeStore) toRead(packed contract.Copy) *contract.Archive {
	a := &contract.Archive{Bytes: packed.Bytes}
	for i, part := range packed.Parts {
		a.Parts = append(a.Parts, contract.SignedPart{URL: fmt.Sprintf("%s/part-%d?X-Amz-Signature=secret", s.url, i), SHA256: part.SHA256, Bytes: part.Bytes})
	}
	return a
}

// transfer asks for an operation with an archive.
func (r *rig) transfer(t *testing.T, path, id string, archive *contract.Archive) reply {
	t.Helper()
	body, err := json.Marshal(contract.Operation{ID: id, Archive: archive})
	if err != nil {
		t.Fatal(err)
	}
	var a reply
	var text string
	a.code, text = r.request("POST", path, agentKey, string(body))
	if strings.Contains(text, "X-Amz-Signature") {
		t.Errorf("the answer has a signature: %s", text)
	}
	var into any = &a.refusal
	if a.code == http.StatusOK {
		into = &a.copied
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Errorf("%s: %v", text, err)
	}
	return a
}

// noise that no compression makes smaller.
func noise(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		b.WriteString(contract.Digest(fmt.Appendf(nil, "%d", i)))
	}
	return b.String()[:n]
}

// What one server archived in several parts, another one with a volume of its own goes on with.
func TestAnArchiveIsFetched(t *testing.T) {
	objects := newFakeStore(t)
	r := newRig(t, "init", "serve")
	r.beginReady(t)
	rows := noise(300 << 10)
	r.write(t, rowsFile, rows)
	if err := os.MkdirAll(filepath.Join(r.paths().Data, "schema/empty"), 0o750); err != nil {
		t.Fatal(err)
	}
	r.write(t, "schema/t2.ibd", "more")
	r.write(t, "schema/ib_buffer_pool", "of a schema")
	r.write(t, "ib_buffer_pool", "5,3\n")
	packed := r.transfer(t, contract.PathArchive, "a", objects.toWrite(8, 64<<10)).mustSucceed(t)
	if n := len(packed.Parts); n < 2 || n != len(objects.objects) || packed.Files != 5 || packed.Bytes != int64(len(rows)+len("more")+len("of a schema")) {
		t.Fatalf("%d parts, %d in the store, %d files of %d bytes", n, len(objects.objects), packed.Files, packed.Bytes)
	}
	for i, part := range packed.Parts {
		if data := objects.objects[fmt.Sprintf("/part-%d", i)]; part != (contract.DataPart{SHA256: contract.Digest(data), Bytes: int64(len(data))}) {
			t.Errorf("part %d is %+v, and the store has %d bytes", i, part, len(data))
		}
	}
	if !r.isReady() {
		t.Error("not ready after the archive")
	}
	if again := r.transfer(t, contract.PathArchive, "a", objects.toWrite(8, 64<<10)).mustSucceed(t); !cmp.Equal(again, packed) {
		t.Errorf("asked again: %+v, want %+v", again, packed)
	}

	other := newRig(t, "init", "serve")
	other.beginReady(t)
	other.write(t, "own.ibd", "what the other server had")
	objects.away = 1
	got := other.transfer(t, contract.PathFetch, "f", objects.toRead(packed)).mustSucceed(t)
	want := contract.Copy{Files: packed.Files, Bytes: packed.Bytes}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(contract.Copy{}, "Seconds", "StoppedSeconds", "StopSeconds")); diff != "" {
		t.Errorf("fetched (-want +got):\n%s", diff)
	}
	if other.rows(t) != rows || !other.isReady() || exists(filepath.Join(other.paths().Data, "own.ibd")) {
		t.Error("the other server has other data, or none")
	}
	if !exists(filepath.Join(r.paths().Data, bufferPoolFile)) || exists(filepath.Join(other.paths().Data, bufferPoolFile)) {
		t.Error("the dump of the buffer pool was removed, or fetched")
	}
	for name, mode := range map[string]os.FileMode{rowsFile: 0o640, "schema/ib_buffer_pool": 0o640, "schema": os.ModeDir | 0o750, "schema/empty": os.ModeDir | 0o750, "schema/t2.ibd": 0o640} {
		if info, err := os.Stat(filepath.Join(other.paths().Data, name)); err != nil || info.Mode() != mode {
			t.Errorf("%s is %v (%v), want %v", name, info, err, mode)
		}
	}
	for _, side := range []*rig{r, other} {
		left, err := filepath.Glob(side.Data + "/*")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{side.Data + "/db", side.Data + "/operation.json"}, left); diff != "" {
			t.Errorf("on the volume (-want +got):\n%s", diff)
		}
	}
}

// What is not the archive that was asked for changes nothing: the server goes on with the data that it had.
func TestAnArchiveThatIsDamaged(t *testing.T) {
	objects := newFakeStore(t)
	maker := newRig(t, "init", "serve")
	maker.beginReady(t)
	maker.write(t, rowsFile, noise(200<<10))
	packed := maker.transfer(t, contract.PathArchive, "a", objects.toWrite(8, 64<<10)).mustSucceed(t)
	whole := objects.objects["/part-1"]
	for name, tt := range map[string]struct {
		change func(*contract.Archive)
		code   int
		reason contract.TargetReason
		says   string
	}{
		"a byte that was flipped": {func(*contract.Archive) {
			flipped := bytes.Clone(whole)
			flipped[100] ^= 1
			objects.objects["/part-1"] = flipped
		}, http.StatusUnprocessableEntity, contract.ReasonPartDamaged, "part 1 has 65536 bytes of the SHA-256"},
		"a part that is cut": {func(*contract.Archive) { objects.objects["/part-1"] = whole[:100] },
			http.StatusUnprocessableEntity, contract.ReasonPartDamaged, "part 1 has 100 bytes"},
		"a part that is gone": {func(*contract.Archive) { delete(objects.objects, "/part-1") },
			http.StatusUnprocessableEntity, contract.ReasonPartDamaged, "part 1 is gone from the object store"},
		"a last part that nobody names": {func(a *contract.Archive) { a.Parts = a.Parts[:len(a.Parts)-1] },
			http.StatusUnprocessableEntity, contract.ReasonPartDamaged, ""},
		"more bytes than the manifest says": {func(a *contract.Archive) { a.Bytes-- },
			http.StatusUnprocessableEntity, contract.ReasonPartDamaged, "more bytes"},
		"fewer bytes than the manifest says": {func(a *contract.Archive) { a.Bytes++ },
			http.StatusUnprocessableEntity, contract.ReasonPartDamaged, "1 bytes less"},
		"no parts": {func(a *contract.Archive) { a.Parts = nil }, http.StatusBadRequest, contract.ReasonRequestInvalid, "1 to 128 parts"},
	} {
		t.Run(name, func(t *testing.T) {
			objects.objects["/part-1"] = whole
			r := newRig(t, "init", "serve")
			r.beginReady(t)
			r.write(t, rowsFile, "before")
			from := objects.toRead(packed)
			tt.change(from)
			r.transfer(t, contract.PathFetch, "f", from).mustBe(t, tt.code, tt.reason, tt.says)
			if !r.isReady() || r.rows(t) != "before" || exists(r.volume.dataDraft()) {
				t.Error("a refused archive changed something, or left something")
			}
		})
	}
}

// An archive needs room: for one part, or for all files and one part.
func TestAnArchiveThatDoesNotFit(t *testing.T) {
	objects := newFakeStore(t)
	r := newRig(t, "init", "serve")
	r.beginReady(t)
	r.write(t, rowsFile, noise(200<<10))
	r.transfer(t, contract.PathArchive, "few", objects.toWrite(2, 64<<10)).mustBe(t, http.StatusFailedDependency, contract.ReasonPartFailed, "more than 2 parts")
	// The store has the first parts now: what an agent before this one brought is not written over.
	r.write(t, rowsFile, "other rows"+noise(200<<10))
	r.transfer(t, contract.PathArchive, "taken", objects.toWrite(8, 64<<10)).mustBe(t, http.StatusFailedDependency, contract.ReasonPartFailed, "already")
	clear(objects.objects)
	packed := r.transfer(t, contract.PathArchive, "a", objects.toWrite(8, 64<<10)).mustSucceed(t)
	r.volume.free = func(string) (int64, error) { return 64<<10 - 1, nil }
	r.transfer(t, contract.PathArchive, "full", objects.toWrite(8, 64<<10)).mustBe(t, http.StatusInsufficientStorage, contract.ReasonStorageFailed, "too small")
	r.volume.free = func(string) (int64, error) { return 200 << 10, nil }
	r.transfer(t, contract.PathFetch, "f", objects.toRead(packed)).mustBe(t, http.StatusInsufficientStorage, contract.ReasonStorageFailed, "too small")
	if !r.isReady() {
		t.Error("not ready after what was refused")
	}
	if err := os.Symlink("/etc/hosts", filepath.Join(r.paths().Data, "link")); err != nil {
		t.Fatal(err)
	}
	r.volume.free = freeBytes
	clear(objects.objects)
	r.transfer(t, contract.PathArchive, "link", objects.toWrite(8, 64<<10)).mustBe(t, http.StatusInsufficientStorage, contract.ReasonStorageFailed, "link is a symbolic link")
}

// A part is stored, and the answer is lost: the store takes no part twice, and has just what was sent.
func TestAnAnswerOfTheStoreIsLost(t *testing.T) {
	objects := newFakeStore(t)
	r := newRig(t, "init", "serve")
	r.beginReady(t)
	r.write(t, rowsFile, noise(200<<10))
	objects.cut = 2
	to := objects.toWrite(contract.MaxDataParts, 64<<10)
	for i := range to.Parts { // signatures of credentials that expire are long
		to.Parts[i].URL += strings.Repeat("x", 2500)
		to.Parts[i].Stored += strings.Repeat("x", 2500)
	}
	packed := r.transfer(t, contract.PathArchive, "a", to).mustSucceed(t)
	if objects.cut != 0 || len(packed.Parts) != len(objects.objects) {
		t.Errorf("%d parts, and the store has %d; %d answers were not lost", len(packed.Parts), len(objects.objects), objects.cut)
	}
	for i, part := range packed.Parts {
		if data := objects.objects[fmt.Sprintf("/part-%d", i)]; part != (contract.DataPart{SHA256: contract.Digest(data), Bytes: int64(len(data))}) {
			t.Errorf("part %d is %+v, and the store has %d bytes", i, part, len(data))
		}
	}
}

// A larger volume has larger parts, up to what a store takes in one request: then it is no remedy.
func TestAnArchiveOfTooManyParts(t *testing.T) {
	for bytes, want := range map[int64]string{
		1 << 30:              "give the target's storage a larger size",
		contract.MaxDataPart: "leave spec.data out, or load less",
	} {
		if err := tooLarge(contract.Archive{PartBytes: bytes}); !strings.Contains(err.Error(), want) {
			t.Errorf("%d bytes: %v, want %q", bytes, err, want)
		}
	}
}

// Whatever a tar says, nothing outside of the directory is touched.
func TestUnpackStaysInside(t *testing.T) {
	for name, header := range map[string]tar.Header{
		"a path upwards":       {Name: "../escaped", Typeflag: tar.TypeReg, Size: 1},
		"an absolute path":     {Name: "/tmp/assay-escaped", Typeflag: tar.TypeReg, Size: 1},
		"a symbolic link":      {Name: "link", Typeflag: tar.TypeSymlink, Linkname: ".."},
		"a hard link":          {Name: "link", Typeflag: tar.TypeLink, Linkname: "../outside"},
		"a device":             {Name: "null", Typeflag: tar.TypeChar},
		"a file of many bytes": {Name: "large", Typeflag: tar.TypeReg, Size: 2},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(dir+"/outside", []byte("safe"), 0o600); err != nil {
				t.Fatal(err)
			}
			var stream bytes.Buffer
			z, err := zstd.NewWriter(&stream)
			if err != nil {
				t.Fatal(err)
			}
			w := tar.NewWriter(z)
			header.Mode = 0o600
			if err := w.WriteHeader(&header); err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write(make([]byte, header.Size)); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if err := z.Close(); err != nil {
				t.Fatal(err)
			}
			if _, err := unpack(dir+"/db", &stream, 1); err == nil || !strings.Contains(err.Error(), "DataSetDamaged") {
				t.Errorf("got %v, want that it is damaged", err)
			}
			inside, err := filepath.Glob(dir + "/*")
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(dir + "/outside")
			if diff := cmp.Diff([]string{dir + "/db", dir + "/outside"}, inside); diff != "" || err != nil || string(text) != "safe" {
				t.Errorf("beside the directory (-want +got):\n%s%q, %v", diff, text, err)
			}
		})
	}
}
