package contract

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What a VolumeSnapshot says of its data is read as it was written, or not at all.
func TestVolumeData(t *testing.T) {
	whole := VolumeData{
		Version: VolumeDataVersion, Run: "first", RunUID: "uid", Target: "db", Flavor: "MySQL", StorageEngine: "InnoDB", Image: "mysql:8.4",
		ImageID: "mysql@sha256:feed", ServerVersion: "8.4.3", Settings: []Setting{{Name: "innodb_page_size", Value: "4096"}},
		Loaded: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC), Key: "key",
	}
	tests := map[string]struct {
		change func(*VolumeData)
		text   string
		fails  string
	}{
		"whole":                {},
		"no more than it must": {change: func(d *VolumeData) { d.ServerVersion, d.Settings, d.Key = "", nil, "" }},
		"another version":      {change: func(d *VolumeData) { d.Version = "assay.dev/volume-data/v2" }, fails: `version: got "assay.dev/volume-data/v2", want "assay.dev/volume-data/v1"`},
		"of no run":            {change: func(d *VolumeData) { d.RunUID = "" }, fails: "run, runUID, target: one is missing"},
		"of no server":         {change: func(d *VolumeData) { d.ImageID = "" }, fails: "flavor, storageEngine, image, imageID: one is missing"},
		"of no time":           {change: func(d *VolumeData) { d.Loaded = time.Time{} }, fails: "loaded: missing"},
		"no JSON":              {text: "first", fails: "invalid character"},
		"cut":                  {text: `{"version": "assay.dev/volume-data/v1"`, fails: "unexpected end of JSON input"},
		"too long":             {text: strings.Repeat(" ", MaxVolumeData+1), fails: "it has 196609 bytes, and at most 196608 are read"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			want, text := whole, tt.text
			if tt.change != nil {
				tt.change(&want)
			}
			if text == "" {
				data, err := json.Marshal(want)
				if err != nil {
					t.Fatal(err)
				}
				text = string(data)
			}
			got, err := ParseVolumeData(text)
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) || !cmp.Equal(got, VolumeData{}) {
					t.Errorf("got %+v, %v; want an error with %q", got, err, tt.fails)
				}
				return
			}
			if err != nil || !cmp.Equal(got, want) {
				t.Errorf("error %v (-want +got):\n%s", err, cmp.Diff(want, got))
			}
		})
	}
}
