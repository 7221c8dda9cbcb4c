package rpc_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/rpc"
)

func presetNamed(t testing.TB, name string) core.Profile {
	t.Helper()
	p, ok := core.PresetByName(name)
	if !ok {
		t.Fatalf("no preset %s", name)
	}
	return p
}

type segmentCase struct {
	Name      string
	Manifest  core.ManifestID `json:"manifest_id"`
	Seq       core.SegmentNumber
	Hash      hexBytes
	Duration  int64    `json:"duration_ms"`
	Field     string   `json:"profiles_field_used"`
	Names     []string `json:"profile_names"`
	Signature hexBytes
	Header    string   `json:"livepeer_segment_header"`
	Proto     hexBytes `json:"segdata_proto_hex"`
}

func segmentCases(t testing.TB) []segmentCase {
	t.Helper()
	var file struct{ Cases []segmentCase }
	readVectors(t, "segdata.json", &file)
	if len(file.Cases) != 5 {
		t.Fatalf("%d cases", len(file.Cases))
	}
	return file.Cases
}

// segmentDetails are what the vectors' cases ask for besides what they state.
func segmentDetails(t testing.TB) map[string]rpc.SegmentMeta {
	t.Helper()
	token := vectorToken(t)
	ask := func(ids ...capability.ID) capability.Capabilities {
		return capability.Capabilities{Bits: capability.Of(ids...)}
	}
	mp4 := presetNamed(t, "P240p30fps16x9")
	mp4.Format = core.FormatMP4
	llm := defaultOffer(capability.LLM)
	llm.Constraints.PerCapability = map[capability.ID]capability.Models{
		capability.LLM: {"meta-llama/Meta-Llama-3.1-8B-Instruct": {}},
	}
	return map[string]rpc.SegmentMeta{
		"transcode_two_ts_presets": {
			Capabilities: ask(0, 1, 12, 26), Token: token,
			Profiles: []core.Profile{presetNamed(t, "P240p30fps16x9"), presetNamed(t, "P360p30fps16x9")},
		},
		"transcode_mp4_uses_fullProfiles2": {
			Capabilities: ask(0, 1, 12, 26), Token: token, Profiles: []core.Profile{mp4},
		},
		"transcode_fractional_gop_profile_uses_fullProfiles3": {
			Capabilities: ask(0, 1, 12, 26), Token: token,
			Signature: true, Reinit: true, Clip: &core.Clip{From: 250 * time.Millisecond, To: 1250 * time.Millisecond},
			Profiles: []core.Profile{
				{Name: "custom_640x360_1000000", Width: 640, Height: 360, Bitrate: 1_000_000,
					FPS: core.Framerate{Num: 30000, Den: 1001}, Profile: core.ProfileHigh, GOP: core.GOP(2 * time.Second)},
				{Name: "custom_320x240_500000", Width: 320, Height: 240, Bitrate: 500_000, GOP: core.GOPIntra},
			},
		},
		"ai_llm_empty_segment": {Capabilities: llm, Token: token},
	}
}

func TestSegmentVectors(t *testing.T) {
	t.Parallel()
	details := segmentDetails(t)
	for _, c := range segmentCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			m, err := rpc.DecodeSegData(c.Header)
			if err != nil {
				t.Fatal(err)
			}
			if header, err := rpc.EncodeHeader(m); err != nil || header != c.Header {
				t.Errorf("header %s, %v", header, err)
			}
			meta, err := rpc.FromSegData(m)
			if err != nil {
				t.Fatal(err)
			}
			checkStated(t, c, meta)
			want, ok := details[c.Name]
			if !ok {
				// Nothing but number, hash and signature; no node sends that.
				checkBytes(t, m, c.Proto)
				return
			}
			want.Manifest, want.Number, want.Hash, want.Sig = c.Manifest, c.Seq, [32]byte(c.Hash), c.Signature
			want.Duration = time.Duration(c.Duration) * time.Millisecond
			checkBytes(t, rpc.ToSegData(&want), c.Proto)
			if c.Duration == 0 {
				want.Duration = core.DefaultSegmentDuration
			}
			if got := fmt.Sprintf("%+v", summary(t, meta)); got != fmt.Sprintf("%+v", summary(t, &want)) {
				t.Errorf("read\n%s, want\n%+v", got, summary(t, &want))
			}
		})
	}
}

