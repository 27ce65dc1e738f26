package ycsb

import (
	"fmt"
	"maps"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// connection is what the binding needs to reach a database, without its secrets.
type connection struct{ url, driver string }

// driverFacts are what the drivers of MySQL's protocol differ in.
type driverFacts struct {
	class, scheme string
	// plain, encrypted and verified are the parameters of the URL without TLS, with TLS to
	// whoever answers, and with TLS to a server whose certificate the CA has signed.
	plain, encrypted, verified []string
	// certificate are the parameters for a certificate of the client.
	certificate []string
	// older versions that the image has beside the newest one, and what the URL of each needs besides with TLS.
	older map[string][]string
}

var drivers = map[string]driverFacts{
	driverMySQL: {
		class: "com.mysql.cj.jdbc.Driver", scheme: "jdbc:mysql",
		// Without TLS the password of caching_sha2_password travels under the server's RSA key.
		plain:     []string{"sslMode=DISABLED", "allowPublicKeyRetrieval=true"},
		encrypted: []string{"sslMode=REQUIRED"},
		verified: []string{"sslMode=VERIFY_CA", "trustCertificateKeyStoreUrl=file:" + trustStore,
			"trustCertificateKeyStoreType=PKCS12", "trustCertificateKeyStorePassword=" + storePassword},
		certificate: []string{"clientCertificateKeyStoreUrl=file:" + clientStore,
			"clientCertificateKeyStoreType=PKCS12", "clientCertificateKeyStorePassword=" + storePassword},
		// By itself, 8.0.26 offers MariaDB only the versions of TLS that Java does not do any more.
		older: map[string][]string{"8.0.26": {"enabledTLSProtocols=TLSv1.2,TLSv1.3"}},
	},
	driverMariaDB: {
		class: "org.mariadb.jdbc.Driver", scheme: "jdbc:mariadb",
		plain:       []string{"sslMode=disable", "allowPublicKeyRetrieval=true"},
		encrypted:   []string{"sslMode=trust"},
		verified:    []string{"sslMode=verify-ca", "serverSslCert=" + runner.CAFile},
		certificate: []string{"keyStore=" + clientStore, "keyStorePassword=" + storePassword, "keyStoreType=PKCS12"},
	},
}

// ownedParameters are pinned by Assay, in lower case: drivers do not tell case apart.
var ownedParameters = []string{
	"user", "username", "password", "password1", "sslmode", "usessl", "requiressl", "verifyservercertificate",
	"trustservercertificate", "disablesslhostnameverification", "allowpublickeyretrieval", "serversslcert",
	"truststore", "truststorepassword", "truststoretype", "keystore", "keystorepassword", "keystoretype",
	"keypassword", "trustcertificatekeystoreurl", "trustcertificatekeystoretype", "trustcertificatekeystorepassword",
	"clientcertificatekeystoreurl", "clientcertificatekeystoretype", "clientcertificatekeystorepassword",
	"clientsslcert", "clientsslkey",
}

// connectionTo builds the URL of a database. Encryption is written out in any case: the
// drivers differ in what they do by themselves.
func connectionTo(e contract.Endpoint, p Params, c runner.Credentials) (connection, error) {
	if e.JDBC != nil {
		return jdbcConnection(*e.JDBC, e.TLS, p)
	}
	d, known := drivers[p.Driver]
	if !known {
		return connection{}, fmt.Errorf("workload.ycsb.driver: %s does not speak MySQL's protocol: use it with external.jdbc of the target", p.Driver)
	}
	if err := runner.CheckEndpoint(e); err != nil {
		return connection{}, err
	}
	if !databaseName.MatchString(e.Database) {
		return connection{}, fmt.Errorf("endpoint.database: %q is not a name: use letters, digits, underscores, dollar signs and dashes", e.Database)
	}
	own, err := urlParameters(p.URLParameters)
	if err != nil {
		return connection{}, err
	}
	address := net.JoinHostPort(e.Host, strconv.Itoa(int(e.Port)))
	url := d.scheme + "://" + address + "/" + e.Database + "?" + strings.Join(slices.Concat(tlsParameters(d, p.DriverVersion, e.TLS, c), own), "&")
	return connection{url: url, driver: d.class}, nil
}

var databaseName = regexp.MustCompile(`^[A-Za-z0-9_$-]+$`)

func tlsParameters(d driverFacts, version string, mode contract.TLSMode, c runner.Credentials) []string {
	if mode == contract.TLSDisabled {
		return d.plain
	}
	parameters := d.encrypted
	if len(c.CA) > 0 {
		parameters = d.verified
	}
	if len(c.Cert) > 0 {
		parameters = slices.Concat(parameters, d.certificate)
	}
	return slices.Concat(parameters, d.older[version])
}

var parameterName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.]*$`)

// urlParameters in the order of their names. Values go into the URL as they are: drivers
// differ in what they decode.
func urlParameters(parameters map[string]string) ([]string, error) {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		value, field := parameters[name], "workload.ycsb.urlParameters."+name
		switch {
		case !parameterName.MatchString(name):
			return nil, fmt.Errorf("workload.ycsb.urlParameters: %q is not a name", name)
		case slices.Contains(ownedParameters, strings.ToLower(name)):
			return nil, fmt.Errorf("%s: Assay sets it: use the target's tls and credentials", field)
		case strings.ContainsAny(value, "&?#;%"):
			return nil, fmt.Errorf("%s: %q has one of & ? # ; %%, which drivers read differently: leave it out", field, value)
		}
		if err := checkValue(field, value); err != nil {
			return nil, err
		}
		out = append(out, name+"="+value)
	}
	return out, nil
}

// secretInURL finds what belongs into the Secret: the URL stands on the command line.
var secretInURL = regexp.MustCompile(`(?i)(user(name)?|password)\s*=|//[^/]*@`)

func jdbcConnection(j contract.JDBC, tls contract.TLSMode, p Params) (connection, error) {
	switch {
	case len(p.URLParameters) > 0:
		return connection{}, fmt.Errorf("workload.ycsb.urlParameters: the target has an URL of its own: put them into external.jdbc.url")
	case tls == contract.TLSRequired:
		return connection{}, fmt.Errorf("endpoint.tls: %s cannot be proven behind a JDBC driver: put it into external.jdbc.url, such as encrypt=true, and leave tls out", tls)
	case p.DriverVersion != "" && j.Driver != drivers[p.Driver].class:
		return connection{}, fmt.Errorf("workload.ycsb.driverVersion: %s is a version of %s (workload.ycsb.driver), and external.jdbc.driver is %s: leave it out", p.DriverVersion, p.Driver, j.Driver)
	case j.Driver == "":
		return connection{}, fmt.Errorf("endpoint.jdbc.driver: empty: name the class of the driver")
	case secretInURL.MatchString(j.URL):
		return connection{}, fmt.Errorf("endpoint.jdbc.url: has a user or a password, which everyone on the node could read: put them into the target's Secret")
	case !strings.HasPrefix(j.URL, "jdbc:"):
		return connection{}, fmt.Errorf("endpoint.jdbc.url: %q is not one: it begins with jdbc:, such as jdbc:sqlserver://host:1433", j.URL)
	}
	if err := checkValue("endpoint.jdbc.url", j.URL); err != nil {
		return connection{}, err
	}
	return connection{url: j.URL, driver: j.Driver}, nil
}
