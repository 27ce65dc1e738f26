// Command policy-agent enforces NetworkPolicies on one node of the local cluster, whose network
// (hack/node-image) has no plugin for them. It is for IPv4, and for tests: nobody should run
// it in production.
//
//	main.go       watches pods, namespaces, policies and addresses, and loads rules into the kernel
//	agent.go      keeps the rules up to date, and answers the plugin about new pods
//	addresses.go  the addresses that the kubelets did not report yet
//	cluster.go    which pods a policy selects, and which addresses a rule means
//	rules.go      the rules of a node as a table of nftables
//	cni           the plugin in the chain of the node's network; wire is what it says to the agent
//
// The kubelet reports the address of a pod about a second after its containers began. So the
// plugin reports it before: the agent of the node loads the rules of the pod, then its
// containers start, and the agents of the other nodes read the address in a ConfigMap.
//
// In: objects of the API server, and new pods of this node. Out: the table ip assay-policies in the network namespace of
// the node, replaced as a whole. Packets of connections that exist are let through. What is
// new is looked up by the address of the sending pod and by that of the receiving pod: in the
// chain forward, where every packet from and to a pod passes after the address of a Service
// was translated. Packets between a node and its own pods do not pass there: Kubernetes allows
// them always.
//
// Refused: a new pod whose rules could not be loaded. Blocks of IPv6 are left out, since no pod
// has such an address. Where the agent was there once and is gone, no pod starts until it is back.
package main
