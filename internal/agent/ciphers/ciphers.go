// Package ciphers says how the agent's own connections to databases may be encrypted with
// TLS 1.2.
package ciphers

import "crypto/tls"

// withoutCurves are for servers that were built with OpenSSL 1.0, such as MySQL 8.0.15:
// they have no elliptic curves, and Go has no other key exchange that they know. Go no
// longer offers these by itself, because whoever gets hold of the server's key later can
// read what was recorded. The agent sends no more than its password and questions about
// the server, and the tools choose for themselves.
var withoutCurves = []uint16{tls.TLS_RSA_WITH_AES_128_GCM_SHA256, tls.TLS_RSA_WITH_AES_256_GCM_SHA384}

// Suites are those that Go takes for secure, and after them withoutCurves.
func Suites() []uint16 {
	var ids []uint16
	for _, suite := range tls.CipherSuites() {
		ids = append(ids, suite.ID)
	}
	return append(ids, withoutCurves...)
}
