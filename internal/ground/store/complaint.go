package store

import (
	"encoding/xml"
	"io"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// maxComplaint bounds what is read of an error, in bytes.
const maxComplaint = 4 << 10

// Complaint is what a store says in the body of an error, such as "BadDigest: ...", in at most 300 bytes.
func Complaint(body io.Reader) string {
	text, err := io.ReadAll(io.LimitReader(body, maxComplaint))
	if err != nil {
		return ""
	}
	var said struct{ Code, Message string }
	if xml.Unmarshal(text, &said) == nil && said.Code != "" {
		text = []byte(said.Code + ": " + said.Message)
	}
	const most = 300
	if len(text) > most {
		return contract.CutTo(string(text), most) + "..."
	}
	return string(text)
}
