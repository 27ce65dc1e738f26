package s3_test

import (
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/store"
	"github.com/assay-bench/assay/internal/ground/store/s3"
	"github.com/assay-bench/assay/test/helpers/objectstore"
)

func itemOf(key, content string) store.Item {
	return store.Item{Key: key, Object: contract.Object{Name: contract.KeyRaw, SHA256: contract.Digest([]byte(content)), Bytes: int64(len(content))}}
}

// put sends a content with a signed request, and returns the status and what the store says.
func put(t *testing.T, client *http.Client, signed store.Signed, content string, change func(*http.Request)) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, signed.URL, strings.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range signed.Headers {
		req.Header.Set(name, value)
	}
	if change != nil {
		change(req)
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	return res.StatusCode, store.Complaint(res.Body)
}

// A signed request stores its own content, once, and nothing else. Each refusal is the store's.
func TestASignedRequestIsForOneContent(t *testing.T) {
	server := objectstore.Start(t)
	c, client := server.Client(t), server.HTTP(t)
	const content = "what the tool wrote"
	const other = "what the fool wrote" // of the same length
	sign := func(key string, life time.Duration) store.Signed {
		t.Helper()
		signed, err := c.Sign(t.Context(), itemOf(key, content), life)
		if err != nil {
			t.Fatal(err)
		}
		return signed
	}
	tests := map[string]struct {
		content string
		change  func(*http.Request)
		life    time.Duration
		sleep   time.Duration
		status  int
		says    string
	}{
		"its content is stored":              {content: content, status: http.StatusOK},
		"another content is refused":         {content: other, status: http.StatusBadRequest, says: "BadDigest"},
		"a longer content is refused":        {content: content + "!", status: http.StatusForbidden, says: "SignatureDoesNotMatch"},
		"another checksum is not signed":     {content: other, status: http.StatusForbidden, says: "SignatureDoesNotMatch", change: checksum(other)},
		"no checksum is not signed":          {content: other, status: http.StatusForbidden, change: without("X-Amz-Checksum-Sha256")},
		"a request that would overwrite":     {content: content, status: http.StatusForbidden, change: without("If-None-Match")},
		"another key is not signed":          {content: content, status: http.StatusForbidden, says: "SignatureDoesNotMatch", change: path("/results/elsewhere")},
		"another method is not signed":       {content: content, status: http.StatusForbidden, change: func(r *http.Request) { r.Method = http.MethodDelete }},
		"an expired request is refused":      {content: content, status: http.StatusForbidden, life: time.Second, sleep: 2500 * time.Millisecond, says: "xpired"},
		"a later expiry is not signed":       {content: content, status: http.StatusForbidden, life: time.Second, sleep: 2500 * time.Millisecond, change: expires},
		"a content that is cut is no object": {content: content[:5], status: http.StatusForbidden, says: "SignatureDoesNotMatch"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			key := "ns/run/" + strings.ReplaceAll(name, " ", "-") + "/raw.tar.gz"
			life := tt.life
			if life == 0 {
				life = time.Minute
			}
			signed := sign(key, life)
			time.Sleep(tt.sleep)
			status, says := put(t, client, signed, tt.content, tt.change)
			if status != tt.status || !strings.Contains(says, tt.says) {
				t.Errorf("got %d %q, want %d %q", status, says, tt.status, tt.says)
			}
			want := store.Absent
			if tt.status == http.StatusOK {
				want = store.Present
			}
			if state, err := c.Check(t.Context(), itemOf(key, content)); state != want {
				t.Errorf("the store says %s (%v), want %s", state, err, want)
			}
		})
	}
}

func checksum(content string) func(*http.Request) {
	sum := sha256.Sum256([]byte(content))
	return func(r *http.Request) {
		r.Header.Set("X-Amz-Checksum-Sha256", base64.StdEncoding.EncodeToString(sum[:]))
	}
}

func without(header string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Del(header) }
}

func path(p string) func(*http.Request) { return func(r *http.Request) { r.URL.Path = p } }

func expires(r *http.Request) {
	r.URL.RawQuery = strings.Replace(r.URL.RawQuery, "X-Amz-Expires=1&", "X-Amz-Expires=600&", 1)
}

