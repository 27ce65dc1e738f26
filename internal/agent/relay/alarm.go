package relay

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// alarm wakes one goroutine at an instant, with an error of some 50 us: the runtime's timers have a resolution of milliseconds. The wait is
// that of the runtime's poller, and keeps no thread.
type alarm struct{ file *os.File }

func newAlarm() (*alarm, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("timerfd_create", err)
	}
	return &alarm{os.NewFile(uintptr(fd), "alarm")}, nil
}

// close wakes who waits.
func (a *alarm) close() { _ = a.file.Close() }

// wait until an instant. It fails when the alarm is closed.
func (a *alarm) wait(until time.Time) error {
	left := time.Until(until)
	if left <= 0 {
		return nil
	}
	conn, err := a.file.SyscallConn()
	if err != nil {
		return err
	}
	set := error(nil)
	once := unix.ItimerSpec{Value: unix.NsecToTimespec(left.Nanoseconds())}
	if err := conn.Control(func(fd uintptr) { set = unix.TimerfdSettime(int(fd), 0, &once, nil) }); err != nil {
		return err
	}
	if set != nil {
		return os.NewSyscallError("timerfd_settime", set)
	}
	_, err = a.file.Read(make([]byte, 8))
	return err
}
