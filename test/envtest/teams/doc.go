// Package teams has two teams install Assay beside each other on a real API server, by the commands of the guide. Each administers two
// namespaces by the ClusterRole admin and has no other right; an administrator of the cluster has installed what belongs to the
// cluster. In: the pages, the chart, and the manager of this tree. Each manager works with the rights of its ServiceAccount; its pods are played.
package teams
