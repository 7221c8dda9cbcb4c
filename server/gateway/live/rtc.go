package live

import (
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/pion/ice/v4"
	"github.com/pion/interceptor"
	"github.com/pion/interceptor/pkg/cc"
	"github.com/pion/interceptor/pkg/intervalpli"
	"github.com/pion/logging"
	"github.com/pion/sdp/v3"
	"github.com/pion/webrtc/v4"
)

// Times of connections: after goneAfter without a packet one counts as disconnected, after failAfter more it ends.
const (
	goneAfter = 5 * time.Second
	failAfter = 10 * time.Second
	keepAlive = 2 * time.Second
	// keyEvery is how often a publisher gets a request for a key frame at the least, keyMost at the most.
	keyEvery, keyMost = 2 * time.Second, 500 * time.Millisecond
	// gatherWithin bounds the collection of our own addresses.
	gatherWithin = 5 * time.Second
)

// Payload types that we register. Answers use the offer's.
const (
	payloadOpus  = 111
	payloadVideo = 96
)

// mediaEngine knows the codecs that are taken and sent. Every H.264 profile matches one of them.
func mediaEngine() (*webrtc.MediaEngine, error) {
	m := &webrtc.MediaEngine{}
	feedback := []webrtc.RTCPFeedback{{Type: "goog-remb"}, {Type: "nack"}, {Type: "nack", Parameter: "pli"},
		{Type: "ccm", Parameter: "fir"}}
	pt := webrtc.PayloadType(payloadVideo)
	for _, mode := range []string{"1", "0"} {
		for _, codec := range []webrtc.RTPCodecCapability{
			{MimeType: webrtc.MimeTypeH264, ClockRate: videoClock, RTCPFeedback: feedback,
				SDPFmtpLine: "level-asymmetry-allowed=1;packetization-mode=" + mode + ";profile-level-id=42001f"},
			{MimeType: webrtc.MimeTypeRTX, ClockRate: videoClock, SDPFmtpLine: fmt.Sprintf("apt=%d", pt)},
		} {
			if err := m.RegisterCodec(webrtc.RTPCodecParameters{RTPCodecCapability: codec, PayloadType: pt},
				webrtc.RTPCodecTypeVideo); err != nil {
				return nil, err
			}
			pt++
		}
	}
	return m, m.RegisterCodec(webrtc.RTPCodecParameters{
		RTPCodecCapability: webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeOpus, ClockRate: audioClock, Channels: 2,
			SDPFmtpLine: "minptime=10;useinbandfec=1"},
		PayloadType: payloadOpus,
	}, webrtc.RTPCodecTypeAudio)
}

// rtc makes connections to publishers and viewers, all on one UDP port.
type rtc struct {
	mux      ice.UDPMux
	settings webrtc.SettingEngine
	// keys is how often publishers are asked for key frames.
	keys time.Duration
}

// newRTC serves connections on a socket. natIP is the address that peers are given in place of the socket's,
// "" for none. Publishers are asked for key frames so often that segments may be short.
func newRTC(conn net.PacketConn, natIP string, minSegment time.Duration) (*rtc, error) {
	quiet := &logging.DefaultLoggerFactory{DefaultLogLevel: logging.LogLevelDisabled}
	r := &rtc{mux: webrtc.NewICEUDPMux(quiet.NewLogger("ice"), boundChecks(conn, time.Now))}
	settings := webrtc.SettingEngine{LoggerFactory: quiet}
	settings.SetICEUDPMux(r.mux)
	settings.SetNetworkTypes([]webrtc.NetworkType{webrtc.NetworkTypeUDP4, webrtc.NetworkTypeUDP6})
	settings.SetICETimeouts(goneAfter, failAfter, keepAlive)
	settings.SetICEMulticastDNSMode(ice.MulticastDNSModeDisabled)
	if a, ok := conn.LocalAddr().(*net.UDPAddr); ok && a.IP.IsLoopback() {
		settings.SetIncludeLoopbackCandidate(true)
	}
	if natIP != "" {
		if err := settings.SetICEAddressRewriteRules(webrtc.ICEAddressRewriteRule{External: []string{natIP},
			AsCandidateType: webrtc.ICECandidateTypeHost, Mode: webrtc.ICEAddressRewriteReplace}); err != nil {
			return nil, err
		}
	}
	r.settings, r.keys = settings, max(keyMost, min(keyEvery, 2*minSegment))
	return r, nil
}

