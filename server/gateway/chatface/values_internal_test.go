package chatface

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
)

// plain is a Face that passes chats on.
type plain struct{ asked, answered int }

func (p *plain) Request(_ *http.Request, body []byte) (Conversation, error) {
	p.asked++
	return &plainChat{p, body}, nil
}

func (*plain) Error(_ int, openAI []byte) (string, []byte) { return "application/json", openAI }

type plainChat struct {
	face *plain
	chat []byte
}

func (c *plainChat) Chat() []byte   { return c.chat }
func (c *plainChat) Stream() Stream { return nil }
func (c *plainChat) Answer(in []byte) (string, []byte, error) {
	c.face.answered++
	return "application/json", in, nil
}

// full has room for a megabyte.
func full(n *int64) func(int64) error {
	return func(more int64) error {
		if *n += more; *n > 1<<20 {
			return fault.New(fault.RequestsFull, "test", "")
		}
		return nil
	}
}

// Lists of very many short elements, of clients and of orchestrators, take many times their bytes when they are
// mapped: that is counted before.
func TestManyValuesAreCounted(t *testing.T) {
	t.Parallel()
	many := `{"choices":[` + strings.Repeat(`{},`, 40<<10) + `{}]}`
	var held int64
	face := &plain{}
	c := call{face: face, r: httptest.NewRequest(http.MethodPost, "/", strings.NewReader(many)), limit: 1 << 20,
		grow: full(&held)}
	if err := c.convert(c.limit); fault.CodeOf(err) != fault.RequestsFull || face.asked > 0 {
		t.Errorf("a request: %v", err)
	}

	held = 0
	a := &answer{call: call{face: face, grow: full(&held), read: true, conv: &plainChat{face: face}},
		whole: []byte(many), status: http.StatusOK}
	if _, _, err := a.mapWhole(); fault.CodeOf(err) != fault.RequestsFull || face.answered > 0 {
		t.Errorf("an answer: %v", err)
	}

	held = 0
	e := events{out: &echo{}, grow: full(&held)}
	if _, err := e.feed([]byte("data: " + many + "\n\n")); fault.CodeOf(err) != fault.RequestsFull {
		t.Errorf("an event: %v", err)
	}

	// Many events of a few values, as all streams have them, count as one.
	held = 0
	e = events{out: &echo{}, grow: full(&held)}
	for range 10_000 {
		if _, err := e.feed([]byte("data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n")); err != nil {
			t.Fatal(err)
		}
	}
}

// collector is a Stream that keeps all that comes.
type collector struct {
	echo
	held int64
}

func (c *collector) Event(dst, data []byte) ([]byte, error) {
	c.held += int64(len(data))
	return c.echo.Event(dst, data)
}

func (c *collector) Held() int64 { return c.held }

// What a stream keeps of its events until its end is counted.
func TestCollectedEventsAreCounted(t *testing.T) {
	t.Parallel()
	var held int64
	e := events{out: &collector{}, grow: full(&held)}
	event := []byte("data: {\"x\":\"" + strings.Repeat("x", 8<<10) + "\"}\n\n")
	for range 1000 {
		if _, err := e.feed(event); err != nil {
			if fault.CodeOf(err) != fault.RequestsFull {
				t.Error(err)
			}
			return
		}
	}
	t.Errorf("8 MB are kept, and %d bytes counted", held)
}

// There are no more values than are counted.
func FuzzValues(f *testing.F) {
	f.Add([]byte(`{"a":[1,{},"x,\"{",null]}`))
	f.Add([]byte(`[[],[[]],0]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		n := values(text)
		var v any
		if json.Unmarshal(text, &v) == nil {
			if all := inside(v); n < all {
				t.Errorf("%d of %d values are counted", n, all)
			}
		}
	})
}

// inside counts the values in v.
func inside(v any) (n int64) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			n += 1 + inside(e)
		}
	case map[string]any:
		for _, e := range v {
			n += 1 + inside(e)
		}
	}
	return n
}
