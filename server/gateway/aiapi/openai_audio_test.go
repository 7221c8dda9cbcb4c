package aiapi_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/aiapi"
	"github.com/tuttinode/tutti/server/gateway/broker"
)

func TestOpenAISpeech(t *testing.T) {
	t.Parallel()
	n := start(t, func(o *aiapi.Options) { o.Fetcher = fetchedFiles{"/stream/a.wav": []byte(sound)} }).serve()
	n.broker.answer = says(`{"audio":{"url":"/stream/a.wav"}}`)
	g := n.post("/v1/audio/speech",
		`{"model":"m/tts","input":"hello","voice":"alloy","instructions":"a calm voice","response_format":"wav"}`)
	g.want(t, http.StatusOK, sound)
	if got := g.header.Get("Content-Type"); got != "audio/wav" {
		t.Errorf("Content-Type %q", got)
	}
	job, _ := n.broker.last(t)
	var sent map[string]any
	if err := json.Unmarshal(job.Body, &sent); err != nil || len(sent) != 3 || sent["text"] != "hello" ||
		sent["description"] != "a calm voice" || sent["model_id"] != "m/tts" {
		t.Errorf("%v: %s", err, job.Body)
	}
	if g := n.post("/v1/audio/speech",
		`{"model":"m/tts","input":"hello","response_format":"mp3"}`); g.status != http.StatusBadRequest ||
		!strings.Contains(g.body, "RequestUnreadable") {
		t.Errorf("status %d, %s", g.status, g.body)
	}
	n.broker.answer = func(context.Context, *inference.Job) (*broker.Answer, error) {
		a := reply("application/json", &pieces{parts: []string{`{"detail":{"msg":"Text input must be provided."}}`},
			err: io.EOF})
		a.Status = http.StatusBadRequest
		return a, nil
	}
	n.post("/v1/audio/speech", `{"input":""}`).want(t, http.StatusBadRequest,
		object("Text input must be provided.", "invalid_request_error", "JobRefused"))
}

// TestOpenAISpeechFormats: the client gets the format that it asks for, MP3 where it names none, and a format
// that no model makes is refused by its field's name.
func TestOpenAISpeechFormats(t *testing.T) {
	t.Parallel()
	n := start(t, func(o *aiapi.Options) {
		o.Fetcher, o.Media = fetchedFiles{"/stream/a.wav": []byte(sound)}, seconds(1)
	}).serve()
	n.broker.answer = says(`{"audio":{"url":"/stream/a.wav"}}`)
	for format, kind := range map[string]string{
		"mp3": "audio/mpeg", "opus": "audio/ogg", "aac": "audio/aac", "flac": "audio/flac", "pcm": "audio/pcm",
	} {
		g := n.post("/v1/audio/speech", `{"model":"m","input":"hi","stream_format":"audio","response_format":"`+format+`"}`)
		g.want(t, http.StatusOK, format+":"+sound)
		if got := g.header.Get("Content-Type"); got != kind {
			t.Errorf("%s: %s", format, got)
		}
	}
	n.post("/v1/audio/speech", `{"model":"m","input":"hi"}`).want(t, http.StatusOK, "mp3:"+sound)
	n.post("/v1/audio/speech", `{"model":"m","input":"hi","response_format":"wav"}`).want(t, http.StatusOK, sound)
	for field, body := range map[string]string{
		"response_format": `{"model":"m","input":"hi","response_format":"ogg"}`,
		"stream_format":   `{"model":"m","input":"hi","stream_format":"sse"}`,
	} {
		if g := n.post("/v1/audio/speech", body); g.status != http.StatusBadRequest ||
			!strings.Contains(g.body, field+": ") || !strings.Contains(g.body, `"param":"`+field+`"`) {
			t.Errorf("status %d, %s", g.status, g.body)
		}
	}
}

// TestSoundThatCannotBeConverted: a damaged sound is its orchestrator's fault, and one for which this gateway has no
// place now is not.
func TestSoundThatCannotBeConverted(t *testing.T) {
	t.Parallel()
	for end, want := range map[string]inference.Delivery{
		"damaged": {How: inference.Faulty}, "later": {How: inference.ClientLeft},
	} {
		n := start(t, func(o *aiapi.Options) { o.Fetcher, o.Media = fetchedFiles{}, seconds(1) }).serve()
		n.broker.answer = says(`{"audio":{"url":"` + dataURL([]byte(sound+end)) + `"}}`)
		got := n.delivered()
		if g := n.post("/v1/audio/speech", `{"model":"m","input":"hi"}`); g.status < 500 {
			t.Errorf("%s: status %d", end, g.status)
		}
		if d := <-got; d != want {
			t.Errorf("%s: %+v, want %+v", end, d, want)
		}
	}
}

