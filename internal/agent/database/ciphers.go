package database

import "crypto/tls"

// withoutCurves are for servers built with OpenSSL 1.0, such as MySQL 8.0.15, which have no
// elliptic curves. Go does not offer these suites by default, because they have no forward
// secrecy: with the server's key, recorded sessions can be read later. The agent sends only
// its password and queries about the server. The tools choose their own suites.
var withoutCurves = []uint16{tls.TLS_RSA_WITH_AES_128_GCM_SHA256, tls.TLS_RSA_WITH_AES_256_GCM_SHA384}

// cipherSuites of TLS 1.2 are Go's secure ones, followed by withoutCurves.
func cipherSuites() []uint16 {
	var ids []uint16
	for _, suite := range tls.CipherSuites() {
		ids = append(ids, suite.ID)
	}
	return append(ids, withoutCurves...)
}
