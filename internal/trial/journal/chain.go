package journal

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// links of a part to what is before it. All digests are the hex SHA-256 of stored bytes.
type links struct {
	// minReader of the part as it was read; 0 for one that was not.
	minReader int
	// previous is the digest of the part before.
	previous string
	// root is the digest of what is before the first record; empty where it is not known.
	root string
	// stored is the digest of the part as it was read; empty after a change.
	stored string
	// first is the link of the first record, and head the digest of the last one.
	first, head string
	// broken is the first disagreement of two records of the part.
	broken error
}

// follow the next record, which is stored as data.
func (l *links) follow(rec contract.Record, data []byte) {
	switch {
	case l.head == "":
		l.first = rec.Previous
	case rec.Previous != l.head && l.broken == nil:
		l.broken = brokenLink(rec, l.head)
	}
	l.head = contract.Digest(data)
}

func brokenLink(rec contract.Record, before string) error {
	return fmt.Errorf("the record of trial %d, attempt %d, names %.12s as the SHA-256 of what is before it, which has %.12s",
		rec.Index, rec.Attempt, cmp.Or(rec.Previous, "nothing"), before)
}

// chained is the header of a part of the plan or of the summary that follows the encoded ones.
// A run that this program plans is not for an older one: that would carry it out without the
// fields of the spec that it does not know.
func chained(before [][]byte) header {
	h := header{Version: contract.JournalVersion, MinReader: contract.JournalReader}
	if n := len(before); n > 0 {
		h.Previous = contract.Digest(before[n-1])
	}
	return h
}

// BeginChain is the empty first part of the records of a plan, whose last part has the digest.
func BeginChain(plan string) Records {
	return Records{links: links{root: plan}}
}

// Head is the digest of the last record. In a part without records it is that of what comes
// before; empty where that is not known.
func (r Records) Head() string {
	if len(r.Records) == 0 {
		return r.root
	}
	return r.head
}

// Stored is the digest of the part as it was read; empty for one that was not read.
func (r Records) Stored() string { return r.stored }

// PreviousPart is the digest that the part has of the one before; empty in the first part.
func (r Records) PreviousPart() string { return r.previous }

// Count is the number of records up to the end of the part. Each trial that was begun has one
// first attempt, and the last trial may have more to come.
func (r Records) Count() int32 {
	t := r.Totals()
	n := t.Done + t.Retries
	if last := r.Last(); last != nil && !last.Final {
		n++
	}
	return n
}

func (r Records) linksOfNext() links {
	next := links{minReader: r.minReader, root: r.Head(), previous: r.stored}
	if r.stored == "" {
		// An error is that of a record, which the next part keeps.
		if data, err := r.Encode(); err == nil {
			next.previous = contract.Digest(data)
		}
	}
	return next
}

// CheckLinks compares each record with the digest that the next one has of it. Root is the
// digest of what is before the first one; empty for unknown. It returns the head.
func (r Records) CheckLinks(root string) (head string, err error) {
	switch {
	case len(r.Records) == 0:
		return root, nil
	case root != "" && r.first != root:
		return "", brokenLink(r.Records[0], root)
	}
	return r.head, r.broken
}

// Link reads the digest of the part before from a part of any kind; empty in the first part. It fails for what is no part, and
// does not mind a newer reader.
func Link(gz []byte) (previous string, err error) {
	var h header
	plain, err := gunzip(gz)
	if err == nil {
		err = json.Unmarshal(plain, &h)
	}
	if err != nil {
		return "", fmt.Errorf("decoding a part of the journal: %w", err)
	}
	return h.Previous, nil
}
