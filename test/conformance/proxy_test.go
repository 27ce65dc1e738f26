package conformance

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/assay-bench/assay/engines/servererror"
	"github.com/assay-bench/assay/internal/agent/database"
)

// A server that refuses SHOW GLOBAL STATUS, as a proxy of a service may: neither MySQL nor MariaDB does. The agent knows it for a lack of
// a right, and everything else works. What a trial makes of that is TestCountersThatAreRefused of the agent.
func TestAServerThatRefusesItsCounters(t *testing.T) {
	onServers(t, func(t *testing.T, o owner) {
		o.grant(t, grants(t)["data: Existing"], "")
		e := o.endpoint()
		proxy := refusing(t, o.server, "SHOW GLOBAL STATUS")
		e.Host, e.Port = proxy.host, proxy.port
		s := o.agent(t, e, nil)
		_, err := s.Status(t.Context())
		if err == nil || database.KindOf(err) != servererror.NoPrivilege {
			t.Errorf("counters that are refused: %v", err)
		}
		if all, err := s.Variables(t.Context()); err != nil || len(all) == 0 {
			t.Errorf("variables: %d, %v", len(all), err)
		}
		if _, err := s.Look(t.Context(), nil); err != nil {
			t.Errorf("a look at the tables: %v", err)
		}
	})
}

// refusing is a proxy before a server that answers statements which begin so with error 1227.
func refusing(t *testing.T, behind server, statement string) server {
	t.Helper()
	return before(t, behind, func(client, server net.Conn) {
		go func() { _, _ = io.Copy(client, server); _ = client.Close() }()
		go func() { pass(client, server, statement); _ = server.Close() }()
	})
}

// pass on packets of the protocol, until one side ends. The first packet of a command has the number 0, and a query the code 3.
func pass(client, server net.Conn, statement string) {
	const refusal = "Access denied; you need (at least one of) the PROCESS privilege(s) for this operation"
	for {
		head := make([]byte, 4)
		if _, err := io.ReadFull(client, head); err != nil {
			return
		}
		body := make([]byte, int(head[0])|int(head[1])<<8|int(head[2])<<16)
		if _, err := io.ReadFull(client, body); err != nil {
			return
		}
		to, packet := server, slices.Concat(head, body)
		if head[3] == 0 && bytes.HasPrefix(body, []byte{3}) && strings.HasPrefix(string(body[1:]), statement) {
			answer := append(binary.LittleEndian.AppendUint16([]byte{0xff}, 1227), "#42000"+refusal...)
			to, packet = client, append([]byte{byte(len(answer)), 0, 0, 1}, answer...)
		}
		if _, err := to.Write(packet); err != nil {
			return
		}
	}
}
