package aiapi

import (
	"encoding/json"
	"errors"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/pipeline"
)

const (
	// maxTranscript bounds a transcript, in bytes, and maxChunks its parts: a day of speech word by
	// word.
	maxTranscript = 16 << 20
	maxChunks     = 1 << 18
	// perByte and perChunk estimate the memory that a transcript takes while it is read and written
	// again: a byte of text may become an escape of six, which is copied.
	perByte  = 14
	perChunk = 512
)

var (
	errManyChunks = errors.New("the transcript has too many parts")
	errNoText     = errors.New("the transcript has no text")
)

// readTranscript reads the answer of audio-to-text. Its memory, and that of the answer made from
// it, is taken from the budget first.
func (x *relayedRequest) readTranscript(b []byte) (*transcript, error) {
	const op = "read transcript"
	if err := x.grow(perByte * int64(len(b))); err != nil {
		return nil, err
	}
	t := &transcript{}
	var chunks []byte
	text := false
	err := pipeline.Members(b, func(name []byte, from, to int) error {
		switch string(name) {
		case "text":
			text = b[from] == '"'
			return json.Unmarshal(b[from:to], &t.Text)
		case "chunks":
			chunks = b[from:to]
		}
		return nil
	})
	if err == nil && !text {
		err = errNoText
	}
	if err == nil && chunks != nil && string(chunks) != "null" {
		t.Chunks, err = x.readChunks(chunks)
	}
	if err != nil && fault.CodeOf(err) != fault.RequestsFull {
		err = unreadableAnswer(op, err)
	}
	return t, err
}

// readChunks counts the parts and then reads them.
func (x *relayedRequest) readChunks(list []byte) ([]chunk, error) {
	n := 0
	err := pipeline.Elements(list, func(int, int) error {
		if n++; n > maxChunks {
			return errManyChunks
		}
		return nil
	})
	if err == nil {
		err = x.grow(perChunk * int64(n))
	}
	if err != nil {
		return nil, err
	}
	out := make([]chunk, 0, n)
	err = pipeline.Elements(list, func(from, to int) error {
		var c chunk
		err := json.Unmarshal(list[from:to], &c)
		out = append(out, c)
		return err
	})
	return out, err
}
