package live_test

import (
	"net"
	"regexp"
	"strings"
	"testing"

	"github.com/pion/ice/v4"
	"github.com/pion/stun/v4"
	"github.com/pion/webrtc/v4"

	"github.com/tuttinode/tutti/test/livevideo"
)

// checks sends checks of a peer's connection from ever new addresses.
type checks struct {
	to      *net.UDPAddr
	message *stun.Message
	sockets []*net.UDPConn
}

var (
	ufragOf = regexp.MustCompile(`a=ice-ufrag:(\S+)`)
	pwdOf   = regexp.MustCompile(`a=ice-pwd:(\S+)`)
	hostOf  = regexp.MustCompile(`a=candidate:\S+ 1 udp \d+ (\S+ \d+) typ host`)
)

func newChecks(t *testing.T, a *attacker) *checks {
	t.Helper()
	answer, own := a.RemoteDescription().SDP, a.LocalDescription().SDP
	at := hostOf.FindStringSubmatch(answer)
	if at == nil {
		t.Fatal(answer)
	}
	host, port, _ := strings.Cut(at[1], " ")
	to, err := net.ResolveUDPAddr("udp", net.JoinHostPort(host, port))
	if err != nil {
		t.Fatal(err)
	}
	user := ufragOf.FindStringSubmatch(answer)[1] + ":" + ufragOf.FindStringSubmatch(own)[1]
	m, err := stun.Build(stun.BindingRequest, stun.TransactionID, stun.NewUsername(user), ice.AttrControlling(1),
		ice.PriorityAttr(1), stun.NewShortTermIntegrity(pwdOf.FindStringSubmatch(answer)[1]), stun.Fingerprint)
	if err != nil {
		t.Fatal(err)
	}
	c := &checks{to: to, message: m}
	t.Cleanup(func() {
		for _, s := range c.sockets {
			_ = s.Close()
		}
	})
	return c
}

// send sends one more.
func (c *checks) send(t *testing.T) {
	t.Helper()
	s, err := net.DialUDP("udp", nil, c.to)
	if err != nil {
		t.Fatal(err)
	}
	c.sockets = append(c.sockets, s)
	if _, err := s.Write(c.message.Raw); err != nil {
		t.Fatal(err)
	}
}

// A peer that checks its connection from ever new addresses, each of which the library keeps and checks in turn until
// the connection ends, loses it. Others go on.
func TestAPeerHasFewAddresses(t *testing.T) {
	g := newGateway(t, nil, livevideo.New(t))
	livevideo.Publish(t, g.url+"cam/whip?pipeline=noop")
	v := livevideo.Watch(t, g.url+"cam-out/whep")
	until(t, "pictures", func() bool { return v.Count() > 5 })
	for _, kind := range []string{"cam-out/whep", "other/whip?pipeline=noop"} {
		a := newAttacker(t, g.url+kind, func(*webrtc.PeerConnection) {})
		c := newChecks(t, a)
		until(t, "end of a connection to "+kind, func() bool {
			for range 8 {
				if len(c.sockets) < 400 {
					c.send(t)
				}
			}
			return !a.is(webrtc.PeerConnectionStateConnected)
		})
	}
	n := v.Count()
	until(t, "pictures of another viewer", func() bool { return v.Count() > n+20 })
}
