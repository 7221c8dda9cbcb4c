package backend

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"
	"net/http"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
)

const (
	transcriptionPath = "/v1/audio/transcriptions"
	translationPath   = "/v1/audio/translations"
	// maxSpeech bounds a transcript in bytes.
	maxSpeech = 16 << 20
)

// speech reports whether a runner takes recordings in OpenAI's form and not in the network's.
func (s *Server) speech(known *identity) bool {
	return s.options.Pipeline == capability.AudioToText && known.kind != Contract
}

// detectSpeech detects the kind of an audio-to-text runner: the network's runners list no models.
func (s *Server) detectSpeech(ctx context.Context) (Kind, error) {
	list, err := s.ask(ctx, modelsPath, nil)
	if err != nil {
		return "", err
	}
	if models, ok := readModels(list); ok {
		return s.openAIKind(ctx, models)
	}
	return Contract, nil
}

// speechDetails detects whether a transcription server translates as well, by a request without a
// recording.
func (s *inspection) speechDetails(ctx context.Context, info *Info) error {
	info.Slots, info.Assumed = otherSlots, true
	a, err := s.ask(ctx, translationPath, []byte("{}"))
	switch {
	case ctx.Err() != nil, errors.Is(err, fault.RunnerUnreachable):
		return err
	case err != nil || temporary(a.status):
		s.incomplete = true
	case a.ok(), clientError(a.status):
		info.Operations = []inference.Operation{inference.Translation}
	}
	return nil
}

// speechForm returns a job's recording in OpenAI's form. It shares the job's bytes.
func speechForm(served string, job *inference.Job) (contentType string, pieces [][]byte, err error) {
	fields := map[string]string{}
	var file []byte
	name := ""
	err = pipeline.Parts(job.ContentType, job.Body, func(field, fileName string, value []byte) error {
		if fileName != "" {
			file, name = value, fileName
		} else {
			fields[field] = string(value)
		}
		return nil
	})
	if err != nil {
		return "", nil, err
	}
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	put := func(field, value string) {
		if value != "" && err == nil {
			err = w.WriteField(field, value)
		}
	}
	put("model", served)
	put("prompt", fields["prompt"])
	put("temperature", fields["temperature"])
	switch stamps := fields["return_timestamps"]; {
	case stamps == "false":
		put("response_format", "json")
	case job.Operation == inference.Translation:
		put("response_format", "verbose_json")
	default:
		put("response_format", "verbose_json")
		put("timestamp_granularities[]", map[bool]string{true: "word", false: "segment"}[stamps == "word"])
	}
	if err == nil {
		_, err = w.CreateFormFile("file", cmp.Or(name, "audio"))
	}
	head := bytes.Clone(out.Bytes())
	out.Reset()
	if err == nil {
		err = w.Close()
	}
	return w.FormDataContentType(), [][]byte{head, file, out.Bytes()}, err
}

// stamped is a part of a transcript in OpenAI's form.
type stamped struct {
	Text  string   `json:"text"`
	Word  string   `json:"word"`
	Start *float64 `json:"start"`
	End   *float64 `json:"end"`
}

// networkChunk is a part of a transcript in the network's form.
type networkChunk struct {
	Timestamp [2]*float64 `json:"timestamp"`
	Text      string      `json:"text"`
}

// networkTranscript returns an OpenAI-compatible server's transcript in the network's form.
func (s *Server) networkTranscript(reply *inference.Reply) (*inference.Reply, error) {
	body, err := io.ReadAll(io.LimitReader(reply.Body, maxSpeech+1))
	_ = reply.Body.Close()
	if err != nil {
		return nil, err
	}
	var in struct {
		Text     *string   `json:"text"`
		Segments []stamped `json:"segments"`
		Words    []stamped `json:"words"`
	}
	if len(body) > maxSpeech || json.Unmarshal(body, &in) != nil || in.Text == nil {
		return nil, s.fault(fault.RunnerGarbled, opRun, "answers with no transcript in OpenAI's form", nil)
	}
	parts := in.Segments
	if len(in.Words) > 0 {
		parts = in.Words
	}
	out := struct {
		Text   string         `json:"text"`
		Chunks []networkChunk `json:"chunks"`
	}{*in.Text, make([]networkChunk, len(parts))}
	for i, p := range parts {
		out.Chunks[i] = networkChunk{[2]*float64{p.Start, p.End}, cmp.Or(p.Text, p.Word)}
	}
	text, err := json.Marshal(out)
	if err != nil {
		return nil, fault.Wrap(fault.RunnerGarbled, opRun, err)
	}
	return &inference.Reply{
		Status: http.StatusOK, ContentType: jsonType, Length: int64(len(text)), Body: io.NopCloser(bytes.NewReader(text)),
	}, nil
}
