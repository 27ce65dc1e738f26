package contract

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"time"
)

// DataSetVersion names the format of DataSet, of the archive that it describes, and of what its key is made from.
const DataSetVersion = "assay.dev/data-set/v1"

const (
	// MaxDataParts of an archive.
	MaxDataParts = 128
	// MaxDataPart is the largest part, in bytes: a store of the S3 interface takes no more in one request.
	MaxDataPart = 5 << 30
	// MaxDataSet is the maximum size of the manifest of an archive, in bytes.
	MaxDataSet = 512 << 10
)

// DataSetRef names the archive of a data directory that a load is restored from, or makes.
type DataSetRef struct {
	// Name of the data set in the namespace, as the user gave it.
	Name string `json:"name"`
	// Key is the SHA-256 of all that the bytes of the data directory depend on.
	Key string `json:"key"`
}

// DataSet is the manifest of an archive in the object store. It is written when all parts are there, so that an archive
// without one is none.
type DataSet struct {
	// Version is always DataSetVersion.
	Version string `json:"version"`
	DataSetRef
	// RunUID, Run and Target are what made it.
	RunUID string `json:"runUID"`
	Run    string `json:"run"`
	Target string `json:"target"`
	// Made is when its data was loaded, on the clock of the client.
	Made time.Time `json:"made"`
	// ServerVersion is the result of SELECT VERSION() of the server that wrote it.
	ServerVersion string `json:"serverVersion"`
	// Tables as they were counted after loading.
	Tables []Table `json:"tables"`
	// Files and Bytes of the data directory, before compression.
	Files int64 `json:"files"`
	Bytes int64 `json:"bytes"`
	// Parts of the archive, a tar that is compressed by Zstandard, in their order.
	Parts []DataPart `json:"parts"`
}

// DataPart is a part of an archive.
type DataPart struct {
	// SHA256 in hexadecimal, and Bytes of its content.
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
}

