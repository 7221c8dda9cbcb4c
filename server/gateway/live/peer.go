package live

import (
	"errors"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/pion/ice/v4"
	"github.com/pion/sdp/v3"
	"github.com/pion/stun/v4"
	"github.com/pion/transport/v5/packetio"
	"github.com/pion/webrtc/v4"
)

// Bounds of one connection. For each number of a source that a packet names the library keeps records and a buffer
// until the connection ends, and one packet can name hundreds.
const (
	// maxMedia bounds the media of an offer, maxNamed the numbers of sources in it.
	maxMedia, maxNamed = 16, 64
	// maxFormats bounds the formats of one of its media, whose numbers have seven bits. maxFeedback bounds what the
	// library keeps of an offer's kinds of feedback: it copies all of a format for each time that the format is listed.
	maxFormats, maxFeedback = 128, 1 << 16
	// maxCredential bounds a peer's name and its password (RFC 8839), which are in each check that it is sent.
	maxCredential = 256
	// maxSources bounds the numbers that a peer's packets of media, and those of its reports, name.
	maxSources = 16
	// maxAddresses bounds the addresses from which a peer checks its connection. The library keeps each, and checks it
	// as well, until the connection ends; a peer has a few at once, and others when its network changes.
	maxAddresses = 128
	// mediaBuffer and reportBuffer bound what waits of one source. What a viewer sends is never read.
	mediaBuffer, reportBuffer = 1 << 20, 64 << 10
)

var (
	errNoMedia       = errors.New("the offer has no media")
	errManyMedia     = errors.New("the offer has too many media, sources, formats or kinds of feedback")
	errCredential    = errors.New("the offer's ice-ufrag or ice-pwd is too long")
	errHiddenAddress = errors.New("the offer has an address or a data channel where none can be")
)

// newPeer makes a connection, to a viewer or to a publisher. A peer that names too many sources, or has too many
// addresses, loses it.
func (s *Server) newPeer(viewer bool) (*webrtc.PeerConnection, error) {
	var pc *webrtc.PeerConnection
	bound := sources{media: mediaBuffer, over: func() { s.background(func() { _ = pc.Close() }) }}
	settings, keys := s.rtc.settings, s.rtc.keys
	if viewer {
		bound.media, keys = reportBuffer, 0
	}
	settings.BufferFactory = bound.buffer
	settings.SetICEBindingRequestHandler(func(_ *stun.Message, _, remote ice.Candidate, _ *ice.CandidatePair) bool {
		bound.check(remote.Address(), remote.Port())
		return false // it is the library's to choose one
	})
	api, err := newAPI(settings, keys)
	if err != nil {
		return nil, err
	}
	pc, err = api.NewPeerConnection(webrtc.Configuration{})
	return pc, err
}

// sources counts the sources that a peer's packets name, and its addresses.
type sources struct {
	// media bounds the buffer of a source of media. over ends the connection, and does not wait for its end.
	media int
	over  func()

	mu    sync.Mutex
	count map[packetio.BufferPacketType]int
	// addresses are those from which the peer checked the connection.
	addresses map[string]struct{}
	ended     bool
}

// check counts an address from which the peer checks the connection.
func (s *sources) check(host string, port int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	if s.addresses == nil {
		s.addresses = make(map[string]struct{})
	}
	if s.addresses[net.JoinHostPort(host, strconv.Itoa(port))] = struct{}{}; len(s.addresses) > maxAddresses {
		s.endLocked()
	}
}

func (s *sources) endLocked() {
	if !s.ended {
		s.ended = true
		s.over()
	}
}

// buffer is the buffer of one more source.
func (s *sources) buffer(kind packetio.BufferPacketType, _ uint32) io.ReadWriteCloser {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.count == nil {
		s.count = make(map[packetio.BufferPacketType]int)
	}
	s.count[kind]++
	if s.count[kind] > maxSources {
		s.endLocked()
		return nothing{}
	}
	b := &packets{packetio.NewBuffer()}
	b.SetLimitSize(reportBuffer)
	if kind == packetio.RTPBufferPacket {
		b.SetLimitSize(s.media)
	}
	return b
}

// packets is a buffer in the form that the library takes.
type packets struct{ *packetio.Buffer }

// Read reads a packet.
func (b *packets) Read(p []byte) (int, error) {
	n, _, err := b.Buffer.Read(p, nil)
	return n, err
}

// Write writes a packet.
func (b *packets) Write(p []byte) (int, error) { return b.Buffer.Write(p, nil) }

// ReadWithAttributes reads a packet and what is known of it.
func (b *packets) ReadWithAttributes(p []byte, a packetio.Attributes) (int, packetio.Attributes, error) {
	return b.Buffer.Read(p, a)
}

// WriteWithAttributes writes a packet and what is known of it.
func (b *packets) WriteWithAttributes(p []byte, a packetio.Attributes) (int, error) {
	return b.Buffer.Write(p, a)
}

// nothing is the buffer of a source that is one too many.
type nothing struct{}

// Read is at the end.
func (nothing) Read([]byte) (int, error) { return 0, io.EOF }

// Write drops what is written.
func (nothing) Write(p []byte) (int, error) { return len(p), nil }

// Close closes nothing.
func (nothing) Close() error { return nil }

// isData reports whether a part of an offer is that of data channels, which a peer could open by the ten thousand.
func isData(m *sdp.MediaDescription) bool { return m.MediaName.Media == "application" }

// refuseData says of a part of an offer that its data channels are not open.
func refuseData(m *sdp.MediaDescription) {
	m.MediaName.Port.Value = 0
	m.Attributes = slices.DeleteFunc(m.Attributes, isBundleOnly)
}

// isBundleOnly reports whether an attribute says that a port of 0 means nothing.
func isBundleOnly(a sdp.Attribute) bool { return a.Key == "bundle-only" }

// longCredentials reports whether a peer's name or password is longer than any may be.
func longCredentials(all []sdp.Attribute) bool {
	return slices.ContainsFunc(all, func(a sdp.Attribute) bool {
		return (a.Key == "ice-ufrag" || a.Key == "ice-pwd") && len(a.Value) > maxCredential
	})
}

// tooMany reports whether an offer has more media, sources, formats or kinds of feedback than publishers and viewers
// need.
func tooMany(offer *sdp.SessionDescription) bool {
	named, kept := 0, 0
	for _, m := range offer.MediaDescriptions {
		formats, feedback := len(m.MediaName.Formats), 0
		for _, a := range m.Attributes {
			switch {
			case strings.HasPrefix(a.Key, "ssrc"), a.Key == "rid":
				named++
			case a.Key == "rtcp-fb":
				feedback++
			}
		}
		if kept += formats * feedback; formats > maxFormats {
			return true
		}
	}
	return len(offer.MediaDescriptions) > maxMedia || named > maxNamed || kept > maxFeedback
}
