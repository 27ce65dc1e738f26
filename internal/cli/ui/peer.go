package ui

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// tables of the connections of Linux, with the user of each socket.
var tables = []string{"/proc/net/tcp", "/proc/net/tcp6"}

// anothers says why a connection is that of another user of this machine; nil for one of this user or of root, who can read all that
// this user can, and where the system does not tell. Cookies go to every port of a host, so that a page of another user's server
// could learn ours: the user of the socket at the other end is what nobody can copy.
func anothers(c net.Conn) error {
	if runtime.GOOS != "linux" {
		return nil
	}
	// The kernel writes its tables while they change: one that is read once may lack a connection.
	var err error
	for range 20 {
		var known bool
		if known, err = mine(c.RemoteAddr().String(), c.LocalAddr().String()); known || err != nil {
			return err
		}
		time.Sleep(5 * time.Millisecond)
	}
	return errors.New("the system does not say whose connection it is")
}

// mine looks a connection up once. It fails for one of another user; known is false for one that the tables do not have.
func mine(client, server string) (known bool, err error) {
	for _, table := range tables {
		text, err := os.ReadFile(table)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return false, fmt.Errorf("finding out whose connection it is: %w", err)
		}
		uid, is, err := ownerOf(text, client, server)
		switch {
		case err != nil:
			return false, fmt.Errorf("reading %s: %w", table, err)
		case is && (uid == 0 || uid == os.Getuid() || os.Getuid() == 0 && strconv.Itoa(uid) == os.Getenv("SUDO_UID")):
			return true, nil
		case is:
			return false, fmt.Errorf("user %d asks a server of user %d", uid, os.Getuid())
		}
	}
	return false, nil
}

// ownerOf the socket with this address, connected to that one, in a table of the kernel (Linux, Documentation/networking/proc_net_tcp).
func ownerOf(table []byte, local, remote string) (uid int, is bool, err error) {
	lines := bufio.NewScanner(bytes.NewReader(table))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 8 || fields[0] == "sl" {
			continue
		}
		here, err := addressOf(fields[1])
		if err != nil {
			return 0, false, err
		}
		there, err := addressOf(fields[2])
		if err != nil {
			return 0, false, err
		}
		if here != local || there != remote {
			continue
		}
		if uid, err = strconv.Atoi(fields[7]); err != nil {
			return 0, false, fmt.Errorf("the user of a socket: %w", err)
		}
		return uid, true, nil
	}
	return 0, false, lines.Err()
}

// addressOf such as 0100007F:1F90: words of four bytes in the order of the machine, and the port.
func addressOf(text string) (string, error) {
	address, port, _ := strings.Cut(text, ":")
	raw, err := hex.DecodeString(address)
	if err != nil || len(raw)%4 != 0 {
		return "", fmt.Errorf("%q is no address", text)
	}
	for word := range slices.Chunk(raw, 4) {
		slices.Reverse(word) // all machines that the plugin is built for are little-endian
	}
	ip, ok := netip.AddrFromSlice(raw)
	n, err := strconv.ParseUint(port, 16, 16)
	if !ok || err != nil {
		return "", fmt.Errorf("%q is no address", text)
	}
	return netip.AddrPortFrom(ip.Unmap(), uint16(n)).String(), nil
}
