package ycsb

import (
	"encoding/binary"
	"io"
)

// What a server of SQLI, the protocol of Informix, says to the first packet of a client. Nobody has published the protocol: this is
// what Nmap's library for Informix reads of a reply, and what the driver makes of it.
const (
	sqliConnect = 1
	sqliReject  = 3
	sqliVersion = 0x3c
)

// readSQLI reads a packet of the beginning: its length, in two bytes that it counts too, and the rest.
func readSQLI(r io.Reader) ([]byte, error) {
	packet := make([]byte, 2)
	if _, err := io.ReadFull(r, packet); err != nil {
		return nil, err
	}
	packet = append(packet, make([]byte, max(0, int(binary.BigEndian.Uint16(packet))-len(packet)))...)
	_, err := io.ReadFull(r, packet[2:])
	return packet, err
}

// sqliText is a text with its length in front, both with the NUL at its end.
func sqliText(text string) []byte {
	return append(binary.BigEndian.AppendUint16(nil, uint16(len(text)+1)), text+"\x00"...)
}

// sqliRefusal refuses a connection with the number of an error; the driver has the text.
func sqliRefusal(number int16) []byte {
	reply := []byte{0, 0, sqliReject, sqliVersion, 0, 0, 0, 100, 0, 101, 0, 0, 0, 61}
	reply = append(reply, sqliText("IEEEI")...)
	reply = append(append(reply, 0, 108), "srvinfx\x00\x00\x00\x00\x00"...)
	for _, text := range []string{"Informix Dynamic Server Version 14.10.FC", "serial", "informix"} {
		reply = append(reply, sqliText(text)...)
	}
	reply = append(reply, make([]byte, 14)...) // capabilities and warnings
	reply = append(append(reply, sqliText("")...), sqliText("")...)
	reply = append(reply, "ol\x00\x00\x00\x00\x00\x00\x00\x00\x00=soctcp\x00\x00\x00\x00\x00\x01"...)
	reply = append(reply, 0, 102, 0, 10, 0, 0, 0, 0)
	reply = binary.BigEndian.AppendUint16(reply, uint16(number))
	reply = append(reply, 0, 0, 0, 0, 0, 127) // no error of the system, nothing that it is about, and the end
	binary.BigEndian.PutUint16(reply, uint16(len(reply)))
	return reply
}
