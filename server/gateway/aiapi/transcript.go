package aiapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// transcript is the answer of audio-to-text.
type transcript struct {
	Text   string  `json:"text"`
	Chunks []chunk `json:"chunks"`
}

// chunk is a part of a transcript. Runners leave out an unknown end.
type chunk struct {
	Timestamp [2]*float64 `json:"timestamp"`
	Text      string      `json:"text"`
}

// span returns the chunk's begin and end, in seconds.
func (c *chunk) span() (from, to float64) {
	if c.Timestamp[0] != nil {
		from = *c.Timestamp[0]
	}
	to = from
	if c.Timestamp[1] != nil {
		to = *c.Timestamp[1]
	}
	return from, to
}

// verboseTranscript is OpenAI's verbose_json.
type verboseTranscript struct {
	Task     string    `json:"task"`
	Language string    `json:"language,omitempty"`
	Duration float64   `json:"duration"`
	Text     string    `json:"text"`
	Segments []segment `json:"segments,omitempty"`
	Words    []word    `json:"words,omitempty"`
}

type segment struct {
	ID    int     `json:"id"`
	Start float64 `json:"start"`
	End   float64 `json:"end"`
	Text  string  `json:"text"`
}

type word struct {
	Word  string  `json:"word"`
	Start float64 `json:"start"`
	End   float64 `json:"end"`
}

func (t *transcript) verbose(form speechForm) verboseTranscript {
	v := verboseTranscript{Task: form.task, Text: t.Text}
	if form.task == "translate" {
		v.Language = "english"
	}
	for i := range t.Chunks {
		c := &t.Chunks[i]
		from, to := c.span()
		v.Duration = max(v.Duration, to)
		if form.words {
			v.Words = append(v.Words, word{strings.TrimSpace(c.Text), from, to})
		} else {
			v.Segments = append(v.Segments, segment{i, from, to, c.Text})
		}
	}
	return v
}

// srt returns the transcript as SubRip subtitles.
func (t *transcript) srt() []byte {
	var b bytes.Buffer
	for i := range t.Chunks {
		from, to := t.Chunks[i].span()
		fmt.Fprintf(&b, "%d\n%s --> %s\n%s\n\n", i+1, clock(from, ","), clock(to, ","), oneLine(t.Chunks[i].Text))
	}
	return b.Bytes()
}

// vtt returns the transcript as WebVTT subtitles.
func (t *transcript) vtt() []byte {
	b := bytes.NewBufferString("WEBVTT\n\n")
	for i := range t.Chunks {
		from, to := t.Chunks[i].span()
		fmt.Fprintf(b, "%s --> %s\n%s\n\n", clock(from, "."), clock(to, "."), oneLine(t.Chunks[i].Text))
	}
	return b.Bytes()
}

// events returns the transcript as OpenAI's events: its parts, and the whole text.
func (t *transcript) events() []byte {
	var b bytes.Buffer
	parts := t.Chunks
	if t.joined() != t.Text {
		parts = []chunk{{Text: t.Text}} // clients put the parts together
	}
	for i := range parts {
		event(&b, "transcript.text.delta", "delta", parts[i].Text)
	}
	event(&b, "transcript.text.done", "text", t.Text)
	return b.Bytes()
}

// joined returns the text of all parts.
func (t *transcript) joined() string {
	var b strings.Builder
	for i := range t.Chunks {
		b.WriteString(t.Chunks[i].Text)
	}
	return b.String()
}

// event writes an event with one text.
func event(b *bytes.Buffer, kind, field, text string) {
	quoted, _ := json.Marshal(text) // a text cannot fail
	fmt.Fprintf(b, "data: {\"type\":%q,%q:%s}\n\n", kind, field, quoted)
}

// oneLine joins a text into one line: an empty line would end the subtitle.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// maxClock bounds a runner's timestamps to what the format can show, in seconds.
const maxClock = 1e6

// clock formats seconds as 00:00:01,500.
func clock(seconds float64, point string) string {
	if !(seconds > 0 && seconds < maxClock) { // also for NaN
		seconds = 0
	}
	ms := time.Duration(seconds * float64(time.Second)).Milliseconds()
	return fmt.Sprintf("%02d:%02d:%02d%s%03d", ms/3600000, ms/60000%60, ms/1000%60, point, ms%1000)
}
