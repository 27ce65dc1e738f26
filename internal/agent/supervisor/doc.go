// Package supervisor is `agent tool`, process 1 of the container of a benchmark tool. In: orders
// of the agent in the other container of the pod, over a socket (package toolwire). Out:
// processes, their output and exit codes, and the counters of this container's control group.
//
// It has no credentials of its own, and no access to the API server. It decides nothing: the
// agent tells it what to run and when. It measures here what can only be measured here. When the
// connection ends, it ends with everything that it started, or waits for the next one where its client carries out many trials.
package supervisor
