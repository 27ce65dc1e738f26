package decision

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/store"
)

// GetItem asks the object store for an item, and decodes it if it is a result that is to be
// read. A store that does not answer is an answer.
type GetItem struct {
	Item store.Item
	// Read the item, which is a result.
	Read bool
}

func (GetItem) isQuery() {}

// StoredItem is what the object store says of an item.
type StoredItem struct {
	// State of the item.
	State store.State
	// Problem says why the state is not Present, or why the result cannot be used.
	Problem string
	// Result is set when it was to be read and can be used.
	Result *contract.Result
}

// AskStore says what the object store has.
func AskStore(a *Asking, item store.Item, read bool) Fact[StoredItem] {
	return lookUp[StoredItem](a, GetItem{item, read})
}

// OfferUploads makes the Secret with signed URLs for what one client has for the object store.
// The URLs are signed while it is written.
type OfferUploads struct {
	// Secret without its data; its controller is the Job of the client.
	Secret *corev1.Secret
	// Items in the order of the client.
	Items []store.Item
	// Life of the URLs.
	Life time.Duration
}

func (OfferUploads) isAction() {}
