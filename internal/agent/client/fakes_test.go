package client

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// fakeAPI holds the ConfigMaps of a trial. The next calls fail while down is set.
type fakeAPI struct {
	mu      sync.Mutex
	trial   map[string]string
	patches []map[string]any
	// gets are the names that were asked for, in their order.
	gets   []string
	down   bool
	refuse error
	// noWatch breaks every Follow.
	noWatch bool
	// together: a result is shown as it was until so many have read it.
	together int
	// loseAnswers is how many patches are done without an answer.
	loseAnswers int
	// offer of the object store; nil for none.
	offer func([]contract.Object) contract.Offer
	// dataOffer of the data set, if set.
	dataOffer *contract.DataOffer
	changed   chan struct{}
}

func (f *fakeAPI) Get(_ context.Context, name string) (ConfigMap, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.gets = append(f.gets, name)
	if f.down {
		return ConfigMap{}, errors.New("connection refused")
	}
	if name == "t" {
		return f.snapshot(), nil
	}
	if f.together > 0 {
		f.together--
		return ConfigMap{ResourceVersion: "0"}, nil
	}
	return ConfigMap{ResourceVersion: f.version(name), Annotations: f.annotations(name), BinaryData: f.binaryData(name)}, nil
}

// version of a result: the number of its patches.
func (f *fakeAPI) version(name string) string {
	n := 0
	for _, p := range f.patches {
		if p["name"] == name {
			n++
		}
	}
	return strconv.Itoa(n)
}

// annotations that were patched into a result.
func (f *fakeAPI) annotations(name string) map[string]string {
	out := map[string]string{}
	for _, p := range f.patches {
		if p["name"] == name {
			for key, value := range annotationsIn(p) {
				out[key] = fmt.Sprint(value)
			}
		}
	}
	return out
}

// annotationsIn a patch.
func annotationsIn(patch map[string]any) map[string]any {
	meta, _ := patch["metadata"].(map[string]any)
	annotations, _ := meta["annotations"].(map[string]any)
	return annotations
}

// binaryData is what was patched into a result; nil when nothing was.
func (f *fakeAPI) binaryData(name string) map[string][]byte {
	for _, p := range f.patches {
		if values, ok := p["binaryData"].(map[string]any); ok && p["name"] == name {
			out := map[string][]byte{}
			for key, value := range values {
				out[key], _ = base64.StdEncoding.DecodeString(fmt.Sprint(value))
			}
			return out
		}
	}
	return nil
}

func (f *fakeAPI) snapshot() ConfigMap {
	data := map[string]string{}
	for k, v := range f.trial {
		data[k] = v
	}
	return ConfigMap{ResourceVersion: "1", Data: data}
}

func (f *fakeAPI) Follow(ctx context.Context, _, _ string, show func(ConfigMap) bool) error {
	for {
		f.mu.Lock()
		cm, changed, broken := f.snapshot(), f.changed, f.noWatch
		f.mu.Unlock()
		if broken {
			return errors.New("the watch broke")
		}
		if show(cm) {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.New("the watch ended")
		case <-changed:
		}
	}
}

func (f *fakeAPI) Patch(_ context.Context, name string, patch []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.down {
		return errors.New("connection refused")
	}
	if f.refuse != nil {
		return f.refuse
	}
	var p map[string]any
	if err := json.Unmarshal(patch, &p); err != nil {
		return err
	}
	meta, _ := p["metadata"].(map[string]any)
	if version, locked := meta["resourceVersion"]; locked && version != f.version(name) {
		return errors.New("conflict: the object has been modified")
	}
	p["name"] = name
	f.patches = append(f.patches, p)
	if f.loseAnswers > 0 {
		f.loseAnswers--
		return errors.New("timeout")
	}
	return nil
}

// Secret offers what the client announced, at the store of the test.
func (f *fakeAPI) Secret(_ context.Context, name string) (map[string][]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dataOffer != nil && name == "t-data" {
		data, err := json.Marshal(f.dataOffer)
		return map[string][]byte{contract.KeyDataOffer: data}, err
	}
	if f.offer == nil || name != "t-upload-0" {
		return nil, errors.New("not found")
	}
	for _, p := range f.patches {
		text, announced := annotationsIn(p)[contract.AnnotationUploads].(string)
		if !announced {
			continue
		}
		objects, err := contract.ParseUploads(text, 1<<30)
		if err != nil {
			return nil, err
		}
		data, err := json.Marshal(f.offer(objects))
		return map[string][]byte{contract.KeyOffer: data}, err
	}
	return nil, errors.New("nothing was announced")
}

// found is what somebody wrote into the first result before.
func (f *fakeAPI) found(patch map[string]any) {
	patch["name"] = "t-result-0"
	f.patches = append(f.patches, patch)
}

func (f *fakeAPI) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
	close(f.changed)
	f.changed = make(chan struct{})
}

// annotated says whether a client has reported ready.
func (f *fakeAPI) annotated() bool { return f.ready() > 0 }

// ready is how many clients have reported ready.
func (f *fakeAPI) ready() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, p := range f.patches {
		if _, ok := annotationsIn(p)[annotationReady]; ok {
			n++
		}
	}
	return n
}

// delivered returns the binary data of the one delivery under a name.
func (f *fakeAPI) delivered(t *testing.T, name string) (encoded, raw []byte) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, p := range f.patches {
		data, ok := p["binaryData"].(map[string]any)
		if !ok || p["name"] != name {
			continue
		}
		n++
		encoded, raw = decodeBase64(t, data[contract.KeyResult]), decodeBase64(t, data[contract.KeyRaw])
	}
	if n != 1 {
		t.Fatalf("%d deliveries, want exactly one", n)
	}
	return encoded, raw
}

func decodeBase64(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out []byte
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// testRunner runs the test binary as its tool.
func testRunner(name string) (runner.Runner, bool) {
	return runner.Runner{
		Name: "fake",
		Command: func(t contract.Trial, p contract.Phase, c runner.Credentials) (runner.Command, error) {
			args := []string{string(p), "--leak=" + c.Password}
			if t.Clients > 1 {
				args = append(args, fmt.Sprintf("--part=%d/%d", t.Ref.Client, t.Clients))
			}
			return runner.Command{Path: os.Args[0], Args: args,
				Files: map[string][]byte{"secret.cfg": []byte("top")}, Seed: t.Seed * int64(len(p)), Unseeded: t.Seed == 0 && t.WarmupSeconds > 0}, nil
		},
		Parse: func(_ contract.Trial, p contract.Phase, o runner.Output) runner.Report {
			r := runner.Report{ToolVersion: "1.2", Measurements: []contract.Measurement{{
				Name: contract.NameThroughput, Unit: "tx/s", Value: new(float64(len(p))),
				Intervals: []contract.Interval{{AtSeconds: 1, Value: new(2.0)}},
			}}}
			if o.ExitCode != 0 {
				line, _, _ := strings.Cut(string(o.Stdout), "\n")
				r.Failure = &contract.Failure{Reason: contract.ReasonToolFailed, Message: line}
			}
			return r
		},
	}, name == "fake"
}
