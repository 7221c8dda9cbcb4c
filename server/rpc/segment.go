package rpc

import (
	"fmt"
	"math"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
)

// HashBytes is the size of a segment's hash.
const HashBytes = 32

// maxProfiles bounds the renditions of one segment. The network's transcoders
// take 10.
const maxProfiles = 64

// legacyProfiles is the content of the field that old nodes read profiles from.
const legacyProfiles = "invalid"

// SegmentMeta is a SegData in domain words: everything about a segment but its
// bytes.
type SegmentMeta struct {
	Manifest core.ManifestID
	Number   core.SegmentNumber
	// Hash is the keccak of the segment's bytes, or their SHA-256 if SHA256 is set.
	Hash   [HashBytes]byte
	SHA256 bool
	// Duration is what the sender says; it is never 0 when received.
	Duration time.Duration
	// Profiles have names when received.
	Profiles     []core.Profile
	Capabilities capability.Capabilities
	// Clip is nil for the whole segment.
	Clip *core.Clip
	// Signature asks for an MPEG-7 signature per rendition.
	Signature bool
	// AcceptsSHA256 says that the result may be signed over the SHA-256 of the renditions.
	AcceptsSHA256 bool
	// Reinit says that the source changed.
	Reinit bool
	// Token is the auth token as the gateway was given it, nil when it sent none.
	Token *AuthToken
	// Storage is the gateway's own external store, usually empty.
	Storage []*OSInfo
	// Sig is the gateway's signature over Flatten, empty off-chain.
	Sig []byte
}

// FromSegData reads a segment's description and checks what the protocol checks
// before anything else. Errors are faults SegmentFormat, SegmentEncoderProfile,
// SegmentCodec, SegmentDuration and, for what no node sends, SegmentMessage.
//
// The result shares memory with the message.
func FromSegData(m *SegData) (*SegmentMeta, error) {
	meta := &SegmentMeta{
		Manifest:     core.ManifestID(m.GetManifestId()),
		Number:       core.SegmentNumber(m.GetSeq()),
		Capabilities: m.GetCapabilities().Capability(),
		Signature:    m.GetCalcPerceptualHash(),
		Reinit:       m.GetForceSessionReinit(),

		AcceptsSHA256: m.GetAcceptsSha256(),
		SHA256:        m.GetSha256(),
		Token:         m.GetAuthToken(),
		Storage:       m.GetStorage(),
		Sig:           m.GetSig(),
	}
	var err error
	if meta.Profiles, err = receivedProfiles(m); err != nil {
		return nil, err
	}
	if meta.Duration, err = receivedDuration(m.GetDuration()); err != nil {
		return nil, err
	}
	// A notice that only ends a session has no hash.
	if n := len(m.GetHash()); n != 0 && n != HashBytes {
		return nil, fault.New(fault.SegmentMessage, "read segment description",
			fmt.Sprintf("hash of %d bytes instead of %d", n, HashBytes))
	}
	copy(meta.Hash[:], m.GetHash())
	if p := m.GetSegmentParameters(); p != nil {
		meta.Clip = &core.Clip{From: clipTime(p.GetFrom()), To: clipTime(p.GetTo())}
	}
	return meta, nil
}

// ToSegData returns the message of a segment's description as a gateway or an
// orchestrator sends it.
func ToSegData(meta *SegmentMeta) *SegData {
	m := &SegData{
		ManifestId:         []byte(meta.Manifest),
		Seq:                int64(meta.Number),
		Hash:               meta.Hash[:],
		Profiles:           []byte(legacyProfiles),
		Sig:                meta.Sig,
		Duration:           int32(min(math.MaxInt32, max(0, meta.Duration.Milliseconds()))),
		Capabilities:       FromCapabilities(meta.Capabilities),
		AuthToken:          meta.Token,
		CalcPerceptualHash: meta.Signature,
		Storage:            meta.Storage,
		ForceSessionReinit: meta.Reinit,
		AcceptsSha256:      meta.AcceptsSHA256,
		Sha256:             meta.SHA256,
	}
	sentProfiles(m, meta.Profiles)
	if c := meta.Clip; c != nil {
		m.SegmentParameters = &SegParameters{
			From: uint64(max(0, c.From.Milliseconds())),
			To:   uint64(max(0, c.To.Milliseconds())),
		}
	}
	return m
}

func receivedDuration(millis int32) (time.Duration, error) {
	d := time.Duration(millis) * time.Millisecond
	switch {
	case d == 0:
		return core.DefaultSegmentDuration, nil
	case d < 0 || d > core.MaxSegmentDuration:
		return 0, fault.New(fault.SegmentDuration, "read segment description", "")
	}
	return d, nil
}

// clipTime turns milliseconds into a time; a number beyond what a Duration holds
// is as good as the end of time.
func clipTime(millis uint64) time.Duration {
	const most = uint64(math.MaxInt64 / int64(time.Millisecond))
	return time.Duration(min(millis, most)) * time.Millisecond
}

// receivedProfiles reads the newest of the three fields that is in use.
func receivedProfiles(m *SegData) ([]core.Profile, error) {
	in := m.GetFullProfiles3()
	if len(in) == 0 {
		in = m.GetFullProfiles2()
	}
	if len(in) == 0 {
		in = m.GetFullProfiles()
	}
	if len(in) > maxProfiles {
		return nil, fault.New(fault.SegmentMessage, "read segment description",
			fmt.Sprintf("%d profiles are more than %d", len(in), maxProfiles))
	}
	var out []core.Profile
	for _, p := range in {
		read, err := p.Core()
		if err != nil {
			return nil, err
		}
		out = append(out, read)
	}
	return out, nil
}

// sentProfiles puts the profiles into the oldest field whose readers understand
// them: field 33 knows only MPEG-TS, whole frame rates and encoder defaults; 34
// adds MP4; 35 knows everything.
func sentProfiles(m *SegData, profiles []core.Profile) {
	mp4, full := false, false
	var out []*VideoProfile
	for _, p := range profiles {
		mp4 = mp4 || p.Format == core.FormatMP4
		full = full || p.FPS.Den != 0 || p.Profile != core.ProfileDefault || p.GOP != 0
		out = append(out, FromProfile(p))
	}
	switch {
	case full:
		m.FullProfiles3 = out
	case mp4:
		m.FullProfiles2 = out
	default:
		m.FullProfiles = out
	}
}