// What is there stays: another upload of the same key is refused, also with a valid signature.
func TestNothingIsOverwritten(t *testing.T) {
	server := objectstore.Start(t)
	c, client := server.Client(t), server.HTTP(t)
	key := "ns/run/raw.tar.gz"
	for i, want := range []int{http.StatusOK, http.StatusPreconditionFailed} {
		signed, err := c.Sign(t.Context(), itemOf(key, "content"), time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if status, says := put(t, client, signed, "content", nil); status != want {
			t.Errorf("upload %d: got %d %q, want %d", i, status, says, want)
		}
	}
	signed, err := c.Sign(t.Context(), itemOf(key, "another"), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if status, says := put(t, client, signed, "another", nil); status != http.StatusPreconditionFailed {
		t.Errorf("got %d %q, want %d", status, says, http.StatusPreconditionFailed)
	}
	data, err := os.ReadFile(server.Path(key))
	if err != nil || string(data) != "content" {
		t.Errorf("the store holds %q (%v)", data, err)
	}
}

// What the store holds is compared with what was announced.
func TestCheckAndRead(t *testing.T) {
	server := objectstore.Start(t)
	c, client := server.Client(t), server.HTTP(t)
	item := itemOf("ns/run/raw.tar.gz", "content")
	signed, err := c.Sign(t.Context(), item, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if status, says := put(t, client, signed, "content", nil); status != http.StatusOK {
		t.Fatalf("got %d %q", status, says)
	}
	for name, tt := range map[string]struct {
		item store.Item
		want store.State
	}{
		"the content":                     {item, store.Present},
		"another digest":                  {itemOf(item.Key, "c0ntent"), store.Different},
		"another length":                  {itemOf(item.Key, "content!"), store.Different},
		"a key that nothing was put at":   {itemOf("ns/run/other", "content"), store.Absent},
		"a folder is no object of itself": {itemOf("ns/run", "content"), store.Absent},
	} {
		t.Run(name, func(t *testing.T) {
			if state, err := c.Check(t.Context(), tt.item); state != tt.want || (err == nil) != (state == store.Present) {
				t.Errorf("Check: %s (%v), want %s", state, err, tt.want)
			}
			data, state, err := c.Read(t.Context(), tt.item)
			if state != tt.want || (err == nil) != (state == store.Present) {
				t.Errorf("Read: %s (%v), want %s", state, err, tt.want)
			}
			if tt.want == store.Present && string(data) != "content" {
				t.Errorf("read %q", data)
			}
		})
	}
	t.Run("bytes that were changed on the disk are not read", func(t *testing.T) {
		if err := os.WriteFile(server.Path(item.Key), []byte("c0ntent"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, state, err := c.Read(t.Context(), item); state != store.Different {
			t.Errorf("got %s (%v)", state, err)
		}
	})
}

// A part of a data set, whose content is not known when it is signed, is stored once, and read by whoever has the request for that key.
func TestSignedParts(t *testing.T) {
	server := objectstore.Start(t)
	c, client := server.Client(t), server.HTTP(t)
	const key, content = "ns/_data/set/key/run-db/part-000", "a part of any length"
	write := func(life time.Duration) store.Signed {
		t.Helper()
		signed, err := c.SignWrite(t.Context(), key, life)
		if err != nil {
			t.Fatal(err)
		}
		return signed
	}
	if status, says := put(t, client, write(time.Minute), content, path("/results/elsewhere")); status != http.StatusForbidden {
		t.Errorf("another key: %d %q", status, says)
	}
	if status, says := put(t, client, write(time.Minute), content, without("If-None-Match")); status != http.StatusForbidden {
		t.Errorf("a request that would overwrite: %d %q", status, says)
	}
	for i, want := range []int{http.StatusOK, http.StatusPreconditionFailed} {
		if status, says := put(t, client, write(30*24*time.Hour), content, nil); status != want {
			t.Errorf("write %d: got %d %q, want %d", i, status, says, want)
		}
	}
	signed, err := c.SignRead(t.Context(), key, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]int{signed.URL: http.StatusOK, strings.Replace(signed.URL, "part-000", "part-001", 1): http.StatusForbidden} {
		res, err := client.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil || res.StatusCode != want || want == http.StatusOK && string(data) != content {
			t.Errorf("got %s %q (%v), want %d", res.Status, data, err, want)
		}
	}
}

// An object whose content is not known is read within a bound.
func TestFetch(t *testing.T) {
	server := objectstore.Start(t)
	c := server.Client(t)
	item := itemOf("ns/_data/set/key/manifest.json", "{}")
	if state, err := c.Write(t.Context(), item, "application/json", []byte("{}")); state != store.Present {
		t.Fatal(state, err)
	}
	for name, tt := range map[string]struct {
		key  string
		most int64
		want store.State
	}{
		"the content":         {item.Key, 2, store.Present},
		"more than is wanted": {item.Key, 1, store.Different},
		"nothing":             {"ns/_data/set/other/manifest.json", 2, store.Absent},
	} {
		t.Run(name, func(t *testing.T) {
			data, state, err := c.Fetch(t.Context(), tt.key, tt.most)
			if state != tt.want || (err == nil) != (state == store.Present) || (state == store.Present) != (string(data) == "{}") {
				t.Errorf("got %q, %s (%v), want %s", data, state, err, tt.want)
			}
		})
	}
	server.Stop()
	if _, state, err := c.Fetch(t.Context(), item.Key, 2); state != store.Unreachable || err == nil {
		t.Errorf("a store that is away: %s (%v)", state, err)
	}
}

// A store that is away is asked again after a pause, and not before.
func TestUnreachable(t *testing.T) {
	server := objectstore.Start(t)
	c := server.Client(t)
	now := time.Now()
	c.SetClock(func() time.Time { return now })
	server.Stop()
	item := itemOf("ns/run/raw.tar.gz", "content")
	if state, err := c.Check(t.Context(), item); state != store.Unreachable || err == nil {
		t.Fatalf("got %s (%v)", state, err)
	}
	server.Resume(t)
	if state, err := c.Check(t.Context(), item); state != store.Unreachable || err == nil {
		t.Errorf("a moment later: %s (%v), want no question", state, err)
	}
	now = now.Add(10100 * time.Millisecond)
	if state, err := c.Check(t.Context(), item); state != store.Absent {
		t.Errorf("after the pause: %s (%v)", state, err)
	}
}

// A store that answers nothing is given up.
func TestAStoreThatHangs(t *testing.T) {
	server := objectstore.Start(t)
	silent := deaf(t)
	server.Store.Endpoint = "http://" + silent
	if state, err := server.Client(t).Check(t.Context(), itemOf("k", "content")); state != store.Unreachable || err == nil {
		t.Errorf("got %s (%v)", state, err)
	}
}

// Wrong credentials are no reason to believe that an object is absent.
func TestWrongCredentials(t *testing.T) {
	server := objectstore.Start(t)
	c := server.Client(t)
	if err := os.WriteFile(server.Store.Credentials+"/"+s3.FileSecretKey, []byte("another"), 0o600); err != nil {
		t.Fatal(err)
	}
	if state, err := c.Check(t.Context(), itemOf("k", "content")); state != store.Unreachable || err == nil || !strings.Contains(err.Error(), "403") {
		t.Errorf("got %s (%v), with credentials that were exchanged", state, err)
	}
}

func TestNewRefusesWhatCannotWork(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"no credentials":       {},
		"no secret":            {s3.FileAccessKey: "a"},
		"an empty secret":      {s3.FileAccessKey: "a", s3.FileSecretKey: "\n"},
		"a CA that is not one": {s3.FileAccessKey: "a", s3.FileSecretKey: "b", s3.FileCA: "x"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range files {
				if err := os.WriteFile(dir+"/"+file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := s3.New(config.Store{Endpoint: "https://s3.example.com", Bucket: "b", Credentials: dir}); err == nil {
				t.Error("it is no error")
			}
		})
	}
}

// deaf is an address that takes connections and never answers.
func deaf(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l.Addr().String()
}

// What the manager writes is there with its type, once: writing it again finds it, and another content under its key is
// refused.
func TestWrite(t *testing.T) {
	server := objectstore.Start(t)
	c, client := server.Client(t), server.HTTP(t)
	item := itemOf("ns/run/report/page.html", "<!doctype html>")
	for range 2 {
		if state, err := c.Write(t.Context(), item, "text/html; charset=utf-8", []byte("<!doctype html>")); state != store.Present || err != nil {
			t.Fatalf("%s, %v", state, err)
		}
	}
	if data, state, err := c.Read(t.Context(), item); string(data) != "<!doctype html>" {
		t.Errorf("got %q: %s, %v", data, state, err)
	}
	other := itemOf(item.Key, "another page")
	if state, err := c.Write(t.Context(), other, "text/html", []byte("another page")); state != store.Different || err == nil {
		t.Errorf("another content: %s, %v", state, err)
	}
	wrong := itemOf("ns/run/report/wrong.html", "what it should be")
	if state, err := c.Write(t.Context(), wrong, "text/html", []byte("what it isn't..!!")); state == store.Present || err == nil {
		t.Errorf("another content than its digest: %s, %v", state, err)
	}
	if state, _ := c.Check(t.Context(), wrong); state != store.Absent {
		t.Errorf("another content than its digest is stored: %s", state)
	}
	// The URL has no signature: without one the store refuses.
	res, err := client.Get(c.URL(item.Key))
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusForbidden {
		t.Errorf("without a signature the store answers %s", res.Status)
	}
	signed := *server
	signed.Store.Bucket = "nowhere"
	if state, err := signed.Client(t).Write(t.Context(), item, "text/html", []byte("<!doctype html>")); state == store.Present || err == nil {
		t.Errorf("in a bucket that is not there: %s, %v", state, err)
	}
}
