package signing

import (
	"bytes"
	"crypto/tls"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/server/rpc"
)

// ping asks the public port for a signature, as any peer can.
func (v *victim) ping(value []byte) (sig []byte, code string, err error) {
	v.Helper()
	conn, err := grpc.NewClient(v.front,
		grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{InsecureSkipVerify: true})))
	v.must(err)
	defer conn.Close()
	var trailer metadata.MD
	answer, err := rpc.NewOrchestratorClient(conn).Ping(v.Context(), &rpc.PingPong{Value: value},
		grpc.Trailer(&trailer))
	return answer.GetValue(), strings.Join(trailer.Get("Tutti-Code"), " "), err
}

// A stranger sends the bytes of a ticket as a ping and tries to redeem what comes
// back; then everything else that the key's signatures are worth something for. What
// the network's nodes send is signed as ever.
func TestPingSignsNothingOfValue(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	ticket := v.ticket(1)
	sig, code, err := v.ping(preimage(ticket))
	if v.steal(ticket, sig) {
		t.Errorf("the thief was paid; the account has %v left of 3 ETH", v.locked())
	}
	if err == nil || len(sig) != 0 || code != "PingRefused" || !strings.Contains(err.Error(), "PingRefused") {
		t.Errorf("a ticket's bytes as a ping: %d bytes, code %q, %v", len(sig), code, err)
	}
	data := signature.Keccak256([]byte("a rendition that this node never made"))
	address := v.account().String()
	for name, value := range map[string][]byte{
		"ticket without a round":        preimage(ticket)[:168],
		"ticket's hash":                 keccakOf(preimage(ticket)),
		"request of a gateway":          []byte(address),
		"address in small letters":      []byte(strings.ToLower(address)),
		"address without 0x":            []byte(address[2:]),
		"address as bytes":              addressBytes(v.account()),
		"segment of a stream":           signature.Segment("stream", 1, data, []string{"P240p30fps16x9"}),
		"segment without a name":        signature.Segment("", 0, data, nil),
		"result of no rendition":        {},
		"result of one rendition":       data[:],
		"result of two":                 bytes.Repeat(data[:], 2),
		"job request":                   []byte(`{"run":"echo"}{}`),
		"job request after white space": []byte(" \n{}{}"),
		"number in hex":                 []byte("0x00"),
		"32 letters":                    bytes.Repeat([]byte("a"), 32),
		"100 kB":                        make([]byte, 100_000),
	} {
		sig, code, err := v.ping(value)
		if err == nil || len(sig) != 0 || code != "PingRefused" || !strings.Contains(err.Error(), "PingRefused") {
			t.Errorf("%s: %d bytes, code %q, %v", name, len(sig), code, err)
		}
	}
	for _, value := range []string{"tutti-ping", "1", "2026-11-22T20:12:26Z", strings.Repeat("p", 31), "\x00\xff\x17"} {
		sig, _, err := v.ping([]byte(value))
		if err != nil || !v.signedBy(keccakOf([]byte(value)), sig) {
			t.Errorf("ping %q: %x, %v", value, sig, err)
		}
	}
}

func keccakOf(b []byte) []byte {
	h := signature.Keccak256(b)
	return h[:]
}

func addressBytes(a core.Address) []byte { return a[:] }
