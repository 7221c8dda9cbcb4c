package gateway

import (
	"bytes"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bluenviron/gortmplib"
	"github.com/datarhei/gosrt/circular"
	"github.com/datarhei/gosrt/packet"

	"github.com/tuttinode/tutti/test/harness"
)

// TestAdmittedEncodersEndNoNode: clients that may publish send what the libraries of RTMP and SRT do not bear. Each
// loses its own stream, and the node serves on.
func TestAdmittedEncodersEndNoNode(t *testing.T) {
	t.Parallel()
	for name, attack := range map[string]func(t *testing.T, g *target, listen, uplink string){
		"objects in the metadata of a picture":  nestedMetadata,
		"the second half of an older handshake": halfHandshakes,
		"packets that are too short": func(t *testing.T, _ *target, _, uplink string) {
			if caller(t, uplink, 2).shake(5, 20, "live/short") {
				t.Error("packets of 20 bytes are taken")
			}
		},
		"packets without bytes":   emptyPackets,
		"packets that come again": packetsAgain,
		"clients that are refused": func(t *testing.T, g *target, _, uplink string) {
			c := caller(t, uplink, 4)
			for n := range 200 {
				c.shake(5, 1500, strings.Repeat("/", n%3)+"no name")
			}
			if lines := strings.Count(g.node.Log(), "SRT client"); lines > 60 {
				t.Errorf("%d lines about refused clients", lines)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			listen, uplink := harness.Address(t), harness.Address(t)
			g := start(t, "-rtmpAddr", listen, "-srtAddr", uplink)
			attack(t, g, listen, uplink)
			if status, _ := g.ask("GET", "/healthz", nil); status != 200 {
				t.Fatalf("the node answers %d\n%s", status, g.node.Log())
			}
		})
	}
}

