package pipeline_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
)

// memoryFile is a spool in memory.
type memoryFile struct {
	bytes.Buffer
	closed bool
}

func (f *memoryFile) ReadAt(p []byte, from int64) (int, error) {
	return bytes.NewReader(f.Bytes()).ReadAt(p, from)
}

func (f *memoryFile) Close() error { f.closed = true; return nil }

func readLong(t *testing.T, text string, r io.Reader) (body []byte, v *pipeline.LongValues, f *memoryFile) {
	t.Helper()
	f = &memoryFile{}
	body, v, err := pipeline.ReadLong(r, pipeline.LongOptions{Limit: 64 << 20, Size: int64(len(text)),
		Secret: []byte("secret"), Open: func() (pipeline.Spool, error) { return f, nil }})
	if err != nil {
		t.Fatal(err)
	}
	return body, v, f
}

func checkWhole(t *testing.T, text string, body []byte, v *pipeline.LongValues) {
	t.Helper()
	whole, err := io.ReadAll(v.Reader(body))
	if err != nil || string(whole) != text || v.Size(body) != int64(len(text)) {
		t.Errorf("%d bytes of %d, said %d, %v", len(whole), len(text), v.Size(body), err)
	}
}

// TestLongValues: encoded values leave the request, whose JSON stays what it was but for them, and come back byte for
// byte. What a model reads as text, and what turns out to be no base64, stays.
func TestLongValues(t *testing.T) {
	t.Parallel()
	const large = 300 << 10
	data := strings.Repeat("QUJD", large/4)
	for _, tt := range []struct {
		name, value string
		long        bool
		uncounted   bool
	}{
		{"a picture", `{"image_url":{"url":"data:image/png;base64,` + data + `"}}`, true, false},
		{"a picture of a response", `{"image_url":"data:image/png;base64,` + data + `"}`, true, false},
		{"pictures of another API", `{"images":["` + data + `","` + data + `A"]}`, true, true},
		{"a sound", `{"input_audio":{"data":"` + data + `","format":"wav"}}`, true, true},
		{"a PDF", `{"file":{"file_data":"data:application/pdf;base64,` + data + `"}}`, true, true},
		{"slashes of PHP", `{"image_url":{"url":"data:image\/png;base64,` + strings.Repeat(`QU\/D`, large/5) + `"}}`, true,
			false},
		{"escaped slashes", `{"image_url":{"url":"data:image/png;base64,` + strings.Repeat(`QU\/D`, large/5) + `"}}`, true,
			false},
		{"lines", `{"data":"` + strings.Repeat(`QUJDQUJD\n`, large/10) + `"}`, true, true},
		{"a text", `{"text":"` + data + `"}`, false, false},
		{"words", `{"url":"` + strings.Repeat("a b ", large/4) + `"}`, false, false},
		{"words at the end", `{"url":"` + data + ` and words \" \u00e9"}`, false, false},
		{"an escape at the end", `{"url":"` + data + `\u0041"}`, false, false},
		{"short", `{"url":"data:image/png;base64,` + data[:1000] + `"}`, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := `{"model":"m","messages":[{"role":"user","content":[` + tt.value + `,{"text":"hi"}]}]}`
			for name, r := range map[string]io.Reader{
				"at once": strings.NewReader(text), "in halves": iotest.HalfReader(strings.NewReader(text)),
				"byte by byte": iotest.OneByteReader(strings.NewReader(text)),
			} {
				body, v, _ := readLong(t, text, r)
				if !json.Valid(body) || (v.Spooled() > 0) != tt.long || tt.long && len(body) > 100<<10 {
					t.Errorf("%s: %d bytes remain, %d in the file, valid %t", name, len(body), v.Spooled(), json.Valid(body))
				}
				checkWhole(t, text, body, v)
				req, err := pipeline.Decode(capability.LLM, inference.Chat, "application/json", body)
				if err != nil {
					t.Fatal(err)
				}
				before := req.InputTokens
				if req.AddLong(v, body); (req.InputTokens > before) != tt.uncounted {
					t.Errorf("%s: %d tokens, then %d", name, before, req.InputTokens)
				}
			}
		})
	}
}

