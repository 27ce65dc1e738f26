package engine

import "github.com/assay-bench/assay/internal/ground/contract"

// TLSSettings of a server of the MySQL family: those of MySQL since 5.7.8 and of MariaDB since
// 10.5.2. With Disabled there are none: a server may keep its self-made certificates, because
// a switch against them exists only in some versions. Clients then do not use TLS.
func TLSSettings(t contract.Target, p Paths) []contract.Setting {
	if !t.HasTLS() {
		return nil
	}
	settings := []contract.Setting{
		{Name: "ssl_ca", Value: p.TLS + "/" + contract.KeyCA},
		{Name: "ssl_cert", Value: p.TLS + "/" + contract.KeyCert},
		{Name: "ssl_key", Value: p.TLS + "/" + contract.KeyKey},
	}
	if t.TLS == contract.TLSRequired {
		settings = append(settings, contract.Setting{Name: "require_secure_transport", Value: "ON"})
	}
	return settings
}
