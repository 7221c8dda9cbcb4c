package live_test

import (
	"net"
	"regexp"
	"testing"
	"time"

	"github.com/pion/stun/v4"

	"github.com/tuttinode/tutti/test/livevideo"
)

// TestChecksOfAConnectionAreBounded: a peer that checks its connection as fast as it can gets few answers, whatever
// address it sends from: the library would queue the checks that it cannot answer as soon as they come.
func TestChecksOfAConnectionAreBounded(t *testing.T) {
	g := newGateway(t, nil, livevideo.New(t))
	res, answer := livevideo.Do(t, "POST", g.url+"cam/whip?pipeline=noop", "application/sdp", offer)
	if res.StatusCode != 201 {
		t.Fatal(res.Status)
	}
	find := func(re string) string { return regexp.MustCompile(re).FindStringSubmatch(answer)[1] }
	to, err := net.ResolveUDPAddr("udp4", "127.0.0.1:"+find(`127.0.0.1 (\d+) typ`))
	if err != nil {
		t.Fatal(err)
	}
	check, err := stun.Build(stun.TransactionID, stun.BindingRequest,
		stun.NewUsername(find(`a=ice-ufrag:(\S+)`)+":abcd"),
		stun.RawAttribute{Type: stun.AttrPriority, Value: []byte{1, 2, 3, 4}},
		stun.RawAttribute{Type: stun.AttrICEControlling, Value: []byte{1, 2, 3, 4, 5, 6, 7, 8}},
		stun.NewShortTermIntegrity(find(`a=ice-pwd:(\S+)`)), stun.Fingerprint)
	if err != nil {
		t.Fatal(err)
	}
	const sockets, rounds, perRound = 2, 20, 50
	begun, answers := time.Now(), 0
	for range sockets {
		c, err := net.DialUDP("udp4", nil, to)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		for range rounds {
			for range perRound {
				if _, err := c.Write(check.Raw); err != nil {
					t.Fatal(err)
				}
			}
			answers += received(c)
		}
	}
	most := 200 + 100*int(time.Since(begun).Seconds()+1)
	if answers > most || answers < 50 {
		t.Errorf("%d answers to %d checks, at most %d are allowed", answers, sockets*rounds*perRound, most)
	}
}

// received reads the answers to checks until none came for a moment.
func received(c *net.UDPConn) (n int) {
	buf := make([]byte, 2048)
	for {
		_ = c.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
		size, err := c.Read(buf)
		if err != nil {
			return n
		}
		if m := (&stun.Message{Raw: buf[:size]}); m.Decode() == nil && m.Type == stun.BindingSuccess {
			n++
		}
	}
}
