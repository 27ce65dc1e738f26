package main

import "syscall"

// cpuStep is the step in which the kernel reports the CPU time here, in ns.
const cpuStep = 1000

// cpuTime of the process in ns, of all its threads; negative where the kernel does not report it.
func cpuTime() int64 {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return -1
	}
	return used.Utime.Nano() + used.Stime.Nano()
}

// cpuSince a reading; 0, which is absent in the answer, for what is unknown or has too few steps to be a measurement.
func cpuSince(begin int64) int64 {
	end := cpuTime()
	if begin < 0 || end < begin+10*cpuStep {
		return 0
	}
	return end - begin
}