// nestedMetadata publishes, and sends the metadata of a picture that have objects in objects.
func nestedMetadata(t *testing.T, _ *target, listen, _ string) {
	t.Helper()
	u, err := url.Parse("rtmp://" + listen + "/live/nested")
	if err != nil {
		t.Fatal(err)
	}
	c := &gortmplib.Client{URL: u, Publish: true}
	if err := c.Initialize(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	body := append([]byte("\x84hvc1"), bytes.Repeat([]byte{3, 0, 1, 'a'}, 2<<20-2)...)
	data := []byte{2, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0, 0x9f, 0, 0}
	data = append(data, 6, 0, 0, 0, byte(len(body)>>16), byte(len(body)>>8), byte(len(body)), 9, 1, 0, 0, 0)
	_, _ = c.NetConn().Write(append(data, body...)) // it may be cut off before the end
	hungUp(t, c.NetConn(), 30*time.Second)
}

// srtCaller is a client of SRT that sends what it likes.
type srtCaller struct {
	t    *testing.T
	c    *net.UDPConn
	addr net.Addr
	// id is its own number, peer the one that the node gave it.
	id, peer uint32
}

func caller(t *testing.T, to string, id uint32) *srtCaller {
	t.Helper()
	addr, err := net.ResolveUDPAddr("udp", to)
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.DialUDP("udp", nil, addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return &srtCaller{t: t, c: c, addr: addr, id: id}
}

// control sends a control packet.
func (s *srtCaller) control(kind packet.CtrlType, sub packet.CtrlSubType, cif packet.CIF) {
	s.t.Helper()
	p := packet.NewPacket(s.addr)
	h := p.Header()
	h.IsControlPacket, h.ControlType, h.SubType, h.DestinationSocketId = true, kind, sub, s.peer
	p.MarshalCIF(cif)
	var b bytes.Buffer
	if err := p.Marshal(&b); err != nil {
		s.t.Fatal(err)
	}
	_, _ = s.c.Write(b.Bytes()) // the node may be gone, which is then found out
}

// answer waits for a packet of a kind; nil for none.
func (s *srtCaller) answer(kind packet.CtrlType, within time.Duration) packet.Packet {
	s.t.Helper()
	_ = s.c.SetReadDeadline(time.Now().Add(within))
	buf := make([]byte, 2048)
	for {
		n, err := s.c.Read(buf)
		if err != nil {
			return nil
		}
		p, err := packet.NewPacketFromData(s.addr, buf[:n])
		if err == nil && p.Header().IsControlPacket && p.Header().ControlType == kind {
			return p
		}
	}
}

// flags are those that listeners ask for.
var flags = packet.CIFHandshakeExtensionFlags{TSBPDSND: true, TSBPDRCV: true, CRYPT: true, TLPKTDROP: true,
	PERIODICNAK: true, REXMITFLG: true}

// shake shakes hands and reports whether the node accepts.
func (s *srtCaller) shake(version, mtu uint32, id string) bool {
	s.t.Helper()
	s.peer = 0
	cif := &packet.CIFHandshake{IsRequest: true, Version: 4, MaxTransmissionUnitSize: mtu, MaxFlowWindowSize: 25600,
		InitialPacketSequenceNumber: circular.New(1, packet.MAX_SEQUENCENUMBER), HandshakeType: packet.HSTYPE_INDUCTION,
		SRTSocketId: s.id}
	cif.PeerIP.FromNetAddr(s.addr)
	s.control(packet.CTRLTYPE_HANDSHAKE, 0, cif)
	var got packet.CIFHandshake
	p := s.answer(packet.CTRLTYPE_HANDSHAKE, 10*time.Second)
	if p == nil || p.UnmarshalCIF(&got) != nil {
		s.t.Fatal("the node does not answer")
	}
	cif.SynCookie, cif.Version, cif.HandshakeType = got.SynCookie, version, packet.HSTYPE_CONCLUSION
	cif.HasHS, cif.HasSID, cif.StreamId = true, true, id
	cif.SRTHS = &packet.CIFHandshakeExtension{SRTVersion: 0x010401, SRTFlags: flags, SendTSBPDDelay: 60000}
	s.control(packet.CTRLTYPE_HANDSHAKE, 0, cif)
	p = s.answer(packet.CTRLTYPE_HANDSHAKE, 20*time.Second)
	if p == nil || p.UnmarshalCIF(&got) != nil || got.HandshakeType != packet.HSTYPE_CONCLUSION {
		return false
	}
	s.peer = got.SRTSocketId
	return true
}

// halfHandshakes sends the second half of a handshake of version 4, as listeners do.
func halfHandshakes(t *testing.T, _ *target, _, uplink string) {
	t.Helper()
	s := caller(t, uplink, 1)
	if s.shake(4, 1500, "live/old") {
		t.Error("a handshake of version 4 is taken")
	}
	for range 20 {
		s.control(packet.CTRLTYPE_USER, packet.EXTTYPE_HSRSP, &packet.CIFHandshakeExtension{SRTVersion: 0x010203,
			SRTFlags: packet.CIFHandshakeExtensionFlags{TSBPDRCV: true, CRYPT: true, TLPKTDROP: true, REXMITFLG: true}})
	}
	s.answer(packet.CTRLTYPE_SHUTDOWN, time.Second) // none comes
}

// packetsAgain sends packets that are due in a minute, all but the first one, and then the last one over and over: for
// each of it the node would go through all that it keeps.
func packetsAgain(t *testing.T, _ *target, _, uplink string) {
	t.Helper()
	const kept = 20_000
	s := caller(t, uplink, 5)
	if !s.shake(5, 1500, "live/again") {
		t.Fatal("an ordinary client is refused")
	}
	ended := make(chan bool, 1)
	go func() { ended <- s.answer(packet.CTRLTYPE_SHUTDOWN, 30*time.Second) != nil }()
	p := packet.NewPacket(s.addr)
	h := p.Header()
	h.DestinationSocketId, h.MessageNumber, h.Timestamp = s.peer, 1, 50_000_000
	pace := time.NewTicker(10 * time.Millisecond)
	defer pace.Stop()
	for n := uint32(2); ; n++ {
		h.PacketSequenceNumber = circular.New(min(n, kept), packet.MAX_SEQUENCENUMBER)
		var b bytes.Buffer
		if err := p.Marshal(&b); err != nil {
			t.Fatal(err)
		}
		_, _ = s.c.Write(b.Bytes())
		if n%50 != 0 {
			continue
		}
		select {
		case over := <-ended:
			if !over {
				t.Error("a client that sends a packet again and again is not ended")
			}
			return
		case <-pace.C:
		}
	}
}

// emptyPackets sends packets without bytes that are due in a minute, until the node ends the connection.
func emptyPackets(t *testing.T, _ *target, _, uplink string) {
	t.Helper()
	s := caller(t, uplink, 3)
	if !s.shake(5, 1500, "live/empty") {
		t.Fatal("an ordinary client is refused")
	}
	ended := make(chan bool, 1)
	go func() { ended <- s.answer(packet.CTRLTYPE_SHUTDOWN, 30*time.Second) != nil }()
	p := packet.NewPacket(s.addr)
	h := p.Header()
	h.DestinationSocketId, h.MessageNumber, h.Timestamp = s.peer, 1, 50_000_000
	for n := uint32(1); n < 2_000_000; n++ {
		h.PacketSequenceNumber = circular.New(n, packet.MAX_SEQUENCENUMBER)
		var b bytes.Buffer
		if err := p.Marshal(&b); err != nil {
			s.t.Fatal(err)
		}
		_, _ = s.c.Write(b.Bytes())
		select {
		case over := <-ended:
			if !over {
				s.t.Error("a client whose packets wait is not ended")
			}
			return
		default:
		}
	}
	s.t.Error("two million packets wait at the node")
}
