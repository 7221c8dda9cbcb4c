package pipeline

import (
	"bytes"
	"strconv"

	"github.com/tuttinode/tutti/core/inference"
)

// ranks is what a request to rank documents has besides them: the size in bytes of its query, and how many documents
// are wanted, 0 for all.
type ranks struct {
	query  int
	wanted int64
}

// rank is a field of a request to rank documents, besides the documents themselves.
func (l *llm) rank(c *cursor, key []byte) error {
	switch string(key) {
	case "query":
		raw, err := c.str()
		l.ranks.query = len(raw)
		return err
	case "top_n":
		return c.countField(&l.ranks.wanted)
	}
	for _, name := range []string{"query", "documents", "top_n"} {
		if bytes.EqualFold(key, []byte(name)) {
			return c.fail("it differs from " + quoted([]byte(name)) + " only in capitals")
		}
	}
	return l.other(c, inference.Rerank, key)
}

// documents is a list of texts, or of objects that hold one.
func (l *llm) documents(c *cursor) error {
	err := c.items(func() error {
		if l.prompts >= maxInputs {
			return c.fail("more than " + strconv.Itoa(maxInputs) + " documents in one request")
		}
		if b := c.peek(); b != '"' && b != '{' {
			return c.fail("a document is a text, or an object that holds one")
		}
		v, err := c.value()
		l.given = true
		l.prompts++
		l.bytes += len(v) - len(`""`)
		return err
	})
	if err == nil && l.prompts == 0 {
		return c.fail("there is no document in it")
	}
	return err
}

// results returns how many scores the answer to a request to rank documents has.
func (l *llm) results() int {
	if l.ranks.wanted > 0 {
		return int(min(l.ranks.wanted, int64(l.prompts)))
	}
	return l.prompts
}
