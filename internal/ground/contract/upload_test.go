package contract

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUploads(t *testing.T) {
	digest := strings.Repeat("0f", 32)
	good := []Object{{Name: KeyResult, SHA256: digest, Bytes: 1000}, {Name: KeyRaw, SHA256: digest, Bytes: 1 << 20}}
	got, err := ParseUploads(EncodeUploads(good), 1<<20)
	if diff := cmp.Diff(good, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if got, err := ParseUploads("", 1); got != nil || err != nil {
		t.Errorf("nothing to upload: %v, %v", got, err)
	}
	for name, text := range map[string]string{
		"no JSON":           "x",
		"another name":      EncodeUploads([]Object{{Name: "../../etc/passwd", SHA256: digest, Bytes: 1}}),
		"a name twice":      EncodeUploads([]Object{good[0], good[0]}),
		"three objects":     EncodeUploads([]Object{good[0], good[1], good[1]}),
		"no digest":         EncodeUploads([]Object{{Name: KeyRaw, SHA256: "abc", Bytes: 1}}),
		"a path as digest":  EncodeUploads([]Object{{Name: KeyRaw, SHA256: strings.Repeat("./", 32), Bytes: 1}}),
		"no bytes":          EncodeUploads([]Object{{Name: KeyRaw, SHA256: digest}}),
		"too many bytes":    EncodeUploads([]Object{{Name: KeyRaw, SHA256: digest, Bytes: 1<<20 + 1}}),
		"an endless result": EncodeUploads([]Object{{Name: KeyResult, SHA256: digest, Bytes: MaxJSONBytes + 1}}),
	} {
		t.Run(name, func(t *testing.T) {
			most := int64(1 << 20)
			if name == "an endless result" {
				most = 1 << 40
			}
			if got, err := ParseUploads(text, most); err == nil {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestOffers(t *testing.T) {
	want := []Object{{Name: KeyRaw, SHA256: strings.Repeat("0f", 32), Bytes: 3}}
	good := `{"version":"assay.dev/upload-offer/v1","objects":[{"name":"raw.tar.gz","sha256":"` + want[0].SHA256 + `","bytes":3,"url":"https://s3/x","headers":{"a":"b"}}]}`
	if o, err := ParseOffer([]byte(good), want); err != nil || o.Objects[0].URL != "https://s3/x" {
		t.Errorf("got %+v: %v", o, err)
	}
	for name, text := range map[string]string{
		"no JSON":         "",
		"another version": strings.Replace(good, "/v1", "/v2", 1),
		"another digest":  strings.Replace(good, "0f0f", "0f0e", 1),
		"another length":  strings.Replace(good, `"bytes":3`, `"bytes":4`, 1),
		"no URL":          strings.Replace(good, "https://s3/x", "", 1),
		"no objects":      `{"version":"assay.dev/upload-offer/v1"}`,
	} {
		t.Run(name, func(t *testing.T) {
			if o, err := ParseOffer([]byte(text), want); err == nil {
				t.Errorf("got %+v", o)
			}
		})
	}
}
