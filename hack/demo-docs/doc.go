// Command demo-docs writes what the demo printed into the documents that show it. In: docs/evidence/demo.assay.tar, the bundle of
// a demo that somebody ran (`make demo`, then `hack/demo.sh record`), and config/samples/demo.yaml. Out: README.md and pages of
// the guide, each between the comments
//
//	<!-- demo NAME -->
//	<!-- /demo -->
//
// Parts: sample (the manifest without its comments), table, get, plan, headline, verdict, words. It refuses a demo of another manifest, one without a
// verdict, a page without its end comment, a name that it does not know, and a file in which nothing is to be written.
package main
