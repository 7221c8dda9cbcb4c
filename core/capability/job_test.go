package capability_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
)

func TestJobVectors(t *testing.T) {
	t.Parallel()
	two := []core.Profile{{}, {}}
	jobs := map[string]capability.Job{
		"rtmp_h264_two_ts":       {Profiles: two},
		"http_push_h264_two_ts":  {Profiles: two, HTTPPush: true},
		"http_push_h264_mp4_out": {Profiles: []core.Profile{{Format: core.FormatMP4}}, HTTPPush: true},
		"http_push_frac_high_gop": {HTTPPush: true, Profiles: []core.Profile{
			{FPS: core.Framerate{Num: 30000, Den: 1001}, Profile: core.ProfileHigh, GOP: core.GOP(time.Second)}}},
		"http_push_with_verification": {Profiles: two, HTTPPush: true, Verify: true},
	}
	for _, row := range readVectors(t).Jobs {
		job, ok := jobs[row.Name]
		if !ok {
			t.Errorf("no job for %s", row.Name)
			continue
		}
		got := capability.ForJob(job)
		if len(got.Bits) != 1 || fmt.Sprintf("0x%016x", got.Bits[0]) != row.Bitstring {
			t.Errorf("%s: %#x, want %s", row.Name, []uint64(got.Bits), row.Bitstring)
		}
		if got.Capacities != nil || got.Version != "" {
			t.Errorf("%s: capacities %v, version %q", row.Name, got.Capacities, got.Version)
		}
	}
}

func TestJobConditions(t *testing.T) {
	t.Parallel()
	// Every job asks for these.
	base := []capability.ID{capability.AuthToken}
	out := func(p core.Profile) capability.Job { return capability.Job{Profiles: []core.Profile{p}} }
	for _, row := range []struct {
		name string
		job  capability.Job
		want []capability.ID
	}{
		{"nothing known", capability.Job{}, []capability.ID{capability.H264}},
		{"HEVC in", capability.Job{InputCodec: core.CodecHEVC}, []capability.ID{capability.HEVCDecode}},
		{"VP8 in", capability.Job{InputCodec: core.CodecVP8}, []capability.ID{capability.VP8Decode}},
		{"VP9 in", capability.Job{InputCodec: core.CodecVP9}, []capability.ID{capability.VP9Decode}},
		{"4:2:0 in", capability.Job{PixelFormat: "yuv420p"}, []capability.ID{capability.H264}},
		{"4:4:4 in", capability.Job{PixelFormat: "yuv444p"}, []capability.ID{capability.H264, 21}},
		{"4:2:2 in", capability.Job{PixelFormat: "yuv422p"}, []capability.ID{capability.H264, 22}},
		{"4:4:4 10 in", capability.Job{PixelFormat: "yuv444p10le"}, []capability.ID{capability.H264, 23}},
		{"4:2:2 10 in", capability.Job{PixelFormat: "yuv422p10le"}, []capability.ID{capability.H264, 24}},
		{"4:2:0 10 in", capability.Job{PixelFormat: "yuv420p10le"}, []capability.ID{capability.H264, 25}},
		{"10 bit HEVC in", capability.Job{InputCodec: core.CodecHEVC, PixelFormat: "yuv420p10le"},
			[]capability.ID{capability.HEVCDecode}},
		{"HEVC out", out(core.Profile{Encoder: core.CodecHEVC}),
			[]capability.ID{capability.H264, capability.MPEGTS, capability.HEVCEncode}},
		{"VP8 out", out(core.Profile{Encoder: core.CodecVP8}),
			[]capability.ID{capability.H264, capability.MPEGTS, capability.VP8Encode}},
		{"VP9 out", out(core.Profile{Encoder: core.CodecVP9}),
			[]capability.ID{capability.H264, capability.MPEGTS, capability.VP9Encode}},
		{"baseline", out(core.Profile{Profile: core.ProfileBaseline}),
			[]capability.ID{capability.H264, capability.MPEGTS, 7}},
		{"main", out(core.Profile{Profile: core.ProfileMain}), []capability.ID{capability.H264, capability.MPEGTS, 8}},
		{"constrained high", out(core.Profile{Profile: core.ProfileConstrainedHigh}),
			[]capability.ID{capability.H264, capability.MPEGTS, 10}},
		{"intra", out(core.Profile{GOP: core.GOPIntra}),
			[]capability.ID{capability.H264, capability.MPEGTS, capability.GOP}},
		{"S3", capability.Job{Storage: capability.StoreS3}, []capability.ID{capability.H264, capability.StorageS3}},
		{"GCS", capability.Job{Storage: capability.StoreGCS}, []capability.ID{capability.H264, capability.StorageGCS}},
	} {
		want := capability.Of(base...).With(row.want...)
		if got := capability.ForJob(row.job); !slices.Equal(got.Bits, want) {
			t.Errorf("%s: %v, want %v", row.name, got.Bits.IDs(), want.IDs())
		}
	}
	if got := capability.ForJob(capability.Job{MinVersion: "0.8.0"}); got.Constraints.MinVersion != "0.8.0" {
		t.Errorf("minimum version %q", got.Constraints.MinVersion)
	}
}
