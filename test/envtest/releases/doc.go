// Package releases holds runs that managers of two releases carry out together: the one
// of this tree and the one of the last release, each in place of the other in the middle
// of a run. It is what an upgrade and a rollback do.
package releases
