package rpc

import (
	"math"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// FromProfile returns the message of a profile as it is sent. A profile without a
// name gets one, because the name is part of the signature.
func FromProfile(p core.Profile) *VideoProfile {
	name := p.Name
	if name == "" {
		name = p.DefaultName("ffmpeg")
	}
	return &VideoProfile{
		Name:         name,
		Width:        clampInt32(p.Width),
		Height:       clampInt32(p.Height),
		Bitrate:      clampInt32(p.Bitrate),
		Fps:          p.FPS.Num,
		Format:       VideoProfile_Format(p.Format),
		FpsDen:       p.FPS.Den,
		Profile:      VideoProfile_Profile(p.Profile),
		Gop:          gopMillis(p.GOP),
		Encoder:      VideoProfile_VideoCodec(p.Encoder),
		ColorDepth:   clampInt32(p.ColorDepth),
		ChromaFormat: VideoProfile_ChromaSubsampling(p.Chroma),
		Quality:      uint32(max(0, clampInt32(p.Quality))),
	}
}

// Core reads the message. Enumerations outside the network's give the faults
// SegmentFormat, SegmentEncoderProfile and SegmentCodec. Color depth and chroma
// format are carried whatever they are, since nothing acts on them.
func (x *VideoProfile) Core() (core.Profile, error) {
	const op = "read profile"
	switch {
	case x.GetFormat() < 0 || x.GetFormat() > VideoProfile_MP4:
		return core.Profile{}, fault.New(fault.SegmentFormat, op, "")
	case x.GetProfile() < 0 || x.GetProfile() > VideoProfile_H264_CONSTRAINED_HIGH:
		return core.Profile{}, fault.New(fault.SegmentEncoderProfile, op, "")
	case x.GetEncoder() < 0 || x.GetEncoder() > VideoProfile_VP9:
		return core.Profile{}, fault.New(fault.SegmentCodec, op, "")
	}
	p := core.Profile{
		Name:       x.GetName(),
		Width:      int(x.GetWidth()),
		Height:     int(x.GetHeight()),
		Bitrate:    int(x.GetBitrate()),
		FPS:        core.Framerate{Num: x.GetFps(), Den: x.GetFpsDen()},
		Format:     core.Format(x.GetFormat()),
		Encoder:    core.VideoCodec(x.GetEncoder()),
		Profile:    core.H264Profile(x.GetProfile()),
		GOP:        core.GOPIntra,
		Quality:    int(x.GetQuality()),
		ColorDepth: int(x.GetColorDepth()),
		Chroma:     core.ChromaFormat(x.GetChromaFormat()),
	}
	// Values below -1 stay negative, so that the transcoder refuses them.
	if gop := x.GetGop(); gop != -1 {
		p.GOP = core.GOP(time.Duration(gop) * time.Millisecond)
	}
	if p.Name == "" {
		p.Name = p.DefaultName("net")
	}
	return p, nil
}

func gopMillis(gop core.GOP) int32 {
	if gop == core.GOPIntra {
		return -1
	}
	return int32(min(math.MaxInt32, max(math.MinInt32, time.Duration(gop).Milliseconds())))
}

func clampInt32(n int) int32 { return int32(min(math.MaxInt32, max(math.MinInt32, n))) }
