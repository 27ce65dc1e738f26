package contract

import (
	"encoding/json"
	"slices"
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
		Loaded: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC), Key: strings.Repeat("0f", 32),
	}
	with := func(loaded string) string {
		return `{"version": "assay.dev/volume-data/v1", "run": "first", "runUID": "uid", "target": "db", "flavor": "MySQL", "storageEngine": "InnoDB", "image": "i", "imageID": "i", ` + loaded + `}`
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
		"a long run":           {change: func(d *VolumeData) { d.Run = strings.Repeat("r", 254) }, fails: "run: it has 254 characters, and at most 253 are read"},
		"a long UID":           {change: func(d *VolumeData) { d.RunUID = strings.Repeat("u", 65) }, fails: "runUID: it has 65 characters, and at most 64 are read"},
		"a long target":        {change: func(d *VolumeData) { d.Target = strings.Repeat("t", 254) }, fails: "target: it has 254 characters"},
		"a long flavor":        {change: func(d *VolumeData) { d.Flavor = strings.Repeat("f", 254) }, fails: "flavor: it has 254 characters"},
		"a long engine":        {change: func(d *VolumeData) { d.StorageEngine = strings.Repeat("e", 254) }, fails: "storageEngine: it has 254 characters"},
		"a long image":         {change: func(d *VolumeData) { d.Image = strings.Repeat("i", 1025) }, fails: "image: it has 1025 characters, and at most 1024 are read"},
		"a long digest":        {change: func(d *VolumeData) { d.ImageID = strings.Repeat("i", 1025) }, fails: "imageID: it has 1025 characters"},
		"a long version":       {change: func(d *VolumeData) { d.ServerVersion = strings.Repeat("8", 254) }, fails: "serverVersion: it has 254 characters"},
		"a long key":           {change: func(d *VolumeData) { d.Key = strings.Repeat("k", 65) }, fails: "key: it has 65 characters"},
		"as long as may be": {change: func(d *VolumeData) {
			d.Run, d.RunUID, d.ServerVersion, d.ImageID = strings.Repeat("r", 253), strings.Repeat("u", 64), strings.Repeat("ö", 253), strings.Repeat("i", 1024)
		}},
		"a run of two lines":      {change: func(d *VolumeData) { d.Run = "first\n(UID 1)" }, fails: `run: got "first\n(UID 1)", want the name of a run`},
		"a UID of words":          {change: func(d *VolumeData) { d.RunUID = "of nobody" }, fails: `runUID: got "of nobody", want a UID`},
		"a target of words":       {change: func(d *VolumeData) { d.Target = "the one" }, fails: `target: got "the one", want the name of a target`},
		"a key of words":          {change: func(d *VolumeData) { d.Key = "trusted" }, fails: `key: got "trusted", want a SHA-256 in hexadecimal`},
		"an image of two lines":   {change: func(d *VolumeData) { d.Image = "mysql\n8.4" }, fails: "image: it is not one line of plain text"},
		"words that turn":         {change: func(d *VolumeData) { d.ServerVersion = "8.4\u202e3" }, fails: "serverVersion: it is not one line of plain text"},
		"a year after the last":   {text: with(`"loaded": "9999-12-31T23:59:59-12:00"`), fails: "loaded: the time must lie between 1970 and 9999 in UTC"},
		"a year before the first": {text: with(`"loaded": "0000-01-01T00:00:00+01:00"`), fails: "loaded: the time must lie between 1970 and 9999 in UTC"},
		"less than a second":      {text: with(`"loaded": "0001-01-01T00:00:00.5Z"`), fails: "loaded: the time must lie between 1970 and 9999 in UTC"},
		"a time without end":      {text: with(`"loaded": "` + strings.Repeat("9", 100000) + `"`), fails: "parsing time"},
		"a version without end":   {text: `{"version": "` + strings.Repeat("9", 100000) + `"}`, fails: `version: got "999`},
		"many settings":           {change: func(d *VolumeData) { d.Settings = make([]Setting, 1025) }, fails: "settings: there are 1025, and at most 1024 are read"},
		"a long setting":          {change: func(d *VolumeData) { d.Settings[0].Name = strings.Repeat("s", 254) }, fails: "settings[0]: a name has at most 253 characters, and a value 4096"},
		"a long value":            {change: func(d *VolumeData) { d.Settings[0].Value = strings.Repeat("v", 4097) }, fails: "settings[0]: a name has at most 253 characters, and a value 4096"},
		"no JSON":                 {text: "first", fails: "invalid character"},
		"cut":                     {text: `{"version": "assay.dev/volume-data/v1"`, fails: "unexpected end of JSON input"},
		"too long":                {text: strings.Repeat(" ", MaxVolumeData+1), fails: "it has 196609 bytes, and at most 196608 are read"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			want, text := whole, tt.text
			want.Settings = slices.Clone(whole.Settings)
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
				if err == nil || !strings.Contains(err.Error(), tt.fails) || !cmp.Equal(got, VolumeData{}) || len(err.Error()) > 300 {
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