// TestOpenAITranscriptionEvents: a streamed transcript is OpenAI's events, whose parts are the text.
func TestOpenAITranscriptionEvents(t *testing.T) {
	t.Parallel()
	n := start(t, func(o *aiapi.Options) { o.Media = seconds(3) }).serve()
	for answer, want := range map[string]string{
		`{"text":" Hi \"you\"","chunks":[{"timestamp":[0.0,1.5],"text":" Hi"},` +
			`{"timestamp":[1.5,null],"text":" \"you\""}]}`: `data: {"type":"transcript.text.delta","delta":" Hi"}` +
			"\n\n" +
			`data: {"type":"transcript.text.delta","delta":" \"you\""}` + "\n\n" +
			`data: {"type":"transcript.text.done","text":" Hi \"you\""}` + "\n\n",
		`{"text":"Hi","chunks":[{"timestamp":[0.0,1.5],"text":"other"}]}`: `data: {"type":"transcript.text.delta",` +
			`"delta":"Hi"}` + "\n\n" + `data: {"type":"transcript.text.done","text":"Hi"}` + "\n\n",
	} {
		n.broker.answer = says(answer)
		contentType, body := upload(t, "@file", sound, "model", "m/whisper", "stream", "true")
		g := n.post("/v1/audio/transcriptions", body, "Content-Type", contentType)
		g.want(t, http.StatusOK, want)
		if got := g.header.Get("Content-Type"); got != "text/event-stream" {
			t.Error(got)
		}
	}
	for want, fields := range map[string][]string{
		"response_format: ": {"stream", "true", "response_format", "srt"}, "stream: ": {"stream", "yes"},
	} {
		contentType, body := upload(t, append([]string{"@file", sound, "model", "m"}, fields...)...)
		if g := n.post("/v1/audio/transcriptions", body, "Content-Type", contentType); g.status != http.StatusBadRequest ||
			!strings.Contains(g.body, want) {
			t.Errorf("status %d, %s", g.status, g.body)
		}
	}
}

// TestOpenAITranslation: a translation is a job of its own operation for own nodes, in all formats of a transcript;
// what has no meaning for one is refused by name.
func TestOpenAITranslation(t *testing.T) {
	t.Parallel()
	n := start(t, func(o *aiapi.Options) { o.Media = seconds(3) }).serve()
	n.broker.answer = says(`{"text":"Hi","chunks":[{"timestamp":[0.0,1.5],"text":"Hi"}]}`)
	for format, want := range map[string]string{
		"": `{"text":"Hi"}` + "\n", "text": "Hi\n",
		"verbose_json": `{"task":"translate","language":"english","duration":1.5,"text":"Hi","segments":[{"id":0,` +
			`"start":0,"end":1.5,"text":"Hi"}]}` + "\n",
		"srt": "1\n00:00:00,000 --> 00:00:01,500\nHi\n\n",
		"vtt": "WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nHi\n\n",
	} {
		contentType, body := upload(t, "@file", sound, "model", "m", "response_format", format, "prompt", "a name")
		n.post("/v1/audio/translations", body, "Content-Type", contentType).want(t, http.StatusOK, want)
		job, _ := n.broker.last(t)
		if job.Operation != inference.Translation || !strings.Contains(string(job.Body), "a name") {
			t.Errorf("%q: operation %q, %.300q", format, job.Operation, job.Body)
		}
	}
	for want, fields := range map[string][]string{
		"response_format: ": {"response_format", "csv"}, "stream: ": {"stream", "true"}, "language: ": {"language", "de"},
	} {
		contentType, body := upload(t, append([]string{"@file", sound, "model", "m"}, fields...)...)
		if g := n.post("/v1/audio/translations", body, "Content-Type", contentType); g.status != http.StatusBadRequest ||
			!strings.Contains(g.body, want) {
			t.Errorf("status %d, %s", g.status, g.body)
		}
	}
}

func TestOpenAITranscription(t *testing.T) {
	t.Parallel()
	n := start(t, func(o *aiapi.Options) { o.Media = seconds(3) }).serve()
	n.broker.answer = says(`{"text":" Hi you","chunks":[{"timestamp":[0.0,1.5],"text":" Hi"},{"timestamp":[1.5,null],` +
		`"text":" \nyou"}]}`)
	for format, want := range map[string]string{
		"":     `{"text":" Hi you"}` + "\n",
		"json": `{"text":" Hi you"}` + "\n",
		"text": " Hi you\n",
		"verbose_json": `{"task":"transcribe","duration":1.5,"text":" Hi you","segments":[{"id":0,"start":0,"end":1.5,` +
			`"text":" Hi"},` +
			`{"id":1,"start":1.5,"end":1.5,"text":" \nyou"}]}` + "\n",
		"srt": "1\n00:00:00,000 --> 00:00:01,500\nHi\n\n2\n00:00:01,500 --> 00:00:01,500\nyou\n\n",
		"vtt": "WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nHi\n\n00:00:01.500 --> 00:00:01.500\nyou\n\n",
	} {
		contentType, body := upload(t, "@file", sound, "model", "m/whisper", "response_format", format)
		n.post("/v1/audio/transcriptions", body, "Content-Type", contentType).want(t, http.StatusOK, want)
	}
	job, _ := n.broker.last(t)
	if field(t, job, "audio") != sound || field(t, job, "model_id") != "m/whisper" ||
		field(t, job, "return_timestamps") != "true" || job.Units != 3000 {
		t.Errorf("job %+v", job)
	}
	contentType, body := upload(t, "@file", sound, "response_format", "verbose_json", "timestamp_granularities[]", "word")
	if g := n.post("/v1/audio/transcriptions", body, "Content-Type", contentType); !strings.Contains(g.body,
		`"words":[{"word":"Hi","start":0,"end":1.5}`) {
		t.Errorf("status %d, %s", g.status, g.body)
	}
	if job, _ := n.broker.last(t); field(t, job, "return_timestamps") != "word" {
		t.Errorf("return_timestamps %q", field(t, job, "return_timestamps"))
	}
	for _, parts := range [][]string{{"model", "x"}, {"@file", sound, "response_format", "diarized_json"},
		{"@file", sound, "stream", "true", "response_format", "vtt"}} {
		contentType, body := upload(t, parts...)
		if g := n.post("/v1/audio/transcriptions", body, "Content-Type", contentType); g.status != http.StatusBadRequest {
			t.Errorf("%q: status %d, %s", parts, g.status, g.body)
		}
	}
}
