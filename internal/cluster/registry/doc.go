// Package registry finds out which digest a tag of an image has now.
//
// In: the registries that the administrator names, and the name of an image, which a tenant wrote. Out: the digest, by
// a HEAD request for the manifest. Refused: an image of another registry; a registry that sends the manager to a host
// that the administrator did not name, whether by a redirect or as its server of tokens; plain HTTP where it is not
// allowed; and more than a few requests at a time, each bounded in time and size.
//
// No Secret of a tenant is read. The credentials are the administrator's, or there are none.
package registry
