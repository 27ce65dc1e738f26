// Package integrity compares what a run stored with the digests that were taken when it was
// stored. The manager does so at the end of a run, and `kubectl assay verify` at any time
// after it.
//
// In: the anchor, which stands in the status of the run, and the stored bytes of the parts of
// the plan, of the records and of the summary, and of the results, and where
// they are at hand the objects of the object store. Out: findings, each with
// the object that differs or is gone, and how. It refuses nothing: what cannot be read is a
// finding, too. It is pure.
//
//	plan part 0 <- part 1 ... <- record 0 <- record 1 ... <- the head in the status
//	records part 0 <- part 1 ... <- the records in the status
//	summary part 0 <- part 1 ... <- the summary in the status
//	each record <- digests of what the clients of its attempt delivered
//	each result <- digests of what its client has in the object store
//
// An arrow is the SHA-256 of the stored bytes, in what is to the right. All bytes count as they
// are stored: nothing is encoded again to be compared.
//
// The chain shows that results, records, plan and summary are those of the head. Whoever may
// write the status and all ConfigMaps of a run can make another chain: compare the head with
// one that was noted elsewhere.
package integrity
