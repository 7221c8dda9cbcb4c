package aiapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fairqueue"
	"github.com/tuttinode/tutti/core/fault"
)

const (
	// maxConversions is how many sounds and images are converted at once, maxWaiting how many more may wait.
	maxConversions, maxWaiting = 2, 64
	// soundGrowth and soundMargin bound a converted sound, which is at most so many times as long as the
	// original, and so many bytes: raw samples of a compressed file are several times as long.
	soundGrowth, soundMargin = 8, 1 << 20
)

// openAISpeech serves /v1/audio/speech by text-to-speech. The answer is the audio itself, in the format
// that the client asked for: models of the network make WAV.
func (x *relayedRequest) openAISpeech() error {
	in, err := x.readPayload()
	if err != nil {
		return err
	}
	request, to, err := x.textToSpeech(in)
	if err != nil {
		return err
	}
	out, err := x.networkJSON(request)
	if err != nil {
		return err
	}
	ctx := x.r.Context()
	job, err := x.prepare(ctx, out)
	if err != nil {
		return err
	}
	var sound []byte
	err = x.collect(ctx, job, maxAnswer, func(b []byte, from Source) error {
		m, err := x.readMedia(ctx, job, b, from)
		if err == nil {
			sound, err = x.converted(ctx, m.results[0].data, to)
		}
		return err
	})
	if err != nil {
		return unlessRefused(err)
	}
	x.sendWhole(http.StatusOK, to.MediaType(), sound)
	x.complete = true
	return nil
}

// textToSpeech converts OpenAI's request to the pipeline's, and returns the format asked for. A voice has
// no counterpart; instructions become the description.
func (x *relayedRequest) textToSpeech(in payload) (object, core.SoundFormat, error) {
	o, err := readObject(in)
	if err != nil {
		return nil, 0, err
	}
	to, err := x.soundFormat(o)
	if err == nil {
		var stream string
		if stream, err = o.text("stream_format"); err == nil {
			err = oneOf("stream_format", stream, "", "audio")
		}
	}
	if err != nil {
		return nil, 0, err
	}
	out := object{}
	for from, to := range map[string]string{"model": "model_id", "input": "text", "instructions": "description"} {
		if o.has(from) {
			out[to] = o[from]
		}
	}
	return out, to, nil
}

// soundFormat returns the format that a request asks for, MP3 where it names none, as OpenAI does.
func (x *relayedRequest) soundFormat(o object) (core.SoundFormat, error) {
	name, err := o.text("response_format")
	if err != nil {
		return 0, err
	}
	names := core.SoundFormats()
	switch {
	case x.server.opt.Media == nil:
		names = []string{core.SoundWAV.String()}
	case name == "":
		return core.SoundMP3, nil
	}
	if err := oneOf("response_format", name, append([]string{""}, names...)...); err != nil {
		return 0, err
	}
	f, _ := core.ParseSoundFormat(name) // "" is WAV
	return f, nil
}

// converted returns a sound in another format, or as it is where it has that format.
func (x *relayedRequest) converted(ctx context.Context, sound []byte, to core.SoundFormat) ([]byte, error) {
	const op = "convert sound"
	kind := http.DetectContentType(sound)
	if kind == "audio/wave" && to == core.SoundWAV || kind == to.MediaType() {
		return sound, nil
	}
	if x.server.opt.Media == nil {
		return nil, fault.New(fault.ResultUnusable, op, "the model made no WAV, and this gateway converts no sound")
	}
	limit := min(soundGrowth*int64(len(sound))+soundMargin, maxResult)
	if err := x.grow(limit); err != nil {
		return nil, err
	}
	began := time.Now()
	defer func() { x.waited += time.Since(began) }()
	var out []byte
	err := x.inTurn(ctx, func(turn context.Context) (err error) {
		if out, err = x.server.opt.Media.ConvertSound(turn, sound, to, limit); err != nil {
			err = conversionFault(ctx, err)
		}
		return err
	})
	return out, err
}

// conversionFault says whose fault it is that a sound was not converted. A sound that ends or blocks the
// process that converts it is its model's.
func conversionFault(ctx context.Context, err error) error {
	const op = "convert sound"
	switch {
	case ctx.Err() != nil:
		return fault.Wrap(fault.CodeOf(ctx.Err()), op, ctx.Err())
	case errors.Is(err, fairqueue.ErrFull):
		return fault.New(fault.JobsFull, op, "too many sounds and images wait to be converted")
	case notTheMediasFault(err):
		return err
	}
	return &fault.Fault{Code: fault.ResultUnusable, Op: op, Detail: "the sound cannot be converted", Err: err}
}

// notTheMediasFault says that a sound or an image was not looked at.
func notTheMediasFault(err error) bool {
	code := fault.CodeOf(err)
	return code == fault.WorkerStartFailed || code == fault.WorkerClosed || code.Class() == fault.Busy
}
