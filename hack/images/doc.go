// Command images builds the images of images.yaml, tagged by the content that they are made
// from, and loads them into the kind cluster. hack/images.sh starts it in the root of the
// repository, behind a lock.
//
//	table.go     images.yaml: images and sets
//	bases.go     base images by digest
//	tags.go      the tag of an image, from all that decides its content
//	build.go     missing images, one chain for each base
//	archive.go   the archive of a harness that was built elsewhere
//	given.go     which image has an archive now, and which stays as the last one made it
//	stage.go     the tools of an image alone, for tests of what is in it
//	publish.go   images for others, with packages and provenance
//	publish_built.go  the same without both, for a dry run without BuildKit
//	prune.go     old images
//	nodes.go     which node gets which image, and what it lacks
//	values.go    the Helm values that name what was built
//	engine.go    the container engine, by its command line
//	progress.go  steps, lines and times
//
// An image that is there is not built again: the tag changes with every input. The newest few
// of each name stay, so that a run in progress keeps its agent.
package main
