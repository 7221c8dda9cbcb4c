package aiapi

import (
	"net/http"

	"github.com/tuttinode/tutti/server/gateway/guards"
)

// speechForm is how a transcript is wanted.
type speechForm struct {
	format string
	// words: the parts are words.
	words, stream bool
	// task is OpenAI's name for what is done.
	task string
}

// openAITranscription serves /v1/audio/transcriptions by audio-to-text.
func (x *relayedRequest) openAITranscription() error {
	u, form, err := x.readSpeech()
	if err != nil {
		return err
	}
	if form.stream, err = streamed(u.text("stream"), form.format); err != nil {
		return err
	}
	form.task = "transcribe"
	stamps := "true"
	if form.words = form.format == "verbose_json" && u.text("timestamp_granularities") == "word"; form.words {
		stamps = "word"
	}
	return x.transcribe(u, form, map[string]string{"model_id": u.text("model"), "return_timestamps": stamps})
}

// openAITranslation serves /v1/audio/translations by servers of audio-to-text that translate; runners of
// the network do not, and refuse it by name.
func (x *relayedRequest) openAITranslation() error {
	u, form, err := x.readSpeech()
	if err == nil {
		err = refuseStream(u.text("stream"))
	}
	if err != nil {
		return err
	}
	if u.texts["language"] != nil {
		return unreadable("language: a translation is into English")
	}
	form.task = "translate"
	stamps := "true"
	if form.format == "" || form.format == "json" || form.format == "text" {
		stamps = "false"
	}
	return x.transcribe(u, form, map[string]string{"model_id": u.text("model"), "return_timestamps": stamps,
		"prompt": u.text("prompt"), "temperature": u.text("temperature")})
}

// readSpeech reads a form with a recording.
func (x *relayedRequest) readSpeech() (*upload, speechForm, error) {
	var form speechForm
	in, err := x.readPayload()
	if err != nil {
		return nil, form, err
	}
	u, err := readUpload(in)
	if err != nil {
		return nil, form, err
	}
	form.format = u.text("response_format")
	if err := oneOf("response_format", form.format, "", "json", "text", "verbose_json", "srt", "vtt"); err != nil {
		return nil, form, err
	}
	if u.files["file"] == nil {
		return nil, form, unreadable("file: a recording is needed")
	}
	return u, form, nil
}

// transcribe has a recording written down, and sends the text in the form that is wanted.
func (x *relayedRequest) transcribe(u *upload, form speechForm, texts map[string]string) error {
	out, err := x.networkMultipart("audio", u.files["file"], texts)
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
	if form.stream {
		x.sendWhole(http.StatusOK, "text/event-stream", t.events())
	} else {
		x.sendTranscript(t, form)
	}
	x.complete = true
	return nil
}

// streamed reads the field stream of a transcription. Events have text alone, as OpenAI's do.
func streamed(stream, format string) (bool, error) {
	switch stream {
	case "", "false":
		return false, nil
	case "true":
		return true, oneOf("response_format", format, "", "json", "text")
	}
	return false, unreadable("stream: must be true or false")
}

func (x *relayedRequest) sendTranscript(t *transcript, form speechForm) {
	const plain = "text/plain; charset=utf-8"
	switch form.format {
	case "text":
		x.sendWhole(http.StatusOK, plain, []byte(t.Text+"\n"))
	case "srt":
		x.sendWhole(http.StatusOK, plain, t.srt())
	case "vtt":
		x.sendWhole(http.StatusOK, "text/vtt; charset=utf-8", t.vtt())
	case "verbose_json":
		x.sendJSON(http.StatusOK, t.verbose(form))
	default:
		x.sendJSON(http.StatusOK, struct {
			Text string `json:"text"`
		}{t.Text})
	}
}
