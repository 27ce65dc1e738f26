// Command demo-docs writes what stored runs show into the documents that show it. In: docs/evidence/demo.assay.tar, the bundle of
// a demo that somebody ran (`make demo`, then `hack/demo.sh record`), config/samples/demo.yaml, and the bundle of a run of the gallery
// whose verdict is decided. Out: README.md and pages of the guide, each between the comments
//
//	<!-- demo NAME -->
//	<!-- /demo -->
//
// Parts of the demo: get, plan, headline, verdict, words, detects. The part decided is the first line that `kubectl assay get` prints of the other
// run. It refuses a demo of another manifest, one without a verdict, a run of the gallery that is not decided, a page without its end
// comment, a name that it does not know, and a file in which nothing is to be written.
package main
