package pipeline

import (
	"strconv"

	"github.com/tuttinode/tutti/core/inference"
)

// WithMaxTokens returns a request for a language model that states max_tokens: body is
// one that Decode took and that states none. All else stays as it is written.
func WithMaxTokens(body []byte, tokens inference.Tokens) []byte {
	c := &cursor{text: body}
	c.peek()
	// The first field's place, or that of a null, which counts as not given.
	at, end, field := c.pos+1, c.pos+1, true
	_ = c.object(func(key []byte) error { // Decode found nothing wrong with it
		start := c.skipped()
		_, err := c.value()
		if string(key) == "max_tokens" {
			at, end, field = start, c.pos, false
		}
		return err
	})
	const most = len(`"max_tokens":,`) + 20
	out := append(make([]byte, 0, len(body)+most), body[:at]...)
	if field {
		out = append(out, `"max_tokens":`...)
	}
	out = strconv.AppendInt(out, int64(tokens), 10)
	if field {
		out = append(out, ',')
	}
	return append(out, body[end:]...)
}
