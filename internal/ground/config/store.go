package config

import (
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"

	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Store is an object store with the interface of S3.
type Store struct {
	// Endpoint is the URL of the store, such as https://s3.example.com; empty for no store.
	Endpoint string `json:"endpoint"`
	// Bucket that exists already.
	Bucket string `json:"bucket"`
	// Region for the signatures. Default us-east-1.
	Region string `json:"region"`
	// Prefix of all keys, such as assay; may be empty.
	Prefix string `json:"prefix"`
	// Cluster is the name of this cluster in the keys, so that several can share a bucket.
	Cluster string `json:"cluster"`
	// PathStyle: the bucket is in the path of the URL, and not in the name of the host. Default true.
	PathStyle bool `json:"pathStyle"`
	// Over is the size of a compressed result over which it goes to the store, in bytes. It is
	// never more than the budget gives a result. Default 256Ki.
	Over resource.Quantity `json:"over"`
	// MaxObject bounds one object, such as a raw archive. Default 256Mi.
	MaxObject resource.Quantity `json:"maxObject"`
	// Credentials is the directory with the files accessKeyID and secretAccessKey, perhaps
	// sessionToken, and perhaps ca.crt with the CA of the store. Default /etc/assay-store.
	Credentials string `json:"credentials"`
	// Egress are the rules that let clients connect to the store. Without any they follow from the endpoint.
	Egress []networkingv1.NetworkPolicyEgressRule `json:"egress"`
}

// Configured says whether there is a store.
func (s Store) Configured() bool { return s.Endpoint != "" }

func defaultStore() Store {
	return Store{
		Region: "us-east-1", Cluster: "default", PathStyle: true, Credentials: "/etc/assay-store",
		Over: resource.MustParse("256Ki"), MaxObject: resource.MustParse("256Mi"),
	}
}

// keyPart is a text that needs no escapes in a key, and cannot leave its folder.
var keyPart = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// keyPrefix has one or more such parts.
var keyPrefix = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*)?$`)

// check returns an error that names the first setting that is not valid. What would be ignored
// without an endpoint is refused, too: somebody expects a store.
func (s Store) check() error {
	if !s.Configured() {
		if s.Bucket != "" {
			return fmt.Errorf("results.store.endpoint is missing: results.store.bucket is %q, and nothing would be stored there", s.Bucket)
		}
		return nil
	}
	if err := s.checkEndpoint(); err != nil {
		return err
	}
	switch {
	case !keyPart.MatchString(s.Bucket):
		return fmt.Errorf("results.store.bucket: %q is not the name of a bucket", s.Bucket)
	case s.Region == "":
		return fmt.Errorf("results.store.region is missing, such as us-east-1")
	case !keyPrefix.MatchString(s.Prefix):
		return fmt.Errorf("results.store.prefix: %q: use letters, digits, '.', '_' and '-', with '/' between", s.Prefix)
	case !keyPart.MatchString(s.Cluster):
		return fmt.Errorf("results.store.cluster: %q: use letters, digits, '.', '_' and '-'", s.Cluster)
	case s.Over.Value() <= 0 || s.MaxObject.Value() <= 0:
		return fmt.Errorf("results.store.over and results.store.maxObject must be greater than 0, such as 256Ki")
	case s.Credentials == "":
		return fmt.Errorf("results.store.credentials is missing: name the directory with the keys")
	}
	return nil
}

func (s Store) checkEndpoint() error {
	u, err := url.Parse(s.Endpoint)
	if err != nil {
		return fmt.Errorf("results.store.endpoint: %w", err)
	}
	if u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Path != "" && u.Path != "/" {
		return fmt.Errorf("results.store.endpoint: %q is not the URL of a server, such as https://s3.example.com", s.Endpoint)
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return fmt.Errorf("results.store.endpoint: %q: the port must be 1 to 65535", s.Endpoint)
		}
	}
	if _, err := netip.ParseAddr(u.Hostname()); err == nil && !s.PathStyle {
		return fmt.Errorf("results.store.pathStyle: false puts the bucket in front of the name of the host, and %s is an address", u.Hostname())
	}
	return nil
}
