// Command policy-agent enforces NetworkPolicies on one node of the local cluster, whose network
// (hack/node-image) has no plugin for them. It is for IPv4, and for tests: nobody should run
// it in production.
//
//	main.go     watches pods, namespaces and policies, and loads the rules into the kernel
//	cluster.go  which pods a policy selects, and which addresses a rule means
//	rules.go    the rules of a node as a table of nftables
//
// In: objects of the API server. Out: the table ip assay-policies in the network namespace of
// the node, replaced as a whole. Packets of connections that exist are let through. What is
// new is looked up by the address of the sending pod and by that of the receiving pod: in the
// chain forward, where every packet from and to a pod passes after the address of a Service
// was translated. Packets between a node and its own pods do not pass there: Kubernetes allows
// them always.
//
// Refused: nothing. Blocks of IPv6 are left out, since no pod has such an address.
package main
