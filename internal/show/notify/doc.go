// Package notify says what receivers are told of a run, and sends it.
//
// In: a run, a receiver of the operator's configuration, and the time. Out: the events that the
// receiver lacks, each as a CloudEvent (CNCF, version 1.0, structured mode in JSON), and what came
// of an attempt to post it, signed by Standard Webhooks (HMAC with SHA-256).
//
// Which events there are follows from the conditions of the run alone, and which of them were sent
// from its status: a manager that is killed at any instant goes on where it was. An event whose
// delivery was not recorded is sent again, with the same id.
//
// It refuses to follow redirects, and reads no more of an answer than it needs to keep the
// connection. Its errors have no URL in them, which may be a secret.
package notify
