// Package releases holds runs that managers of two releases carry out together: the one
// of this tree and the one of the last release, each in place of the other in the middle
// of a run. It is what an upgrade and a rollback do.
//
// last-release.txt names the tag of that release and its commit, since a clone may lack
// tags. Who tags a release writes it there in the commit that follows.
package releases