// summary is a SegmentMeta in a form that can be compared.
func summary(t *testing.T, m *rpc.SegmentMeta) string {
	t.Helper()
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func checkStated(t *testing.T, c segmentCase, meta *rpc.SegmentMeta) {
	t.Helper()
	var names []string
	for _, p := range meta.Profiles {
		names = append(names, p.Name)
	}
	if !slices.Equal(names, c.Names) {
		t.Errorf("names %v, want %v", names, c.Names)
	}
	if meta.Manifest != c.Manifest || meta.Number != c.Seq || string(meta.Hash[:]) != string(c.Hash) ||
		string(meta.Sig) != string(c.Signature) {
		t.Errorf("read %+v", meta)
	}
}

func TestFromSegDataRefuses(t *testing.T) {
	t.Parallel()
	profile := func(p *rpc.VideoProfile) *rpc.SegData {
		return &rpc.SegData{FullProfiles3: []*rpc.VideoProfile{p}}
	}
	for _, row := range []struct {
		name string
		in   *rpc.SegData
		code fault.Code
		wire string
	}{
		{"format", profile(&rpc.VideoProfile{Format: 2}), fault.SegmentFormat, "unrecognized profile output format"},
		{"negative format", profile(&rpc.VideoProfile{Format: -1}), fault.SegmentFormat,
			"unrecognized profile output format"},
		{"encoder profile", profile(&rpc.VideoProfile{Profile: 5}), fault.SegmentEncoderProfile,
			"unrecognized encoder profile"},
		{"codec", profile(&rpc.VideoProfile{Encoder: 4}), fault.SegmentCodec, "unrecognized video codec"},
		{"negative duration", &rpc.SegData{Duration: -1}, fault.SegmentDuration, "invalid duration"},
		{"long duration", &rpc.SegData{Duration: 300_001}, fault.SegmentDuration, "invalid duration"},
		{"hash", &rpc.SegData{Hash: make([]byte, 31)}, fault.SegmentMessage, "hash of 31 bytes instead of 32"},
		{"too many profiles", &rpc.SegData{FullProfiles: make([]*rpc.VideoProfile, 65)}, fault.SegmentMessage,
			"65 profiles are more than 64"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			meta, err := rpc.FromSegData(row.in)
			if meta != nil || fault.CodeOf(err) != row.code {
				t.Fatalf("got %v, %v, want %s", meta, err, row.code)
			}
			if got := fault.Wire(err); got != row.wire {
				t.Errorf("wire text %q, want %q", got, row.wire)
			}
		})
	}
}

func TestFromSegDataDefaults(t *testing.T) {
	t.Parallel()
	meta, err := rpc.FromSegData(&rpc.SegData{
		FullProfiles:  []*rpc.VideoProfile{{Name: "old"}},
		FullProfiles2: []*rpc.VideoProfile{{Width: 640, Height: 360, Bitrate: 1000}, {Gop: -2}},
		SegmentParameters: &rpc.SegParameters{
			From: math.MaxUint64, To: 5,
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(meta.Profiles) != 2 || meta.Profiles[0].Name != "net_640x360_1000" {
		t.Errorf("profiles %+v", meta.Profiles)
	}
	if gop := meta.Profiles[1].GOP; gop >= 0 || gop == core.GOPIntra {
		t.Errorf("a gop of -2 became %v", gop)
	}
	if meta.Duration != 2*time.Second {
		t.Errorf("duration %v", meta.Duration)
	}
	if meta.Clip.From <= 0 || meta.Clip.To != 5*time.Millisecond {
		t.Errorf("clip %+v", meta.Clip)
	}
	empty, err := rpc.FromSegData(nil)
	if err != nil || empty.Token != nil || !capability.Compatible(&empty.Capabilities, &capability.Capabilities{}) {
		t.Errorf("no message: %+v, %v", empty, err)
	}
}

func TestToSegDataBounds(t *testing.T) {
	t.Parallel()
	m := rpc.ToSegData(&rpc.SegmentMeta{
		Duration: math.MaxInt64,
		Clip:     &core.Clip{From: -time.Second, To: time.Second},
		Profiles: []core.Profile{{Width: 640, Height: 360, Bitrate: math.MaxInt64, GOP: math.MaxInt64, Quality: -1}},
	})
	p := m.GetFullProfiles3()[0]
	if m.GetDuration() != math.MaxInt32 || m.GetSegmentParameters().GetFrom() != 0 || p.GetBitrate() != math.MaxInt32 ||
		p.GetGop() != math.MaxInt32 || p.GetQuality() != 0 {
		t.Errorf("sent %v", m)
	}
	if want := fmt.Sprintf("ffmpeg_640x360_%d", math.MaxInt64); p.GetName() != want {
		t.Errorf("name %s, want %s", p.GetName(), want)
	}
	if m.GetCapabilities().GetConstraints() == nil {
		t.Error("no constraints")
	}
	if string(m.GetProfiles()) != "invalid" {
		t.Errorf("profiles %s", m.GetProfiles())
	}
}

// TestProfileVectors also proves that profiles survive the wire.
func TestProfileVectors(t *testing.T) {
	t.Parallel()
	var file struct {
		Profiles []struct {
			Name  string
			Proto hexBytes `json:"proto_hex"`
		}
	}
	readVectors(t, "profiles.json", &file)
	byName := map[string]core.Profile{}
	for _, p := range core.Presets() {
		byName[p.Profile.Name] = p.Profile
	}
	if len(file.Profiles) != len(byName) {
		t.Errorf("%d presets, %d vectors", len(byName), len(file.Profiles))
	}
	for _, row := range file.Profiles {
		want, ok := byName[row.Name]
		if !ok {
			t.Errorf("no preset %s", row.Name)
			continue
		}
		checkBytes(t, rpc.FromProfile(want), row.Proto)
		var m rpc.VideoProfile
		if err := proto.Unmarshal(row.Proto, &m); err != nil {
			t.Fatal(err)
		}
		if got, err := m.Core(); err != nil || got != want {
			t.Errorf("%s: read %+v, %v", row.Name, got, err)
		}
	}
	full := core.Profile{
		Name: "n", Width: 1, Height: 2, Bitrate: 3, FPS: core.Framerate{Num: 4, Den: 5}, Format: core.FormatMP4,
		Encoder: core.CodecVP9, Profile: core.ProfileConstrainedHigh, GOP: core.GOP(6 * time.Millisecond), Quality: 7,
		ColorDepth: 8, Chroma: core.Chroma444,
	}
	if got, err := rpc.FromProfile(full).Core(); err != nil || got != full {
		t.Errorf("came back as %+v, %v", got, err)
	}
}