// TestLongValuesThatAreNoPictures: what looks like a picture and stands where a model reads text counts as text.
func TestLongValuesThatAreNoPictures(t *testing.T) {
	t.Parallel()
	picture := `"data:image/png;base64,` + strings.Repeat("QUJD", 300<<8) + `"`
	for _, tt := range []struct {
		name, message, rest string
		picture             bool
	}{
		{"a picture", `"content":[{"type":"image_url","image_url":{"url":` + picture + `}}]`, ``, true},
		{"in a tool", `"content":"x"`, `,"tools":[{"function":{"parameters":{"url":` + picture + `}}}]`, false},
		{"in a tool's list", `"content":"x"`, `,"tools":[{"function":{"parameters":{"images":[` + picture + `]}}}]`, false},
		{"next to the content", `"content":"x","url":` + picture, ``, false},
		{"next to a picture", `"content":[{"type":"image_url","image_url":{"url":` + picture + `},"url":` + picture + `}]`,
			``, false},
		{"in a field of that name elsewhere", `"content":"x"`, `,"messages_":[{"content":[{"image_url":` + picture + `}]}]`,
			false},
	} {
		text := `{"model":"m","max_tokens":1,"messages":[{"role":"user",` + tt.message + `}]` + tt.rest + `}`
		body, v, _ := readLong(t, text, strings.NewReader(text))
		req, err := pipeline.Decode(capability.LLM, inference.Chat, "application/json", body)
		if err != nil || v.Spooled() == 0 {
			t.Fatalf("%s: %v, %d in the file", tt.name, err, v.Spooled())
		}
		if req.AddLong(v, body); (req.InputTokens < 2000) != tt.picture || !tt.picture && req.InputTokens < 70_000 {
			t.Errorf("%s: %d tokens", tt.name, req.InputTokens)
		}
	}
}

// TestLongValuesMove: a value follows its marker through a rewritten request; a client cannot write a marker, and equal
// values have equal markers, so that equal requests stay equal.
func TestLongValuesMove(t *testing.T) {
	t.Parallel()
	data := strings.Repeat("QUJD", 50<<10)
	text := `{"model":"m","messages":[{"role":"user","content":[{"image_url":{"url":"data:image/png;base64,` + data +
		`"}},{"text":"tutti-part-0123456789abcdef0123456789abcdef tutti-part-"}]}]}`
	body, v, f := readLong(t, text, strings.NewReader(text))
	again, _, _ := readLong(t, text, strings.NewReader(text))
	if !bytes.Equal(body, again) {
		t.Error("equal requests differ")
	}
	moved := bytes.Replace(body, []byte(`"model":"m"`), []byte(`"model":"other","max_tokens":5`), 1)
	checkWhole(t, strings.Replace(text, `"model":"m"`, `"model":"other","max_tokens":5`, 1), moved, v)
	v.Close()
	if !f.closed {
		t.Error("the file stays")
	}
}

// TestLongLimits: the limit, the announced length, a disk without space and a connection that ends are errors, and the
// file is closed after each.
func TestLongLimits(t *testing.T) {
	t.Parallel()
	errFull := errors.New("no space")
	text := `{"url":"data:image/png;base64,` + strings.Repeat("QUJD", 100<<10) + `"}`
	size := int64(len(text))
	for _, tt := range []struct {
		name        string
		limit, size int64
		r           io.Reader
		open        error
		want        error
	}{
		{"announced too long", size - 1, size, strings.NewReader(text), nil, pipeline.ErrLongBody},
		{"too long", size - 1, -1, strings.NewReader(text), nil, pipeline.ErrLongBody},
		{"too short", size * 2, size + 1, strings.NewReader(text), nil, io.ErrUnexpectedEOF},
		{"broken off", size, size, io.MultiReader(strings.NewReader(text[:200<<10]), iotest.ErrReader(io.ErrClosedPipe)), nil,
			io.ErrClosedPipe},
		{"no space", size, size, strings.NewReader(text), errFull, errFull},
	} {
		f := &memoryFile{}
		_, v, err := pipeline.ReadLong(tt.r, pipeline.LongOptions{Limit: tt.limit, Size: tt.size, Secret: []byte("s"),
			Open: func() (pipeline.Spool, error) {
				if tt.open != nil {
					return nil, tt.open
				}
				return f, nil
			}})
		if !errors.Is(err, tt.want) || v != nil || f.Len() > 0 && !f.closed {
			t.Errorf("%s: %v, closed %t", tt.name, err, f.closed)
		}
	}
}

// TestLongValuesAnyText: whatever comes, in whatever pieces, comes back.
func TestLongValuesAnyText(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	pieces := []string{`"`, `\`, `"url":"`, `"data":`, `{`, `}`, `,`, ":", `\"`, `\n`, strings.Repeat("QUJD", 9<<10), " ",
		"é"}
	for range 300 {
		var b strings.Builder
		for range random.IntN(20) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		text := b.String()
		body, v, _ := readLong(t, text, iotest.HalfReader(strings.NewReader(text)))
		checkWhole(t, text, body, v)
		if t.Failed() {
			t.Fatalf("%.300q", text)
		}
	}
}
