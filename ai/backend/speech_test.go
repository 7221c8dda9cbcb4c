package backend_test

import (
	"bytes"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/ai/backend"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// recording is a job of audio-to-text in the network's form.
func recording(t *testing.T, op inference.Operation, stamps string) *inference.Job {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	file, err := w.CreateFormFile("audio", "a.wav")
	if err == nil {
		_, err = file.Write([]byte("RIFF sound"))
	}
	for name, value := range map[string]string{"model_id": "m", "return_timestamps": stamps, "prompt": "a name",
		"metadata": `{"duration":"3"}`} {
		if err == nil {
			err = w.WriteField(name, value)
		}
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return &inference.Job{Model: inference.Model{Capability: capability.AudioToText, ID: "m"}, Operation: op,
		Body: b.Bytes(), ContentType: w.FormDataContentType()}
}

// listener is a server of recordings that says what it got. translates: it has an address for translations.
func listener(t *testing.T, translates bool, answer string) *fake {
	t.Helper()
	f := newFake(t, map[string]page{"/v1/models": {200, `{"data":[{"id":"whisper"}]}`}})
	f.job = func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/v1/audio/translations" && !translates:
			http.NotFound(w, r)
		case r.Header.Get("Content-Type") == "application/json":
			http.Error(w, `{"error":{"message":"file: is missing"}}`, http.StatusUnprocessableEntity)
		case r.ParseMultipartForm(1<<20) != nil || len(r.MultipartForm.File["file"]) != 1:
			http.Error(w, "no form", http.StatusBadRequest)
		case answer != "":
			_, _ = io.WriteString(w, answer)
		default:
			file, _ := r.MultipartForm.File["file"][0].Open()
			sound, _ := io.ReadAll(file)
			v := r.MultipartForm.Value
			_, _ = io.WriteString(w, `{"text":"`+strings.Join([]string{r.URL.Path, string(sound), v["model"][0],
				v["response_format"][0], strings.Join(v["timestamp_granularities[]"], "+"), v["prompt"][0]}, ",")+
				`","segments":[{"start":0,"end":1.5,"text":"one"}]}`)
		}
	}
	return f
}

func speechServer(t *testing.T, f *fake) *backend.Server {
	t.Helper()
	o := options(f.url)
	o.Pipeline, o.Model = capability.AudioToText, "m"
	return newServer(t, o)
}

// TestSpeech: an OpenAI-compatible server of recordings gets them in OpenAI's form, and its answers come in the
// network's.
func TestSpeech(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		op           inference.Operation
		stamps, want string
	}{
		{"audio-to-text", "true", "/v1/audio/transcriptions,RIFF sound,whisper,verbose_json,segment,a name"},
		{"audio-to-text", "word", "/v1/audio/transcriptions,RIFF sound,whisper,verbose_json,word,a name"},
		{inference.Translation, "true", "/v1/audio/translations,RIFF sound,whisper,verbose_json,,a name"},
		{inference.Translation, "false", "/v1/audio/translations,RIFF sound,whisper,json,,a name"},
	} {
		t.Run(string(tt.op)+" "+tt.stamps, func(t *testing.T) {
			t.Parallel()
			s := speechServer(t, listener(t, true, ""))
			info, err := s.Probe(within(t))
			if err != nil || !slices.Equal(info.Operations, []inference.Operation{inference.Translation}) {
				t.Fatalf("%+v, %v", info, err)
			}
			reply, err := s.Run(within(t), recording(t, tt.op, tt.stamps))
			if err != nil {
				t.Fatal(err)
			}
			text, _ := io.ReadAll(reply.Body)
			if want := `{"text":"` + tt.want + `","chunks":[{"timestamp":[0,1.5],"text":"one"}]}`; string(text) != want {
				t.Errorf("got  %s\nwant %s", text, want)
			}
		})
	}
}

// TestNoTranslation: what does not translate refuses it by name: a server without the address, and the network's own
// runners. An answer that is no transcript is not passed on.
func TestNoTranslation(t *testing.T) {
	t.Parallel()
	plain := newFake(t, map[string]page{"/health": {200, `{"status":"OK"}`}})
	for name, f := range map[string]*fake{"no such address": listener(t, false, ""), "the network's runner": plain} {
		s := speechServer(t, f)
		info, err := s.Probe(within(t))
		if err != nil || info.Operations != nil {
			t.Errorf("%s: %+v, %v", name, info, err)
		}
		_, err = s.Run(within(t), recording(t, inference.Translation, "true"))
		_, text := fault.Public(err)
		if !errors.Is(err, fault.OperationUnsupported) || !strings.Contains(text, "translation") {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := speechServer(t, listener(t, true, `[1]`))
	if _, err := s.Run(within(t), recording(t, "audio-to-text", "true")); !errors.Is(err, fault.RunnerGarbled) {
		t.Error(err)
	}
}
