package contract

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"time"
	"unicode/utf8"
)

// VolumeDataVersion names the format of VolumeData. A reader refuses any other.
const VolumeDataVersion = "assay.dev/volume-data/v1"

// MaxVolumeData is the maximum size of VolumeData, in bytes: Kubernetes keeps 256 KiB of annotations.
const MaxVolumeData = 192 << 10

// What is read of VolumeData has these lengths, in characters: those of the fields of a status that it stands in. Whoever may write
// VolumeSnapshots can write any.
const (
	longestID, longestName, longestLine, longestValue = 64, 253, 1024, 4096
	// mostVolumeSettings are as many as a status has of one server.
	mostVolumeSettings = 1024
	// longestSaid of what cannot be read is shown, in bytes.
	longestSaid = 200
)

// The names of a run and of a target, a UID and the key of a data set have these forms. They stand in reports.
var (
	runForm    = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
	targetForm = regexp.MustCompile(`^[a-z]([-a-z0-9]*[a-z0-9])?$`)
	uidForm    = regexp.MustCompile(`^[A-Za-z0-9-]+$`)
	keyForm    = regexp.MustCompile(`^([0-9a-f]{64})?$`)
)

// IsKeepable says whether the API server takes a time, and gives it back: JSON has no year after 9999, and no time is the first one of all.
func IsKeepable(at time.Time) bool { return at.Unix() > 0 && at.UTC().Year() <= 9999 }

// VolumeData says what the data of a VolumeSnapshot is, and which server wrote it. It stands in an annotation of the VolumeSnapshot.
type VolumeData struct {
	// Version is always VolumeDataVersion.
	Version string `json:"version"`
	// Run, RunUID and Target are what loaded the data, and made the snapshot of its volume.
	Run    string `json:"run"`
	RunUID string `json:"runUID"`
	Target string `json:"target"`
	// Flavor and StorageEngine of the server, such as MySQL and InnoDB.
	Flavor        string `json:"flavor"`
	StorageEngine string `json:"storageEngine"`
	// Image of the server as it was named, and ImageID with its digest, from the container runtime.
	Image   string `json:"image"`
	ImageID string `json:"imageID"`
	// ServerVersion is the result of SELECT VERSION(); empty where it is unknown.
	ServerVersion string `json:"serverVersion,omitempty"`
	// Settings on which the files depend, sorted by name.
	Settings []Setting `json:"settings,omitempty"`
	// Loaded is when the data was loaded; what the trials of the run wrote came after.
	Loaded time.Time `json:"loaded"`
	// Key of the data set; empty without one, and where trials may have written into the data.
	Key string `json:"key,omitempty"`
}

// ParseVolumeData reads what says what the data of a VolumeSnapshot is.
func ParseVolumeData(text string) (VolumeData, error) {
	var d VolumeData
	if len(text) > MaxVolumeData {
		return VolumeData{}, fmt.Errorf("it has %d bytes, and at most %d are read", len(text), MaxVolumeData)
	}
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		return VolumeData{}, errors.New(Cut(err.Error(), longestSaid)) // it quotes what it cannot read
	}
	switch {
	case d.Version != VolumeDataVersion:
		return VolumeData{}, fmt.Errorf("version: got %q, want %q", Cut(d.Version, longestSaid), VolumeDataVersion)
	case d.Run == "" || d.RunUID == "" || d.Target == "":
		return VolumeData{}, errors.New("run, runUID, target: one is missing")
	case d.Flavor == "" || d.StorageEngine == "" || d.Image == "" || d.ImageID == "":
		return VolumeData{}, errors.New("flavor, storageEngine, image, imageID: one is missing")
	case d.Loaded.IsZero():
		return VolumeData{}, errors.New("loaded: missing")
	case !IsKeepable(d.Loaded):
		return VolumeData{}, errors.New("loaded: the time must lie between 1970 and 9999 in UTC")
	}
	if err := d.fits(); err != nil {
		return VolumeData{}, err
	}
	return d, nil
}

// fits refuses what a status has no room for, and what has another form.
func (d VolumeData) fits() error {
	for _, f := range []struct {
		name, text string
		most       int
		form       *regexp.Regexp // nil for any line
		words      string
	}{
		{"run", d.Run, longestName, runForm, "the name of a run"}, {"runUID", d.RunUID, longestID, uidForm, "a UID"},
		{"target", d.Target, longestName, targetForm, "the name of a target"}, {"flavor", d.Flavor, longestName, nil, ""},
		{"storageEngine", d.StorageEngine, longestName, nil, ""}, {"image", d.Image, longestLine, nil, ""}, {"imageID", d.ImageID, longestLine, nil, ""},
		{"serverVersion", d.ServerVersion, longestName, nil, ""}, {"key", d.Key, longestID, keyForm, "a SHA-256 in hexadecimal"},
	} {
		switch n := utf8.RuneCountInString(f.text); {
		case n > f.most:
			return fmt.Errorf("%s: it has %d characters, and at most %d are read", f.name, n, f.most)
		case f.form != nil && !f.form.MatchString(f.text):
			return fmt.Errorf("%s: got %q, want %s", f.name, CutTo(f.text, longestSaid), f.words)
		case Line(f.text) != f.text:
			return fmt.Errorf("%s: it is not one line of plain text", f.name)
		}
	}
	if n := len(d.Settings); n > mostVolumeSettings {
		return fmt.Errorf("settings: there are %d, and at most %d are read", n, mostVolumeSettings)
	}
	for i, s := range d.Settings {
		if utf8.RuneCountInString(s.Name) > longestName || utf8.RuneCountInString(s.Value) > longestValue {
			return fmt.Errorf("settings[%d]: a name has at most %d characters, and a value %d", i, longestName, longestValue)
		}
	}
	return nil
}
