package resources

import (
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"

	networkingv1 "k8s.io/api/networking/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
)

// toExternal are the rules for an external target, and what was found behind its Service; nil for one without.
func toExternal(e v1alpha1.ExternalTarget, service *v1alpha1.ResolvedService) []networkingv1.NetworkPolicyEgressRule {
	switch {
	case service != nil:
		return toService(e.Port, *service)
	case e.JDBC == nil:
		return []networkingv1.NetworkPolicyEgressRule{ToAddress(e.Host, e.Port)}
	}
	var rules []networkingv1.NetworkPolicyEgressRule
	for _, server := range jdbcServers(e.JDBC.URL) {
		rules = append(rules, ToAddress(server.host, server.port))
	}
	return rules
}

// toService are the rules for a Service: its own address, for networks that look at packets before they are sent on,
// and the ports of the pods behind it. Pods come and go, so that it is any pod of the namespace; where not all were seen, or one
// has the network of its node, which no selector of pods means, the server may be anywhere.
func toService(port int32, service v1alpha1.ResolvedService) []networkingv1.NetworkPolicyEgressRule {
	var rules []networkingv1.NetworkPolicyEgressRule
	for _, ip := range service.ClusterIPs {
		rules = append(rules, ToAddress(ip, port))
	}
	anywhere := service.Unseen != "" || slices.ContainsFunc(service.Pods, func(p v1alpha1.ServicePod) bool { return p.HostNetwork })
	if anywhere && len(service.PodPorts) == 0 {
		return append(rules, ToAddress("", 0))
	}
	for _, p := range service.PodPorts {
		if anywhere {
			rules = append(rules, ToAddress("", p))
			continue
		}
		rules = append(rules, to(nil, p))
	}
	return rules
}

// jdbcPorts are the ports that drivers use for an URL without one.
var jdbcPorts = map[string]int32{"mysql": 3306, "mariadb": 3306, "postgresql": 5432, "sqlserver": 1433}

var (
	// authority is what an URL has between // and its path or its properties.
	authority = regexp.MustCompile(`//([^/;?\\]*)(\\?)`)
	// otherHost and otherPort are properties that lead to another server than the authority.
	otherHost = regexp.MustCompile(`(?i)[;?&](servername|failoverpartner|host|address)=`)
	otherPort = regexp.MustCompile(`(?i)[;?&](port|portnumber)=`)
	// jdbcURLs are separated by semicolons, which some drivers use inside of an URL too.
	jdbcURLs = regexp.MustCompile(`(?:^|;)jdbc:`)
)

// endpoint of a server. A port of 0 is not known, and a host may be a name.
type endpoint struct {
	host string
	port int32
}

// jdbcServers are the servers that a JDBC URL, or several with a semicolon between them, leads
// to. An URL whose servers are not recognised gives the endpoint without host and port.
func jdbcServers(url string) []endpoint {
	var servers []endpoint
	for _, one := range jdbcURLs.Split(url, -1) {
		if one == "" {
			continue
		}
		scheme, _, _ := strings.Cut(one, ":")
		port := jdbcPorts[scheme]
		found := authority.FindStringSubmatch(one)
		if found == nil || found[1] == "" || strings.ContainsAny(found[1], "()@") || otherHost.MatchString(one) {
			return []endpoint{{}}
		}
		// A backslash begins the name of an instance, which has a port of its own.
		if found[2] != "" || otherPort.MatchString(one) {
			port = 0
		}
		for host := range strings.SplitSeq(found[1], ",") {
			servers = append(servers, endpointOf(host, port))
		}
	}
	return servers
}

// endpointOf reads host, host:port, [IPv6] or [IPv6]:port.
func endpointOf(text string, port int32) endpoint {
	if at, err := netip.ParseAddrPort(text); err == nil {
		return endpoint{at.Addr().String(), int32(at.Port())}
	}
	text = strings.Trim(text, "[]")
	if _, err := netip.ParseAddr(text); err == nil {
		return endpoint{text, port}
	}
	host, number, given := strings.Cut(text, ":")
	if !given {
		return endpoint{host, port}
	}
	n, err := strconv.ParseUint(number, 10, 16)
	if err != nil {
		return endpoint{host, 0}
	}
	return endpoint{host, int32(n)}
}
