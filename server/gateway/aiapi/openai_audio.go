package aiapi

import (
	"net/http"

	"github.com/tuttinode/tutti/server/gateway/guards"
)

// openAISpeech serves /v1/audio/speech by text-to-speech. The answer is the audio itself.
func (x *relayedRequest) openAISpeech() error {
	in, err := x.readPayload()
	if err != nil {
		return err
	}
	request, err := textToSpeech(in)
	if err != nil {
		return err
	}
	out, err := x.networkJSON(request)
	if err != nil {
		return err
	}
	m, err := x.prepareAndMake(out)
	if err != nil {
		return unlessRefused(err)
	}
	x.sendWhole(http.StatusOK, m.results[0].mediaType, m.results[0].data)
	x.complete = true
	return nil
}

// textToSpeech converts OpenAI's request to the pipeline's. A voice has no counterpart;
// instructions become the description.
func textToSpeech(in payload) (object, error) {
	o, err := readObject(in)
	if err != nil {
		return nil, err
	}
	format, err := o.text("response_format")
	if err == nil {
		err = oneOf("response_format", format, "", "wav")
	}
	if err == nil {
		err = refuseStream(string(o["stream_format"]))
	}
	if err != nil {
		return nil, err
	}
	out := object{}
	for from, to := range map[string]string{"model": "model_id", "input": "text", "instructions": "description"} {
		if o.has(from) {
			out[to] = o[from]
		}
	}
	return out, nil
}

// openAITranscription serves /v1/audio/transcriptions by audio-to-text.
func (x *relayedRequest) openAITranscription() error {
	in, err := x.readPayload()
	if err != nil {
		return err
	}
	u, err := readUpload(in)
	if err != nil {
		return err
	}
	format := u.text("response_format")
	if err := oneOf("response_format", format, "", "json", "text", "verbose_json", "srt", "vtt"); err != nil {
		return err
	}
	if err := refuseStream(u.text("stream")); err != nil {
		return err
	}
	if u.files["file"] == nil {
		return unreadable("file: a recording is needed")
	}
	stamps := "true"
	words := format == "verbose_json" && u.text("timestamp_granularities") == "word"
	if words {
		stamps = "word"
	}
	out, err := x.networkMultipart("audio", u.files["file"],
		map[string]string{"model_id": u.text("model"), "return_timestamps": stamps})
	if err != nil {
		return err
	}
	ctx := x.r.Context()
	job, err := x.prepare(ctx, out)
	if err != nil {
		return err
	}
	var t *transcript
	err = x.collect(ctx, job, maxTranscript, func(b []byte, _ Source) (err error) {
		if x.covered(guards.StageAnswer) {
			if b, err = x.guardAnswer(b); err != nil {
				return err
			}
		}
		t, err = x.readTranscript(b)
		return err
	})
	if err != nil {
		return unlessRefused(err)
	}
	x.sendTranscript(t, format, words)
	x.complete = true
	return nil
}

func (x *relayedRequest) sendTranscript(t *transcript, format string, words bool) {
	const plain = "text/plain; charset=utf-8"
	switch format {
	case "text":
		x.sendWhole(http.StatusOK, plain, []byte(t.Text+"\n"))
	case "srt":
		x.sendWhole(http.StatusOK, plain, t.srt())
	case "vtt":
		x.sendWhole(http.StatusOK, "text/vtt; charset=utf-8", t.vtt())
	case "verbose_json":
		x.sendJSON(http.StatusOK, t.verbose(words))
	default:
		x.sendJSON(http.StatusOK, struct {
			Text string `json:"text"`
		}{t.Text})
	}
}
