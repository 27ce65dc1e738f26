package ycsb

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/binary"
	"io"
	"math/big"
	"net"
	"testing"
	"time"
	"unicode/utf16"
)

// What a server of TDS, the protocol of SQL Server, says until it has refused a login, by Microsoft's MS-TDS. A packet is a header
// of eight bytes and its content; the header has the type, a mark of the last one, and the length of both.
const (
	tdsHeader   = 8
	tdsPrelogin = 0x12
	tdsLogin    = 0x10
	tdsReply    = 0x04
)

// What client and server say of encryption in their first packets.
const (
	tdsEncryptOff byte = iota
	tdsEncryptOn
	tdsEncryptNot
)

func readTDS(r io.Reader) ([]byte, error) {
	packet := make([]byte, tdsHeader)
	if _, err := io.ReadFull(r, packet); err != nil {
		return nil, err
	}
	packet = append(packet, make([]byte, max(0, int(binary.BigEndian.Uint16(packet[2:]))-tdsHeader))...)
	_, err := io.ReadFull(r, packet[tdsHeader:])
	return packet, err
}

func tdsPacket(kind byte, content []byte) []byte {
	header := []byte{kind, 1, 0, 0, 0, 0, 1, 0}
	binary.BigEndian.PutUint16(header[2:], uint16(tdsHeader+len(content)))
	return append(header, content...)
}

// preloginReply has a version and what the server says of encryption: a table of options, each with the place and the length of its
// value, and the values.
func preloginReply(encryption byte) []byte {
	table := []byte{0, 0, 11, 0, 6, 1, 0, 17, 0, 1, 0xff}
	return tdsPacket(tdsReply, append(table, 16, 0, 0x10, 0, 0, 0, encryption))
}

// preloginEncryption is what the first packet of a client says of encryption.
func preloginEncryption(packet []byte) (byte, bool) {
	content := packet[tdsHeader:]
	for at := 0; at+5 <= len(content) && content[at] != 0xff; at += 5 {
		if value := int(binary.BigEndian.Uint16(content[at+1:])); content[at] == 1 && value < len(content) {
			return content[value], true
		}
	}
	return 0, false
}

// tdsError is the reply that refuses: an error with its number and text, and the end of the reply.
func tdsError(number uint32, text string) []byte {
	var body []byte
	body = binary.LittleEndian.AppendUint32(body, number)
	body = append(body, 1, 14) // state and class
	body = binary.LittleEndian.AppendUint16(body, uint16(len(text)))
	body = append(body, utf16LE(text)...)
	body = append(body, 0, 0, 0, 0, 0, 0) // no server, no procedure, line 0
	content := binary.LittleEndian.AppendUint16([]byte{0xaa}, uint16(len(body)))
	content = append(content, body...)
	return tdsPacket(tdsReply, append(content, 0xfd, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}

func utf16LE(text string) (out []byte) {
	for _, unit := range utf16.Encode([]rune(text)) {
		out = binary.LittleEndian.AppendUint16(out, unit)
	}
	return out
}

// tdsHandshake carries the handshake of TLS in packets of TDS, and what follows as it is.
type tdsHandshake struct {
	net.Conn
	rest bytes.Reader
	over bool
}

func (c *tdsHandshake) Read(b []byte) (int, error) {
	if c.over {
		return c.Conn.Read(b)
	}
	if c.rest.Len() == 0 {
		packet, err := readTDS(c.Conn)
		if err != nil {
			return 0, err
		}
		c.rest.Reset(packet[tdsHeader:])
	}
	return c.rest.Read(b)
}

func (c *tdsHandshake) Write(b []byte) (int, error) {
	if c.over {
		return c.Conn.Write(b)
	}
	_, err := c.Conn.Write(tdsPacket(tdsPrelogin, b))
	return len(b), err
}

// secured is the connection behind TLS, with a certificate that nobody has signed; an error where the client refuses it.
func (c *tdsHandshake) secured(t *testing.T) (net.Conn, error) {
	session := tls.Server(c, selfSigned(t))
	err := session.Handshake()
	c.over = true
	return session, err
}

func selfSigned(t *testing.T) *tls.Config {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	template := x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "nobody"}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	// With 1.3 a server goes on writing of the handshake when it is over.
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, MaxVersion: tls.VersionTLS12}
}
