// Package control lets the clients of a run, and nobody else, ask the agent of a database pod,
// over plain HTTP. Both sides know a secret, which is made for one target of one run, and which the
// benchmark tool does not know. Neither it nor anything that is worth replaying goes over the network.
//
//	message.go    what is signed, and the header that bears it
//	gate.go       the agent's side: a Gate before its handlers
//	transport.go  the client's side: an http.RoundTripper
//
// A request without a signature, or with one that does not hold, gets status 401 and a
// challenge. A challenge says when this process of the agent made it, and is valid for a
// minute by the agent's own monotonic clock: no step of a clock matters, and what was signed
// for an agent that has restarted, or for another one with the same secret (a replica), is
// worth nothing. The client signs method, path and query, body, challenge and a nonce with
// HMAC-SHA256. The agent takes a nonce once. It signs its answer with the nonce, the status and
// the body, so that an answer belongs to one request. Requests may come in any order.
//
// What it does not do: it hides nothing. Who reads the pod network sees what is asked and
// answered (counters, times, names of operations). Who can drop or delay packets can make a
// trial fail; an answer that is not signed is an error that is tried again, and never a number.
package control
