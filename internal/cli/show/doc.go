// Package show is what the commands say of a run: the list of runs, the numbers of one, what it waits
// for, and its logs.
//
// In: objects of the cluster, read with the rights of the user. Out: text for people, or a document for
// programs. It shows what the status has, and says where there is more of it. It writes nothing to the
// cluster. What cannot be read is an error, and never an empty table.
//
//	get.go           the command `get`
//	list.go          the list of runs
//	table.go         the numbers of a run as a table
//	why.go           what a run waits for, and who is to act
//	logs.go          what the tool or the server printed
//	explain.go       what a reason, a check or a field means
package show
