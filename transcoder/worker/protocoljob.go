package worker

import (
	"time"

	"github.com/tuttinode/tutti/core"
)

// EncodeJob encodes a job without its input's bytes. These are in the arena's slot, or follow the message
// as payload if slot is 0.
func EncodeJob(job *core.TranscodeJob, slot int) ([]byte, error) {
	if err := checkJob(job); err != nil {
		return nil, err
	}
	var e encoder
	e.text(string(job.Session))
	e.text(string(job.Manifest))
	e.num(int64(job.Number))
	e.place(InputPlace{Len: len(job.Input), Slot: slot})
	e.num(int64(job.Duration))
	e.flag(job.Signature)
	e.flag(job.Reinit)
	e.num(int64(job.Effect))
	e.text(job.Origin)
	e.flag(job.Clip != nil)
	if job.Clip != nil {
		e.num(int64(job.Clip.From))
		e.num(int64(job.Clip.To))
	}
	e.num(int64(len(job.Profiles)))
	for i := range job.Profiles {
		encodeProfile(&e, &job.Profiles[i])
	}
	if len(e.b) > maxMessage {
		return nil, protocolErrorf("job description of %d bytes", len(e.b))
	}
	return e.b, nil
}

// checkJob returns an error for a job that DecodeJob would refuse as malformed.
func checkJob(job *core.TranscodeJob) error {
	if len(job.Profiles) > maxProfiles || len(job.Input) > core.MaxSegmentBytes {
		return protocolErrorf("job of %d profiles and %d bytes", len(job.Profiles), len(job.Input))
	}
	longest := max(len(job.Session), len(job.Manifest), len(job.Origin))
	for i := range job.Profiles {
		longest = max(longest, len(job.Profiles[i].Name))
	}
	if longest > maxName {
		return protocolErrorf("a name of %d bytes", longest)
	}
	return nil
}

// DecodeJob decodes a job, whose Input is nil, and returns where its input's bytes are.
func DecodeJob(b []byte) (job *core.TranscodeJob, input InputPlace, err error) {
	d := decoder{b: b}
	job = &core.TranscodeJob{
		Session:  core.SessionID(d.text("the session", maxName)),
		Manifest: core.ManifestID(d.text("the manifest", maxName)),
		Number:   core.SegmentNumber(d.num()),
	}
	input = d.place()
	job.Duration = time.Duration(d.num())
	job.Signature = d.flag()
	job.Reinit = d.flag()
	job.Effect = core.Effect(d.num())
	job.Origin = d.text("the origin", maxName)
	if d.flag() {
		job.Clip = &core.Clip{From: time.Duration(d.num()), To: time.Duration(d.num())}
	}
	n := d.within("the number of profiles", 0, maxProfiles)
	for range n {
		if d.err != nil {
			break
		}
		job.Profiles = append(job.Profiles, decodeProfile(&d))
	}
	if err := d.end(); err != nil {
		return nil, InputPlace{}, err
	}
	return job, input, nil
}

func encodeProfile(e *encoder, p *core.Profile) {
	e.text(p.Name)
	for _, v := range [...]int64{
		int64(p.Width), int64(p.Height), int64(p.Bitrate),
		int64(p.FPS.Num), int64(p.FPS.Den), int64(p.Format), int64(p.Encoder),
		int64(p.Profile), int64(p.GOP), int64(p.Quality), int64(p.ColorDepth), int64(p.Chroma),
	} {
		e.num(v)
	}
}

// decodeProfile does not check the values: the engine does, and its fault is the more exact one.
func decodeProfile(d *decoder) core.Profile {
	p := core.Profile{Name: d.text("a profile's name", maxName)}
	p.Width, p.Height, p.Bitrate = int(d.num()), int(d.num()), int(d.num())
	p.FPS = core.Framerate{Num: uint32(d.within("fps", 0, 1<<32-1)), Den: uint32(d.within("fpsDen", 0, 1<<32-1))}
	p.Format, p.Encoder = core.Format(d.num()), core.VideoCodec(d.num())
	p.Profile, p.GOP = core.H264Profile(d.num()), core.GOP(d.num())
	p.Quality, p.ColorDepth, p.Chroma = int(d.num()), int(d.num()), core.ChromaFormat(d.num())
	return p
}
