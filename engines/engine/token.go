package engine

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

// ControlToken is what a client shows to the agent of a database pod. It follows
// from the password of the benchmark's account, which both have as a file, without
// telling it.
func ControlToken(password string) string {
	mac := hmac.New(sha256.New, []byte(password))
	mac.Write([]byte("assay.dev/control/v1"))
	return hex.EncodeToString(mac.Sum(nil))
}
