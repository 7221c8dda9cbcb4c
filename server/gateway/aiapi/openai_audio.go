package aiapi

import (
	"net/http"
)

// openAISpeech serves /v1/audio/speech by text-to-speech. The answer is the audio itself.
func (x *exchange) openAISpeech() error {
	in, err := x.takeForm()
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
	x.answered = true
	return nil
}

// textToSpeech converts OpenAI's request to the pipeline's. A voice has no counterpart;
// instructions become the description.
func textToSpeech(in form) (object, error) {
	o, err := readObject(in)
	if err != nil {
		return nil, err
	}
	how, err := o.text("response_format")
	if err == nil {
		err = oneOf("response_format", how, "", "wav")
	}
	if err == nil {
		err = refuseStream(string(o["stream_format"]))
	}
	if err != nil {
		return nil, err
	}
	out := object{}
	for from, to := range map[string]string{"model": "model_id", "input": "text", "instructions": "description"} {
		if o.given(from) {
			out[to] = o[from]
		}
	}
	return out, nil
}

// openAITranscription serves /v1/audio/transcriptions by audio-to-text.
func (x *exchange) openAITranscription() error {
	in, err := x.takeForm()
	if err != nil {
		return err
	}
	u, err := readUpload(in)
	if err != nil {
		return err
	}
	how := u.text("response_format")
	if err := oneOf("response_format", how, "", "json", "text", "verbose_json", "srt", "vtt"); err != nil {
		return err
	}
	if err := refuseStream(u.text("stream")); err != nil {
		return err
	}
	if u.files["file"] == nil {
		return unreadable("file: a recording is needed")
	}
	stamps := "true"
	words := how == "verbose_json" && u.text("timestamp_granularities") == "word"
	if words {
		stamps = "word"
	}
	out, err := x.networkForm("audio", u.files["file"], map[string]string{"model_id": u.text("model"), "return_timestamps": stamps})
	if err != nil {
		return err
	}
	ctx := x.r.Context()
	job, err := x.prepare(ctx, out)
	if err != nil {
		return err
	}
	var t *transcript
	err = x.collect(ctx, job, maxTranscript, func(b []byte, _ string) (err error) {
		t, err = x.readTranscript(b)
		return err
	})
	if err != nil {
		return unlessRefused(err)
	}
	x.sendTranscript(t, how, words)
	x.answered = true
	return nil
}

func (x *exchange) sendTranscript(t *transcript, how string, words bool) {
	const plain = "text/plain; charset=utf-8"
	switch how {
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
