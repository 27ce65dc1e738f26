package contract

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"time"
)

// Store is what a client is told of an object store for what outgrows its ConfigMap.
type Store struct {
	// OverBytes is the size of the encoded result over which it goes to the store.
	OverBytes int64 `json:"overBytes"`
	// MaxObjectBytes bounds one object.
	MaxObjectBytes int64 `json:"maxObjectBytes"`
	// UploadSeconds is how long the client tries to bring its objects there.
	UploadSeconds int64 `json:"uploadSeconds"`
}

// Object is a document in the object store, by its content.
type Object struct {
	// Name is KeyRaw or KeyResult.
	Name string `json:"name"`
	// SHA256 of the content, in hexadecimal.
	SHA256 string `json:"sha256"`
	// Bytes of the content, at least 1.
	Bytes int64 `json:"bytes"`
}

// AnnotationUploads, on a result ConfigMap, has the objects that the client has for the store, as JSON.
const AnnotationUploads = "assay.dev/uploads"

// maxUploads is the raw archive and the result.
const maxUploads = 2

var hexDigest = regexp.MustCompile(`^[0-9a-f]{64}$`)

// EncodeUploads is the value of AnnotationUploads.
func EncodeUploads(objects []Object) string {
	out, err := json.Marshal(objects)
	if err != nil {
		panic(fmt.Sprintf("encode uploads: %v", err)) // strings and numbers always marshal
	}
	return string(out)
}

// ParseUploads reads AnnotationUploads; empty for none. It refuses other names than those of a
// result, a name that is there twice, what is no digest, and more bytes than the limit.
func ParseUploads(text string, most int64) ([]Object, error) {
	if text == "" {
		return nil, nil
	}
	var objects []Object
	if err := json.Unmarshal([]byte(text), &objects); err != nil {
		return nil, fmt.Errorf("annotation %s: %w", AnnotationUploads, err)
	}
	if len(objects) > maxUploads {
		return nil, fmt.Errorf("annotation %s: %d objects, at most %d are expected", AnnotationUploads, len(objects), maxUploads)
	}
	seen := map[string]bool{}
	for _, o := range objects {
		limit := most
		if o.Name == KeyResult {
			limit = min(limit, MaxJSONBytes)
		}
		switch {
		case o.Name != KeyRaw && o.Name != KeyResult || seen[o.Name]:
			return nil, fmt.Errorf("annotation %s: one %s and one %s are expected", AnnotationUploads, KeyRaw, KeyResult)
		case !hexDigest.MatchString(o.SHA256):
			return nil, fmt.Errorf("annotation %s: %s has no SHA-256", AnnotationUploads, o.Name)
		case o.Bytes <= 0 || o.Bytes > limit:
			return nil, fmt.Errorf("annotation %s: %s has %d bytes, at most %d are allowed", AnnotationUploads, o.Name, o.Bytes, limit)
		}
		seen[o.Name] = true
	}
	return objects, nil
}

// UploadName is the name of the Secret with the signed URLs of one client of a Job.
func UploadName(job string, client int) string { return fmt.Sprintf("%s-upload-%d", job, client) }

// KeyOffer is the key of the Offer in its Secret.
const KeyOffer = "offer.json"

// OfferVersion names the format of Offer. A reader refuses any other.
const OfferVersion = "assay.dev/upload-offer/v1"

// Offer lets a client bring its objects to the store: exactly these, once.
type Offer struct {
	// Version is always OfferVersion.
	Version string `json:"version"`
	// Objects in the order of the client's AnnotationUploads.
	Objects []OfferedObject `json:"objects"`
	// CA is the PEM bundle that the store's certificate is verified with; empty for the roots of the system.
	CA string `json:"ca,omitempty"`
}

// OfferedObject is a signed request.
type OfferedObject struct {
	Object
	// URL for a PUT, with its signature.
	URL string `json:"url"`
	// Headers that are part of the signature, without the host and the length.
	Headers map[string]string `json:"headers"`
	// Expires is when the store no longer accepts the URL.
	Expires time.Time `json:"expires"`
}

// ParseOffer reads an Offer, and refuses one of other objects than those asked for.
func ParseOffer(data []byte, want []Object) (Offer, error) {
	var o Offer
	if err := json.Unmarshal(data, &o); err != nil {
		return Offer{}, fmt.Errorf("the offer of the store: %w", err)
	}
	if o.Version != OfferVersion {
		return Offer{}, fmt.Errorf("the offer of the store: version: got %q, want %q: use an agent and a manager of the same release", o.Version, OfferVersion)
	}
	if len(o.Objects) != len(want) {
		return Offer{}, fmt.Errorf("the offer of the store has %d objects, not %d", len(o.Objects), len(want))
	}
	for i, object := range o.Objects {
		if object.Object != want[i] || object.URL == "" {
			return Offer{}, errors.New("the offer of the store is for other objects than this client has")
		}
	}
	return o, nil
}
