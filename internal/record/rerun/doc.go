// Package rerun repeats a run, and says whether a repetition came out as predicted. It is pure but for the
// ConfigMaps that it reads of a stored run.
//
// In: a run as internal/record/stored reads it. Out: the objects that repeat it, with images by their digests, shapes
// and settings as they were resolved, the seed of the plan, and the files that it used; and notes about what
// an object cannot pin. Of a repetition: for each measurement whether its median lies within the prediction
// interval that earlier runs give. It refuses to predict from fewer than three runs, and from runs that did
// not measure the same.
//
//	manifest.go  the objects that repeat a run
//	predict.go   what earlier runs predict
package rerun
