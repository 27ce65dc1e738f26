package engine

// Values of Target.TLS.
const (
	TLSDisabled  = "Disabled"
	TLSPreferred = "Preferred"
	TLSRequired  = "Required"
)

// Files in Paths.TLS.
const (
	CAFile   = "ca.crt"
	CertFile = "tls.crt"
	KeyFile  = "tls.key"
)

// HasTLS says whether the server has a certificate of Assay.
func (t Target) HasTLS() bool { return t.TLS == TLSPreferred || t.TLS == TLSRequired }

// TLSSettings of a server of the MySQL family: those of MySQL since 5.7.8 and of MariaDB
// since 10.5.2. With Disabled there are none: a server that makes certificates for itself
// keeps them, and clients do not ask for encryption. That stays as the version has it,
// since a switch for it exists in some versions only.
func TLSSettings(t Target, p Paths) []Setting {
	if !t.HasTLS() {
		return nil
	}
	settings := []Setting{
		{Name: "ssl_ca", Value: p.TLS + "/" + CAFile},
		{Name: "ssl_cert", Value: p.TLS + "/" + CertFile},
		{Name: "ssl_key", Value: p.TLS + "/" + KeyFile},
	}
	if t.TLS == TLSRequired {
		settings = append(settings, Setting{Name: "require_secure_transport", Value: "ON"})
	}
	return settings
}