// newAPI makes connections that receive, and then ask for key frames every so often, or with 0 ones that send.
func newAPI(settings webrtc.SettingEngine, keys time.Duration) (*webrtc.API, error) {
	media, err := mediaEngine()
	if err != nil {
		return nil, err
	}
	registry, err := interceptors(media, settings.LoggerFactory, keys)
	if err != nil {
		return nil, err
	}
	return webrtc.NewAPI(webrtc.WithMediaEngine(media), webrtc.WithInterceptorRegistry(registry),
		webrtc.WithSettingEngine(settings)), nil
}

// interceptors are what newAPI's connections do besides sending and receiving.
func interceptors(media *webrtc.MediaEngine, log logging.LoggerFactory, keys time.Duration) (*interceptor.Registry,
	error) {
	registry := &interceptor.Registry{}
	if keys > 0 {
		asks, err := intervalpli.NewReceiverInterceptor(intervalpli.GeneratorInterval(keys),
			intervalpli.WithLoggerFactory(log))
		if err != nil {
			return nil, err
		}
		registry.Add(asks)
	}
	bound, err := cc.NewInterceptor(func() (cc.BandwidthEstimator, error) { return resends{}, nil })
	if err != nil {
		return nil, err
	}
	registry.Add(bound) // it counts for what answers to NACKs after it
	if err := webrtc.ConfigureNack(media, registry); err != nil {
		return nil, err
	}
	return registry, webrtc.ConfigureRTCPReports(registry)
}

func (r *rtc) close() { _ = r.mux.Close() }

// harmless takes the peer's addresses and data channels out of an offer. Peers reach us and are answered where they
// call from, so that an offer makes no packet go to an address that it only names. It works on what the library reads
// and not on lines: the library takes a return or a blank for the end of some, too.
func harmless(offer *sdp.SessionDescription) (string, error) {
	offer.Attributes = slices.DeleteFunc(offer.Attributes, isAddress)
	for _, m := range offer.MediaDescriptions {
		m.Attributes = slices.DeleteFunc(m.Attributes, isAddress)
		if isData(m) {
			refuseData(m)
		}
	}
	text, err := offer.Marshal()
	if err != nil {
		return "", err
	}
	var again sdp.SessionDescription
	if err := again.Unmarshal(text); err != nil {
		return "", err
	}
	if tooMany(&again) {
		return "", errManyMedia
	}
	if longCredentials(again.Attributes) {
		return "", errCredential
	}
	for _, m := range again.MediaDescriptions {
		if longCredentials(m.Attributes) {
			return "", errCredential
		}
		if slices.ContainsFunc(m.Attributes, isAddress) ||
			isData(m) && (m.MediaName.Port.Value != 0 || slices.ContainsFunc(m.Attributes, isBundleOnly)) {
			return "", errHiddenAddress
		}
	}
	return string(text), nil
}

func isAddress(a sdp.Attribute) bool { return a.IsICECandidate() }

// take sets a peer's offer.
func take(pc *webrtc.PeerConnection, offer string) error {
	d := webrtc.SessionDescription{Type: webrtc.SDPTypeOffer, SDP: offer}
	parsed, err := d.Unmarshal()
	if err != nil {
		return pc.SetRemoteDescription(d) // it refuses it in its own words
	}
	media := len(parsed.MediaDescriptions)
	if d.SDP, err = harmless(parsed); err != nil {
		return err
	}
	if err := pc.SetRemoteDescription(d); err != nil {
		return err
	}
	// Without media no address is looked for, and the answer would wait for them.
	if media == 0 {
		return errNoMedia
	}
	return nil
}

// answer answers the offer with all our addresses.
func answer(pc *webrtc.PeerConnection) (string, error) {
	a, err := pc.CreateAnswer(nil)
	if err != nil {
		return "", err
	}
	gathered := webrtc.GatheringCompletePromise(pc)
	if err := pc.SetLocalDescription(a); err != nil {
		return "", err
	}
	late := time.NewTimer(gatherWithin)
	defer late.Stop()
	select {
	case <-gathered:
	case <-late.C:
	}
	return pc.LocalDescription().SDP, nil
}