var (
	dataOwner = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{0,62}$`)
	digest    = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// ParseDataSet reads the manifest of an archive, and refuses that of another one.
func ParseDataSet(data []byte, want DataSetRef) (DataSet, error) {
	var d DataSet
	if err := json.Unmarshal(data, &d); err != nil {
		return DataSet{}, err
	}
	switch {
	case d.Version != DataSetVersion:
		return DataSet{}, fmt.Errorf("version: got %q, want %q", d.Version, DataSetVersion)
	case d.DataSetRef != want:
		return DataSet{}, fmt.Errorf("it is that of %s, key %.12s, and not of %s, key %.12s", d.Name, d.Key, want.Name, want.Key)
	case !dataOwner.MatchString(d.RunUID) || !dataOwner.MatchString(d.Target): // they are part of the keys of its parts
		return DataSet{}, fmt.Errorf("runUID, target: %q and %q are not those of a run", d.RunUID, d.Target)
	case len(d.Parts) == 0 || len(d.Parts) > MaxDataParts:
		return DataSet{}, fmt.Errorf("parts: it has %d, and an archive has 1 to %d", len(d.Parts), MaxDataParts)
	case len(d.Tables) == 0 || d.Files <= 0 || d.Bytes <= 0:
		return DataSet{}, errors.New("tables, files, bytes: missing")
	}
	for i, part := range d.Parts {
		if !digest.MatchString(part.SHA256) || part.Bytes <= 0 {
			return DataSet{}, fmt.Errorf("parts[%d]: it has no digest, or no size", i)
		}
	}
	return d, nil
}

// DataOfferName is the name of the Secret with the DataOffer of a load.
func DataOfferName(trial string) string { return trial + "-data" }

// KeyDataOffer holds a DataOffer, in the Secret of a load.
const KeyDataOffer = "data-offer.json"

// DataOfferVersion names the format of DataOffer. A reader refuses any other.
const DataOfferVersion = "assay.dev/data-offer/v1"

// DataOffer says whether a load is restored from an archive or makes one, and lets it reach the parts in the object store.
type DataOffer struct {
	// Version is always DataOfferVersion.
	Version string `json:"version"`
	// DataSet that the load is of. Its key is made once, when the images of the server and of the tool are known.
	DataSet DataSetRef `json:"dataSet"`
	// MayFail: a load that was not restored goes on where no archive can be made of it.
	MayFail bool `json:"mayFail,omitempty"`
	// Restore is the archive that the load is restored from; absent where it is to make one.
	Restore *DataSet `json:"restore,omitempty"`
	// SHA256 of the manifest of Restore, in hexadecimal.
	SHA256 string `json:"sha256,omitempty"`
	// Archive is where the parts are read, or written.
	Archive Archive `json:"archive"`
}

// Archive is where the parts of an archive are read or written.
type Archive struct {
	// CA is the PEM bundle that the store's certificate is verified with; empty for the roots of the system.
	CA string `json:"ca,omitempty"`
	// Parts in their order.
	Parts []SignedPart `json:"parts"`
	// PartBytes is the size of each part that is written but the last one, in bytes; 0 where parts are read.
	PartBytes int64 `json:"partBytes,omitempty"`
	// Bytes of all files that are unpacked, where parts are read.
	Bytes int64 `json:"bytes,omitempty"`
}

// SignedPart is a signed request for one part: a GET of its content, or a PUT whose content is not known yet.
type SignedPart struct {
	// URL with its signature.
	URL string `json:"url"`
	// Headers that are part of the signature, without the host and the length.
	Headers map[string]string `json:"headers,omitempty"`
	// Stored is a signed GET of a part that is written. The store refuses to take one twice: where the answer to the first PUT was lost,
	// this shows whether it has what was sent. It has no headers.
	Stored string `json:"stored,omitempty"`
	// SHA256 and Bytes of a part that is read.
	SHA256 string `json:"sha256,omitempty"`
	Bytes  int64  `json:"bytes,omitempty"`
}

// ParseDataOffer reads a DataOffer, and refuses one for a data set of another name.
func ParseDataOffer(data []byte, name string) (DataOffer, error) {
	var o DataOffer
	if err := json.Unmarshal(data, &o); err != nil {
		return DataOffer{}, fmt.Errorf("the offer of the data set: %w", err)
	}
	switch {
	case o.Version != DataOfferVersion:
		return DataOffer{}, fmt.Errorf("the offer of the data set: version: got %q, want %q: use an agent and a manager of the same release", o.Version, DataOfferVersion)
	case o.DataSet.Name != name || o.DataSet.Key == "":
		return DataOffer{}, fmt.Errorf("the offer is for the data set %q, key %.12q, and not for %s", o.DataSet.Name, o.DataSet.Key, name)
	case o.Restore != nil && o.Restore.DataSetRef != o.DataSet:
		return DataOffer{}, fmt.Errorf("the offer is for the data set %s, key %.12s, and has the archive of %s, key %.12s",
			o.DataSet.Name, o.DataSet.Key, o.Restore.Name, o.Restore.Key)
	case len(o.Archive.Parts) == 0 || o.Restore != nil && len(o.Archive.Parts) != len(o.Restore.Parts):
		return DataOffer{}, fmt.Errorf("the offer of the data set has %d parts", len(o.Archive.Parts))
	}
	return o, nil
}

// DataSetReport says how a load came by its data, where that has a name.
type DataSetReport struct {
	DataSetRef
	// Restored is the manifest that the data was restored from, as its SHA-256; empty where the tool loaded the data.
	Restored string `json:"restored,omitempty"`
	// Made is when the data was loaded, by the tool of this load or of the one that made the archive.
	Made time.Time `json:"made"`
	// Copy is the transfer: what was unpacked, or packed, with the parts that were written; nil where no archive could be made.
	Copy *Copy `json:"copy,omitempty"`
	// NotKept says why no archive could be made of what the tool loaded; empty where there is one.
	NotKept string `json:"notKept,omitempty"`
}
