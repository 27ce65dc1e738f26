package contract

// ChainReader is the lowest reader level that may continue records: it links the next one to them.
const ChainReader = 2

// RecordedDelivery has the digests of what one client delivered, as they were when the outcome
// of its execution was recorded.
type RecordedDelivery struct {
	// ConfigMap that the client delivered into.
	ConfigMap string `json:"configMap"`
	// Digests are the hex SHA-256 of the stored bytes, by their keys in the ConfigMap. KeyLog,
	// which the manager adds, is not among them.
	Digests map[string]string `json:"digests"`
}
