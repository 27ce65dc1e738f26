// Package quota says whether the ResourceQuotas and LimitRanges of a namespace let a run have its pods, before any of them
// exists. The API server would refuse the first pod that does not fit: after the nodes were taken, or after hours of measuring.
//
// In: a run that was accepted (Of), and the objects of its namespace. Out: a sentence for each bound that the run exceeds; none
// where everything fits. It decides nothing: who asks refuses the run, or lets it wait.
//
// It counts CPU, memory, storage, claims and pods as the API server does: the requests and limits of whole pods, as they would be
// created, with the containers of Assay. Left to the API server are numbers of other objects (a name that begins with count/), quotas
// for a priority class, and what admission adds to a pod or a claim: the overhead of a RuntimeClass, and the default StorageClass.
package quota
