package sse

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/tuttinode/tutti/core/inference"
)

// The finish reasons that we give ourselves.
const (
	reasonStop  = "stop"
	reasonError = "error"
)

// chunk is an event as the existing network has it.
type chunk struct {
	ID      string     `json:"id"`
	Model   string     `json:"model"`
	Created int64      `json:"created"`
	Usage   chunkUsage `json:"usage"`
	Choices []choice   `json:"choices"`
}

type chunkUsage struct {
	Prompt     inference.Tokens `json:"prompt_tokens"`
	Completion inference.Tokens `json:"completion_tokens"`
	Total      inference.Tokens `json:"total_tokens"`
}

// choice has an empty finish reason until the last, as the network's runners
// send it.
type choice struct {
	Index        int    `json:"index"`
	Delta        delta  `json:"delta"`
	FinishReason string `json:"finish_reason"`
}

type delta struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// wireChunk is what is read of a server's event. Usage is the scanner's matter.
type wireChunk struct {
	ID      string      `json:"id"`
	Model   string      `json:"model"`
	Created json.Number `json:"created"`
	Choices wireChoices `json:"choices"`
}

type wireChoice struct {
	Index        int     `json:"index"`
	Delta        *delta  `json:"delta"`
	Text         string  `json:"text"`
	FinishReason *string `json:"finish_reason"`
}

// wireChoices is the first of a list of choices, the only one that passes: many empty ones
// would become thirty times as large as their text.
type wireChoices []wireChoice

// UnmarshalJSON reads the first element.
func (w *wireChoices) UnmarshalJSON(b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b))
	t, err := d.Token()
	switch {
	case err != nil || t == nil:
		return err
	case t != json.Delim('['):
		return errNoList
	case !d.More():
		return nil
	}
	first := make([]wireChoice, 1)
	if err := d.Decode(&first[0]); err != nil {
		return err
	}
	*w = first
	return nil
}

var errNoList = errors.New("the choices are no list")

// decode reads the event of a block of lines. It reports false for one that has
// other types where ours are.
func (c *chunk) decode(block []byte) bool {
	var in wireChunk
	if json.Unmarshal(dataOf(block), &in) != nil {
		return false
	}
	c.ID, c.Model = in.ID, in.Model
	c.Created, _ = in.Created.Int64()
	for _, w := range in.Choices {
		out := choice{Index: w.Index, Delta: delta{Content: w.Text}}
		if w.Delta != nil {
			out.Delta = *w.Delta
		}
		if w.FinishReason != nil {
			out.FinishReason = *w.FinishReason
		}
		c.Choices = append(c.Choices, out)
	}
	return true
}

// dataOf joins the data lines of a block.
func dataOf(block []byte) []byte {
	block = bytes.TrimPrefix(block, []byte(byteOrderMark))
	var out []byte
	found := false
	for len(block) > 0 {
		line, rest := block, []byte(nil)
		if end := lineEnd(block); end >= 0 {
			line, rest = block[:end], block[end+1:]
		}
		block = rest
		value, ok := bytes.CutPrefix(line, []byte("data:"))
		switch {
		case !ok:
		case !found:
			// Almost always the only one: no copy.
			found, out = true, value[:len(value):len(value)]
		default:
			out = append(append(out, '\n'), value...)
		}
	}
	return out
}

// merge takes over what every event of the stream has in common, and usage.
func (c *chunk) merge(in *chunk, f *eventSummary) {
	if in.ID != "" {
		c.ID = in.ID
	}
	if in.Model != "" {
		c.Model = in.Model
	}
	if in.Created != 0 {
		c.Created = in.Created
	}
	if f.hasUsage {
		c.Usage = chunkUsage{f.usage.Prompt, f.usage.Completion, f.usage.Total()}
	}
}

// maxContent bounds the content of one event in bytes as JSON spells it, so that
// the line stays below the 64 KiB that existing gateways read. Role, model and
// id get the rest.
const (
	maxContent = 48 << 10
	maxLabel   = 2 << 10
)

// encode appends the event as one line or, where its content is too long, as
// several, of which only the last has the finish reason.
func (c *chunk) encode(dst []byte) []byte {
	c.ID, c.Model = clip(c.ID), clip(c.Model)
	first := &c.Choices[0]
	first.Delta.Role, first.FinishReason = clip(first.Delta.Role), clip(first.FinishReason)
	reason, content := first.FinishReason, first.Delta.Content
	for {
		n := fitting(content)
		first.Delta.Content = content[:n]
		content = content[n:]
		first.FinishReason = ""
		if content == "" {
			first.FinishReason = reason
		}
		dst = c.line(dst)
		if content == "" {
			return dst
		}
	}
}

func (c *chunk) line(dst []byte) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(c) != nil {
		// Strings and integers always encode.
		return dst
	}
	dst = append(append(dst, "data: "...), b.Bytes()...)
	return append(dst, '\n')
}

// fitting returns how many bytes of s fit into one event, in whole characters.
func fitting(s string) int {
	if len(s) <= maxContent/6 {
		return len(s)
	}
	spelled := 0
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if spelled += spelling(r, n); spelled > maxContent {
			return i
		}
		i += n
	}
	return len(s)
}

// spelling returns how many bytes JSON may take for a character.
func spelling(r rune, n int) int {
	if r < ' ' || r == '"' || r == '\\' || r == utf8.RuneError || r == 0x7f || r == '\u2028' || r == '\u2029' {
		return len(`\u0000`)
	}
	return n
}

// clip bounds a label; the labels in use are far shorter.
func clip(s string) string {
	if len(s) <= maxLabel {
		return s
	}
	return strings.ToValidUTF8(s[:maxLabel], "")
}
